import Basics
import TestSeeds
import Testing

@testable import RTC

@Suite("Threat 15: hostile transport-wide feedback", .tellsSeeds)
struct HostileFeedbackTests {
  private func sent(_ count: Int, first: UInt16 = 0) -> SendSideBandwidthEstimator {
    var estimator = SendSideBandwidthEstimator(firstSequence: first)
    for index in 0..<count { estimator.packetSent(size: 1_200, now: .milliseconds(Int64(index) * 4)) }
    return estimator
  }

  private func report(_ ticks: [Int64?], base: UInt16, count: UInt8 = 0) -> [UInt8] {
    let arrivals = ticks.map { $0.map { TransportFeedbackTicks(ticks: $0) } ?? .missing }
    var buffer = [UInt8](repeating: 0, count: 1_400)
    var writer = RTCPWriter()
    var span = buffer.mutableSpan
    _ = try? writer.append(
      transportFeedback: arrivals.span, base: SequenceNumber(rawValue: base), feedbackCount: count,
      sender: SSRC(rawValue: 1), media: SSRC(rawValue: 2), into: &span)
    return Array(buffer[..<writer.length])
  }

  private func feed(_ estimator: inout SendSideBandwidthEstimator, _ bytes: [UInt8], now: Instant) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: bytes.span) {
      if case .transportFeedback(let feedback) = message { estimator.receive(feedback, in: bytes.span, now: now) }
    }
  }

  private func isSane(_ estimator: SendSideBandwidthEstimator) -> Bool {
    let bounds = estimator.configuration
    return estimator.target >= bounds.minimum && estimator.target <= bounds.maximum
      && (0...1).contains(estimator.lossShare) && estimator.bytesInFlight >= 0
      && (estimator.roundTrip ?? .zero) >= .zero
  }

  @Test("20,000 damaged reports never trap or move the target out of its bounds")
  func mutations() {
    var random = SeededRandom(seed: TestSeed.of(41))
    var estimator = sent(0, first: 65_000)
    var base: UInt16 = 65_000
    for round in Int64(0)..<20_000 {
      let now = Instant.milliseconds(round * 20)
      for _ in 0..<random.below(8) {
        estimator.packetSent(size: random.below(70_000), cluster: UInt8(random.below(256)), now: now)
      }
      var ticks: [Int64?] = []
      for _ in 0..<(1 + random.below(30)) {
        ticks.append(random.chance(0.2) ? nil : round * 80 + Int64(random.below(random.chance(0.1) ? 60_000 : 300)))
      }
      var bytes = report(ticks, base: base, count: UInt8(truncatingIfNeeded: round))
      if random.chance(0.5) { bytes = random.mutate(bytes) }
      feed(&estimator, bytes, now: now)
      if estimator.deadline <= now { estimator.handleTimeout(now: now) }
      _ = estimator.pollProbe()
      if random.chance(0.1) { estimator.startProbing(now: now) }
      base =
        random.chance(0.05) ? UInt16(random.below(65_536)) : estimator.nextSequence.rawValue &- UInt16(random.below(40))
      if !isSane(estimator) {
        Issue.record("round \(round): \(estimator.target), loss \(estimator.lossShare)")
        return
      }
    }
  }

  @Test("reports on packets that were never sent, and repeated ones, don't count")
  func unknownAndRepeated() {
    var estimator = sent(100)
    let honest = report((0..<50).map { (index: Int64) -> Int64? in index * 16 }, base: 0)
    feed(&estimator, honest, now: .milliseconds(450))
    let target = estimator.target
    for round in Int64(0)..<1_000 {
      feed(&estimator, honest, now: .milliseconds(460 + round))
      feed(
        &estimator, report((0..<400).map { (index: Int64) -> Int64? in index }, base: 30_000),
        now: .milliseconds(460 + round))
    }
    #expect(estimator.target == target)
    #expect(estimator.ignoredFeedback >= 450_000)
    #expect(estimator.bytesInFlight == 50 * 1_200)
  }

  // It counts the sent packets.
  @Test("a report of 65,535 lost packets costs one walk of the history")
  func hugeLoss() {
    var estimator = sent(5_000)
    // A run of lost packets, then one that arrived: the loss before it is all that the history still holds.
    feed(&estimator, report([Int64?](repeating: nil, count: 1_023) + [0], base: 3_976), now: .seconds(21))
    #expect(estimator.bytesInFlight == 0)
    #expect(isSane(estimator))
  }

  @Test("reference times that jump over the whole range leave the estimate alone")
  func clockJumps() {
    var estimator = sent(2_000)
    let starts: [Int64] = [0, 1 << 31, 5, (1 << 32) - 9, 1 << 20]
    for (round, start) in starts.enumerated() {
      let base = UInt16(round * 300)
      feed(
        &estimator, report((0..<300).map { (index: Int64) -> Int64? in start + index * 16 }, base: base),
        now: .milliseconds(Int64(round) * 1_200 + 8_100))
      #expect(isSane(estimator))
    }
  }

  @Test("a packet takes 16 bytes of history, an estimator less than 2 kB besides")
  func memory() {
    #expect(SentPacketHistory.bytesPerPacket == 16)
    #expect(MemoryLayout<SendSideBandwidthEstimator>.size < 2_048)
  }
}

extension Instant {
  fileprivate static func seconds(_ seconds: Int64) -> Instant { .milliseconds(seconds * 1_000) }
}
