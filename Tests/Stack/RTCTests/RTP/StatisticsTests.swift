import Basics
import RTC
import TestSeeds
import Testing

@Suite("Receive statistics, RFC 3550 appendix A", .tellsSeeds)
struct ReceiveStatisticsTests {
  private func feed(
    _ statistics: inout ReceiveStatistics, _ numbers: [UInt16], timestamp: UInt32 = 0, at milliseconds: Int64 = 0
  ) {
    for number in numbers {
      statistics.receive(
        sequence: SequenceNumber(rawValue: number), timestamp: RTPTimestamp(rawValue: timestamp),
        now: .milliseconds(milliseconds))
    }
  }

  @Test("nothing is reported before the first packet, RFC 3550 section 6.4")
  func empty() {
    var statistics = ReceiveStatistics(ssrc: ssrc(1), clockRate: 90_000)
    let block = statistics.makeReportBlock(now: .zero)
    #expect(block == nil)
    #expect(statistics.cumulativeLost == 0)
  }

  @Test("losses count in all and since the last report, at every wrap (RFC 3550 A.3)")
  func everyWrapPosition() {
    for base in UInt16.min...UInt16.max {
      var statistics = ReceiveStatistics(ssrc: ssrc(1), clockRate: 90_000)
      feed(&statistics, [base, base &+ 1, base &+ 3, base &+ 4])
      let first = statistics.makeReportBlock(now: .zero)
      feed(&statistics, [base &+ 5, base &+ 8])
      let second = statistics.makeReportBlock(now: .zero)
      let third = statistics.makeReportBlock(now: .zero)
      if first?.cumulativeLost != 1 || first?.fractionLost != 51 || second?.cumulativeLost != 3
        || second?.fractionLost != 128 || third?.fractionLost != 0
        || second?.extendedHighestSequence != UInt32(base) + 8
      {
        Issue.record("base \(base)")
      }
    }
  }

  @Test("cycles are counted over many wraps, RFC 3550 A.1")
  func cycles() {
    var statistics = ReceiveStatistics(ssrc: ssrc(1), clockRate: 90_000)
    var number: UInt32 = 100
    while number < 400_000 {
      feed(&statistics, [UInt16(number & 0xFFFF)])
      number += 1_000
    }
    #expect(statistics.extendedHighestSequence == number - 1_000)
    let block = statistics.makeReportBlock(now: .zero)
    #expect(block?.fractionLost == 255)
  }

  @Test("late packets and duplicates lower the loss, down to below zero, RFC 3550 A.3")
  func duplicates() {
    var statistics = ReceiveStatistics(ssrc: ssrc(1), clockRate: 90_000)
    feed(&statistics, [10, 12, 11, 11, 10])
    #expect(statistics.cumulativeLost == -2)
    let block = statistics.makeReportBlock(now: .zero)
    #expect(block?.fractionLost == 0)
    #expect(statistics.extendedHighestSequence == 12)
  }

  @Test("one packet far off is ignored, two in a row begin a new sequence, RFC 3550 A.1")
  func restart() {
    var statistics = ReceiveStatistics(ssrc: ssrc(1), clockRate: 90_000)
    feed(&statistics, [10, 11, 30_000, 12])
    #expect(statistics.extendedHighestSequence == 12)
    #expect(statistics.cumulativeLost == 0)
    feed(&statistics, [30_000, 30_001, 30_002])
    #expect(statistics.extendedHighestSequence == 30_002)
    #expect(statistics.cumulativeLost == 0)
    #expect(statistics.receivedCount == 2)
  }

