import Basics
import Testing

@testable import RTC

@Suite("Extended reports, RFC 3611")
struct ExtendedReportTests {
  private func report(_ bytes: [UInt8]) throws -> ExtendedReport {
    let (messages, error) = readAll(bytes)
    #expect(error == nil)
    guard messages.count == 1, case .extendedReport(let report) = messages[0] else { throw RTCPError.malformed }
    return report
  }

  @Test(
    "4.4 and 4.5: a reference time and its answer give the round trip without delay")
  func roundTrip() throws {
    let clock = NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000))
    let sent = Instant.milliseconds(5_000)
    let question = try written { writer, span throws(RTCPError) in
      try writer.append(referenceTime: clock.time(at: sent), of: ssrc(7), into: &span)
    }
    #expect(Array(question[..<12]) == [0x80, 207, 0, 4, 0, 0, 0, 7, 4, 0, 0, 2])
    let asked = try report(question)
    let unanswered = asked.delay(of: ssrc(7), in: question.span)
    #expect(asked.ssrc == ssrc(7) && unanswered == nil)
    let time = try #require(asked.referenceTime)
    #expect(time == clock.time(at: sent))
    // It takes 80 ms, waits for 700, and the answer takes 80.
    let delay = ReferenceDelay(
      to: time, of: asked.ssrc, arrival: sent + .milliseconds(80), now: sent + .milliseconds(780))
    let answer = try written { writer, span throws(RTCPError) in
      try writer.append(delay: delay, sender: ssrc(9), into: &span)
    }
    #expect(Array(answer[..<12]) == [0x80, 207, 0, 5, 0, 0, 0, 9, 5, 0, 0, 3])
    let answered = try report(answer)
    let others = answered.delay(of: ssrc(8), in: answer.span)
    #expect(answered.referenceTime == nil && others == nil)
    let told = answered.delay(of: ssrc(7), in: answer.span)
    let read = try #require(told)
    #expect(read == delay)
    let measured = try #require(read.roundTripTime(at: clock.time(at: sent + .milliseconds(860))))
    #expect((159...161).contains(measured.milliseconds), "\(measured)")
    #expect(read.roundTripTime(at: clock.time(at: sent + .milliseconds(600))) == nil, "an answer from the future")
    #expect(ReferenceDelay(ssrc: ssrc(7), lastReference: 0, delaySinceLastReference: 0).roundTripTime(at: time) == nil)
  }

  @Test("several blocks in one report, and among them such that nobody knows")
  func blocks() throws {
    let unknown: [UInt8] = [42, 0, 0, 1, 1, 2, 3, 4]
    let delays: [UInt8] = [5, 0, 0, 6] + [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3] + [0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 9]
    let time: [UInt8] = [4, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 6]
    let body: [UInt8] = [0, 0, 0, 9] + unknown + delays + time
    let bytes: [UInt8] = [0x80, 207, 0, UInt8(body.count / 4)] + body
    let report = try report(bytes)
    #expect(report.referenceTime == NTPTime(rawValue: 5 << 32 | 6))
    let told = report.delay(of: ssrc(7), in: bytes.span)
    #expect(told == ReferenceDelay(ssrc: ssrc(7), lastReference: 8, delaySinceLastReference: 9))
    let nobody = report.delay(of: ssrc(2), in: bytes.span)
    #expect(nobody == nil)
  }

  // Longer than its report, or too short for its type.
  @Test("threat 15: a block of a wrong length ends the walk with an error")
  func malformed() throws {
    let bodies: [[UInt8]] = [
      [], [0, 0, 0, 9, 4, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 6], [0, 0, 0, 9, 4, 0, 0, 1, 0, 0, 0, 5],
      [0, 0, 0, 9, 5, 0, 0xFF, 0xFF],
    ]
    for body in bodies {
      let bytes: [UInt8] = [0x80, 207, 0, UInt8(body.count / 4)] + body
      #expect(readAll(bytes).error == .malformed, "\(body)")
    }
    // An answer of less than one entry says nothing.
    let short: [UInt8] = [0x80, 207, 0, 4, 0, 0, 0, 9, 5, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]
    let nothing = try report(short).delay(of: ssrc(1), in: short.span)
    #expect(nothing == nil)
  }
}
