import Basics
import Testing

@testable import RTC

@Suite struct LostFeedbackTests {
  /// Sends ten packets every 50 ms for ten seconds; `isLost` says which packets the path loses, and `isSilent` which
  /// reports. Gives the mean of the measured loss.
  private func meanLoss(isLost: (Int) -> Bool, isSilent: (Int) -> Bool) -> Double {
    var estimator = SendSideBandwidthEstimator()
    var sum = 0.0
    // A report is about all packets since the one before, up to the newest that arrived.
    var unreported = 0
    for round in 0..<200 {
      let now = Instant.milliseconds(Int64(round) * 50)
      for _ in 0..<10 { estimator.packetSent(size: 1_000, now: now) }
      defer { sum += estimator.lossShare }
      guard let newest = (unreported..<round * 10 + 10).last(where: { !isLost($0) }) else { continue }
      let base = unreported
      unreported = newest + 1
      let arrivals = (base...newest).map { index in
        isLost(index) ? .missing : TransportFeedbackTicks(ticks: Int64(index / 10) * 200 + 100)
      }
      var bytes = [UInt8](repeating: 0, count: 400)
      var writer = RTCPWriter()
      var span = bytes.mutableSpan
      _ = try? writer.append(
        transportFeedback: arrivals.span, base: SequenceNumber(rawValue: UInt16(base)),
        feedbackCount: UInt8(truncatingIfNeeded: round), sender: SSRC(rawValue: 1), media: SSRC(rawValue: 2),
        into: &span)
      var reader = RTCPReader()
      let report = Array(bytes[..<writer.length])
      while !isSilent(round), let message = try? reader.next(in: report.span) {
        guard case .transportFeedback(let feedback) = message else { continue }
        estimator.receive(feedback, in: report.span, now: now + .milliseconds(40))
      }
    }
    return sum / 200
  }

  @Test("packets whose report was lost do not count as lost")
  func reportsLost() {
    #expect(meanLoss(isLost: { _ in false }, isSilent: { $0 % 5 == 2 }) == 0)
  }

  @Test("packets that reports call lost count, with and without other reports")
  func packetsLost() {
    let all = meanLoss(isLost: { $0 % 5 == 2 }, isSilent: { _ in false })
    let some = meanLoss(isLost: { $0 % 5 == 2 }, isSilent: { $0 % 5 == 2 })
    #expect(abs(all - 0.2) < 0.03)
    #expect(abs(some - 0.2) < 0.03)
  }

  // Also when another follows five seconds later.
  @Test("a second without any packet is an outage and not a loss")
  func outages() {
    let outages = [200..<400, 1_400..<1_600]
    #expect(meanLoss(isLost: { index in outages.contains { $0.contains(index) } }, isSilent: { _ in false }) == 0)
  }

  /// As on a path of 20 kb/s over which a picture of ten times as much is sent: nothing counted as lost, and it went
  /// on.
  @Test("if one packet in half a second arrives, the others are lost, not an outage")
  func nextToNothing() {
    #expect(meanLoss(isLost: { $0 % 100 != 99 }, isSilent: { _ in false }) > 0.8)
  }
}