  @Test("jitter is the smoothed difference of transit times, RFC 3550 A.8")
  func jitter() {
    var steady = ReceiveStatistics(ssrc: ssrc(1), clockRate: 48_000)
    for index in 0..<100 {
      feed(&steady, [UInt16(index)], timestamp: UInt32(index) &* 960 &- 5_000, at: Int64(index) * 20)
    }
    #expect(steady.jitter == 0)
    var uneven = ReceiveStatistics(ssrc: ssrc(1), clockRate: 48_000)
    for index in 0..<500 {
      feed(&uneven, [UInt16(index)], timestamp: UInt32(index) * 960, at: Int64(index) * 20 + (index % 2 == 0 ? 0 : 10))
    }
    // Every difference is 10 ms, so the average is 480 ticks.
    #expect((470...480).contains(uneven.jitter))
    // A new time line does not count.
    let before = uneven.jitter
    feed(&uneven, [500], timestamp: 4_000_000_000, at: 10_000)
    #expect(uneven.jitter == before)
  }

  @Test("LSR and DLSR give the last report, its age and the trip (RFC 3550 6.4.1)")
  func roundTrip() throws {
    var statistics = ReceiveStatistics(ssrc: ssrc(1), clockRate: 90_000)
    feed(&statistics, [1])
    let first = statistics.makeReportBlock(now: .zero)
    let early = try #require(first)
    #expect(early.lastSenderReport == 0 && early.delaySinceLastSenderReport == 0)
    #expect(early.roundTripTime(at: NTPTime(rawValue: 1)) == nil)

    let sent = NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)
    let info = SenderInfo(
      ssrc: ssrc(1), ntp: sent, rtpTimestamp: RTPTimestamp(rawValue: 0), packetCount: 0, octetCount: 0)
    statistics.receive(senderReport: info, now: .milliseconds(5_000))
    let second = statistics.makeReportBlock(now: .milliseconds(7_500))
    let block = try #require(second)
    #expect(block.lastSenderReport == sent.middle32)
    #expect(block.delaySinceLastSenderReport == 163_840)
    let roundTrip = try #require(block.roundTripTime(at: sent + .milliseconds(2_580)))
    #expect(abs(roundTrip.microseconds - 80_000) < 100)
    #expect(block.roundTripTime(at: sent + .milliseconds(2_000)) == nil)

    var other = info
    other.ssrc = ssrc(2)
    other.ntp = NTPTime(rawValue: 0)
    statistics.receive(senderReport: other, now: .milliseconds(8_000))
    let third = statistics.makeReportBlock(now: .milliseconds(8_000))
    #expect(third?.lastSenderReport == sent.middle32)
    let fourth = statistics.makeReportBlock(now: .milliseconds(100_000_000))
    #expect(fourth?.delaySinceLastSenderReport == .max)
  }
}

@Suite("Clock mapping, RFC 3550 section 6.4.1", .tellsSeeds)
struct SenderReportMappingTests {
  @Test("RTP and wall-clock time map to each other across both wraps")
  func mapping() {
    var random = SeededRandom(seed: TestSeed.of(6))
    for rate: UInt32 in [8_000, 48_000, 90_000] {
      for point: UInt32 in [0, 5, 0x7FFF_FFFF, 0xFFFF_FFFF] {
        let mapping = SenderReportMapping(
          ntp: NTPTime(rawValue: 0xFFFF_FFFF_F000_0000), rtpTimestamp: RTPTimestamp(rawValue: point), clockRate: rate)
        for _ in 0..<500 {
          let timestamp = RTPTimestamp(
            rawValue: point &+ UInt32(truncatingIfNeeded: Int64(random.below(1 << 31)) - (1 << 30)))
          let back = mapping.rtpTimestamp(at: mapping.ntpTime(of: timestamp))
          let error = Int32(bitPattern: back.rawValue &- timestamp.rawValue)
          if abs(error) > 1 { Issue.record("error \(error) at \(timestamp) with \(rate) Hz") }
        }
      }
    }
  }

  @Test("a span of years keeps its ticks exact modulo 2³²")
  func longSpan() {
    let year = TimeSpan.seconds(365 * 86_400) + .milliseconds(500)
    let expected = UInt32(truncatingIfNeeded: 365 * 86_400 * 90_000 + 45_000)
    #expect(RTPTimestamp(rawValue: 0).advanced(by: year, clockRate: 90_000).rawValue == expected)
  }
}
