import Basics
import RTC
import TestSeeds
import Testing

@Suite("Transport feedback recorder (draft-holmer-rmcat-transport-wide-cc 3)", .tellsSeeds)
struct TransportFeedbackRecorderTests {
  /// The reports of one call: per number, the arrival in milliseconds of the recorder's clock, nil when lost.
  private func drain(
    _ recorder: inout TransportFeedbackRecorder, at milliseconds: Int64, capacity: Int = 1_200
  ) -> [(number: UInt16, arrival: Int64?)] {
    var out: [(UInt16, Int64?)] = []
    for _ in 0..<1_000 {
      var buffer = [UInt8](repeating: 0, count: capacity)
      var span = buffer.mutableSpan
      var writer = RTCPWriter()
      let wrote = recorder.appendFeedback(
        to: &writer, sender: ssrc(1), media: ssrc(2), now: .milliseconds(milliseconds), into: &span)
      guard wrote else { break }
      let bytes = [UInt8](buffer[..<writer.length])
      guard case .transportFeedback(let feedback) = readAll(bytes).messages.first else {
        Issue.record("unreadable report")
        break
      }
      var arrivals: [UInt16: Int64] = [:]
      var iterator = feedback.arrivals
      while let arrival = iterator.next(in: bytes.span) {
        arrivals[arrival.sequenceNumber.rawValue] =
          Int64(feedback.referenceTime) * 64 + arrival.sinceReference.milliseconds
      }
      for index in 0..<feedback.statusCount {
        let number = feedback.baseSequence.rawValue &+ UInt16(index)
        out.append((number, arrivals[number]))
      }
    }
    return out
  }

  private func feed(_ recorder: inout TransportFeedbackRecorder, _ numbers: [UInt16], at milliseconds: Int64) {
    for number in numbers { recorder.receive(SequenceNumber(rawValue: number), now: .milliseconds(milliseconds)) }
  }

  // Losses between them and in front of them.
  @Test("packets are reported once, with their losses, at every position of the wrap")
  func everyWrapPosition() {
    for base in UInt16.min...UInt16.max where base % 7 == 0 || base > 65_500 || base < 40 {
      var recorder = TransportFeedbackRecorder(capacity: 256)
      feed(&recorder, [base, base &+ 2], at: 10)
      let first = drain(&recorder, at: 60)
      feed(&recorder, [base &+ 5], at: 70)
      let second = drain(&recorder, at: 120)
      let numbers = (first + second).map { $0.number &- base }
      let arrivals = (first + second).map(\.arrival)
      if numbers != [0, 1, 2, 3, 4, 5] || arrivals != [10, nil, 10, nil, nil, 70] || !drain(&recorder, at: 130).isEmpty
      {
        Issue.record("base \(base): \(numbers) \(arrivals)")
      }
    }
  }

  @Test("a packet that arrives after it was reported lost is reported again")
  func late() {
    var recorder = TransportFeedbackRecorder()
    feed(&recorder, [1, 2, 4], at: 0)
    _ = drain(&recorder, at: 50)
    feed(&recorder, [3], at: 60)
    let again = drain(&recorder, at: 110)
    #expect(again.map(\.number) == [3, 4])
    #expect(again.map(\.arrival) == [60, 0])
    feed(&recorder, [3, 4], at: 120)
    #expect(recorder.deadline == .distantFuture)
    #expect(drain(&recorder, at: 170).isEmpty)
  }

  @Test("a packet before the first one is reported too")
  func beforeFirst() {
    var recorder = TransportFeedbackRecorder()
    feed(&recorder, [2, 1, 65_535], at: 0)
    #expect(drain(&recorder, at: 50).map(\.number) == [65_535, 0, 1, 2])
  }

  @Test("reports are due 16 times a second while packets arrive, and never without")
  func cadence() {
    var recorder = TransportFeedbackRecorder()
    #expect(recorder.deadline == .distantFuture)
    var reports = 0
    var number: UInt16 = 0
    for time in Int64(0)..<1_000 {
      if time % 3 == 0 {
        feed(&recorder, [number], at: time)
        number &+= 1
      }
      if recorder.deadline <= .milliseconds(time) {
        reports += 1
        #expect(!drain(&recorder, at: time).isEmpty)
        #expect(recorder.deadline == .distantFuture)
      }
    }
    #expect((16...21).contains(reports))
    #expect(drain(&recorder, at: 10_000).count <= 50)
    #expect(recorder.deadline == .distantFuture)
  }

