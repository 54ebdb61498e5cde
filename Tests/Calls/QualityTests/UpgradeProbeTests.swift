import Basics
import Testing

@testable import SFU

@Suite("Probes for larger video")
struct UpgradeProbeTests {
  private func at(_ milliseconds: Int64) -> Instant { .milliseconds(milliseconds) }

  @Test("a probe passes once its whole duration has been reported on, and not before")
  func passes() {
    var probe = UpgradeProbe(seed: 1)
    #expect(probe.outcome(of: .kilobits(500), reported: at(900), now: at(1_000)) == .pending)
    #expect(probe.rate == .kilobits(550))
    #expect(probe.outcome(of: .kilobits(500), reported: at(1_600), now: at(1_900)) == .pending)
    #expect(probe.outcome(of: .kilobits(500), reported: at(1_700), now: at(2_000)) == .passed)
    #expect(probe.rate == nil)
  }

  @Test("without reports it fails, and the next one waits longer each time, up to 20 s")
  func waits() {
    var probe = UpgradeProbe(seed: 1)
    var now: Int64 = 1_000
    var pauses: [Int64] = []
    for _ in 0..<5 {
      #expect(probe.outcome(of: .kilobits(500), reported: nil, now: at(now)) == .pending)
      now += 3_000
      #expect(probe.outcome(of: .kilobits(500), reported: nil, now: at(now)) == .failed)
      let failed = now
      while !probe.mayTry(now: at(now)) { now += 10 }
      pauses.append(now - failed)
    }
    for (pause, seconds) in zip(pauses, [3, 6, 12, 16, 16]) {
      #expect((Int64(seconds) * 750...Int64(seconds) * 1_250 + 10).contains(pause), "\(pauses)")
    }
  }

  @Test("two receivers that fail together do not try again together")
  func apart() {
    func next(_ seed: UInt32) -> Int64 {
      var probe = UpgradeProbe(seed: seed)
      _ = probe.outcome(of: .kilobits(500), reported: nil, now: at(0))
      probe.fail(now: at(500))
      return (0...10_000).first { probe.mayTry(now: at($0)) && $0 > 500 } ?? 0
    }
    let all = Set((0..<8).map { next(UInt32($0)) })
    #expect(all.count == 8)
  }
}
