import Basics
import Testing

@testable import RTC

@Suite("History of sent packets (draft-holmer-rmcat-transport-wide-cc-extensions-01 2)")
struct SentPacketHistoryTests {
  @Test("a number is found once, at every wrap, and no further back than the capacity")
  func wrap() throws {
    for first in [UInt16(0), 100, 65_400, 65_535] {
      var history = SentPacketHistory(capacity: 256, first: first)
      for index in 0..<1_000 { history.append(size: 100, now: .milliseconds(Int64(index))) }
      #expect(history.bytesInFlight == 25_600)
      let newest = SequenceNumber(rawValue: first &+ 999)
      let sequence = try #require(history.extended(newest))
      let packet = history.acknowledge(sequence)
      let again = history.acknowledge(sequence)
      #expect(packet?.sent == .milliseconds(999))
      #expect(again == nil)
      #expect(history.extended(newest.advanced(by: 1)) == nil)
      #expect(history.extended(newest.advanced(by: -255)) != nil)
      #expect(history.extended(newest.advanced(by: -256)) == nil)
    }
  }

  @Test("a packet that was called lost may still arrive, and is told apart")
  func lateArrival() {
    var history = SentPacketHistory(capacity: 64)
    history.append(size: 500, cluster: 7, now: .zero)
    let lost = history.markLost(0)
    let lostAgain = history.markLost(0)
    #expect(lost && !lostAgain)
    #expect(history.bytesInFlight == 0)
    let packet = history.acknowledge(0)
    #expect(packet?.wasReportedLost == true)
    #expect(packet?.cluster == 7)
    let isLost = history.markLost(0)
    #expect(!isLost)
  }
}

@Suite("Parts of the delay-based estimation, draft-ietf-rmcat-gcc-02 section 5")
struct DelayBasedPartsTests {
  private func result(_ sent: Double, _ received: Double, size: Int = 1_200) -> PacketResult {
    PacketResult(
      packet: .init(
        sequence: 0, sent: Instant(nanoseconds: Int64(sent * 1e6)), size: size, cluster: 0, wasReportedLost: false),
      received: TimeSpan(nanoseconds: Int64(received * 1e6)))
  }

  @Test("packets that left within 5 ms are one group, at its last packet's distance")
  func groups() {
    var delta = InterArrivalDelta()
    for (sent, received) in [(0.0, 100.0), (4, 104), (20, 120), (22, 126)] {
      let none = delta.add(result(sent, received), now: .zero)
      #expect(none == nil)
    }
    let deltas = delta.add(result(40, 140), now: .zero)
    #expect(deltas == .init(sent: .milliseconds(18), received: .milliseconds(22), size: 0))
  }

  @Test("a queue that grows is overuse, one that shrinks underuse, a steady path neither")
  func trend() {
    for (slope, expected) in [(0.0, BandwidthUsage.normal), (0.2, .overusing), (-0.2, .underusing)] {
      var delta = InterArrivalDelta()
      var trendline = TrendlineEstimator()
      var seen: Set<BandwidthUsage> = []
      for index in 0..<60 {
        let sent = Double(index) * 20
        let packet = result(sent, 100 + sent * (1 + slope))
        if let deltas = delta.add(packet, now: .milliseconds(Int64(sent))) {
          trendline.add(deltas, received: packet.received, now: .milliseconds(Int64(sent)))
          seen.insert(trendline.usage)
        }
      }
      #expect(seen.contains(expected), "\(slope)")
      if expected == .normal { #expect(seen == [.normal]) }
    }
  }

  @Test("the delivered rate is found within a second and follows a change within another")
  func delivered() throws {
    var rate = AcknowledgedBitrate()
    var time = 0.0
    func run(_ kilobits: Double, _ seconds: Double) {
      let end = time + seconds * 1_000
      while time < end {
        rate.add(result(time, time), isLimited: false)
        time += 9_600 / kilobits
      }
    }
    run(500, 1)
    let slow = try #require(rate.rate).bitsPerSecond
    #expect(abs(slow - 500_000) < 50_000)
    run(1_500, 1.5)
    let fast = try #require(rate.rate).bitsPerSecond
    #expect(abs(fast - 1_500_000) < 200_000)
  }

  @Test("an overuse brings the rate to 85 % of what is delivered, at once")
  func decrease() {
    var control = AimdRateControl(start: .kilobits(2_000), minimum: .kilobits(30), maximum: .kilobits(8_000))
    control.update(
      .overusing, delivered: .kilobits(1_000), roundTrip: .milliseconds(50), isLimited: false, now: .milliseconds(1_000)
    )
    #expect(control.rate == .kilobits(850))
  }

  @Test("an application-limited rate doesn't grow; otherwise by 8 % a second")
  func increase() {
    for isLimited in [true, false] {
      var control = AimdRateControl(start: .kilobits(1_000), minimum: .kilobits(30), maximum: .kilobits(8_000))
      for tick in Int64(0)...20 {
        control.update(
          .normal, delivered: .kilobits(1_000), roundTrip: .milliseconds(50), isLimited: isLimited,
          now: .milliseconds(tick * 50))
      }
      let rate = control.rate.bitsPerSecond / 1_000
      #expect(isLimited ? rate == 1_000 : (1_060...1_090).contains(rate), "\(rate)")
    }
  }

  @Test("the path's own loss is learnt, and the excess brings the bound down")
  func inherentLoss() {
    var loss = LossBasedEstimator()
    for second in Int64(0)..<40 {
      loss.add(
        received: 95, lost: 5, target: .kilobits(1_000), usage: .normal, roundTrip: .milliseconds(50),
        now: .milliseconds(second * 1_000))
    }
    #expect(loss.inherentLoss > 0.04)
    #expect(loss.bound == nil || loss.bound.map { $0 >= .kilobits(1_000) } == true)
    for second in Int64(40)..<44 {
      loss.add(
        received: 70, lost: 30, target: .kilobits(1_000), usage: .normal, roundTrip: .milliseconds(50),
        now: .milliseconds(second * 1_000))
    }
    #expect(loss.bound.map { $0 < .kilobits(800) } == true)
  }
}