  @Test("few packets in order wait longer for a report than many, or than a gap")
  func fewPackets() {
    func deadline(after numbers: [UInt16], at milliseconds: Int64 = 110) -> Instant {
      var recorder = TransportFeedbackRecorder(interval: .milliseconds(100), longestInterval: .milliseconds(160))
      feed(&recorder, [10], at: 0)
      #expect(recorder.deadline == .milliseconds(100), "the first report is not held up")
      _ = drain(&recorder, at: 100)
      feed(&recorder, numbers, at: milliseconds)
      return recorder.deadline
    }
    #expect(deadline(after: [11]) == .milliseconds(260))
    #expect(deadline(after: [UInt16](11..<26)) == .milliseconds(260))
    #expect(deadline(after: [UInt16](11..<27)) == .milliseconds(200), "16 are worth a report")
    #expect(deadline(after: [UInt16](11..<27), at: 230) == .milliseconds(230))
    #expect(deadline(after: [11, 13]) == .milliseconds(200), "one is missing")
    #expect(deadline(after: [12]) == .milliseconds(200), "one is missing before the first")
    #expect(deadline(after: [9]) == .milliseconds(200), "one came late")
    #expect(deadline(after: [11, 11]) == .milliseconds(260), "a copy is no gap")
  }

  @Test("a gap hurries the report that has it, not the next one")
  func gapOnce() {
    var recorder = TransportFeedbackRecorder(interval: .milliseconds(100), longestInterval: .milliseconds(160))
    feed(&recorder, [1, 3], at: 0)
    #expect(drain(&recorder, at: 100).map(\.number) == [1, 2, 3])
    feed(&recorder, [4], at: 110)
    #expect(recorder.deadline == .milliseconds(260))
    #expect(drain(&recorder, at: 260).map(\.number) == [4])
  }

  @Test("many packets go into several reports of one datagram each, numbered in order")
  func several() {
    var recorder = TransportFeedbackRecorder()
    feed(&recorder, [UInt16](0..<600), at: 5)
    let all = drain(&recorder, at: 55, capacity: 100)
    #expect(all.map(\.number) == [UInt16](0..<600))
    #expect(all.allSatisfy { $0.arrival == 5 })
  }

  // Old packets are counted and dropped.
  @Test("threat 15: jumps over the ring start again, and memory stays")
  func jumps() {
    var recorder = TransportFeedbackRecorder(capacity: 256)
    feed(&recorder, [0, 1, 2], at: 0)
    feed(&recorder, [10_000], at: 1)
    #expect(drain(&recorder, at: 50).map(\.number) == [10_000])
    feed(&recorder, [10_000 - 256], at: 51)
    #expect(recorder.droppedCount == 1)
    feed(&recorder, [10_000 - 255], at: 52)
    #expect(recorder.droppedCount == 1)
    #expect(drain(&recorder, at: 100).count == 256)
    feed(&recorder, [10_255], at: 101)
    #expect(drain(&recorder, at: 150).count == 255)
  }

  // In any report.
  @Test("threat 15: 100,000 random numbers never exceed the statuses of the ring")
  func random() {
    var random = SeededRandom(seed: TestSeed.of(21))
    var recorder = TransportFeedbackRecorder(capacity: 256)
    var number: UInt16 = 0
    for time in Int64(0)..<100_000 {
      number = random.chance(0.01) ? UInt16(random.below(65_536)) : number &+ UInt16(random.below(4)) &- 1
      feed(&recorder, [number], at: time)
      if recorder.deadline <= .milliseconds(time), drain(&recorder, at: time).count > 256 {
        Issue.record("report too long at \(time)")
      }
    }
  }

  @Test("half a ring of unreported packets is due at once")
  func urgent() {
    var recorder = TransportFeedbackRecorder(capacity: 256)
    feed(&recorder, [UInt16](0..<128), at: 0)
    #expect(recorder.deadline == .milliseconds(50))
    feed(&recorder, [128], at: 1)
    #expect(recorder.deadline == .milliseconds(1))
  }
}
