import Basics
import RTC

/// Upgrade probes, which are padding for higher layers, and the probes of the estimator.
extension SubscriberBandwidth {
  /// A receiver whose number is `seed`: chance keeps those apart who share a path.
  mutating func seed(_ seed: Int) { upgradeProbe = UpgradeProbe(seed: UInt32(truncatingIfNeeded: seed)) }

  /// Whether higher layers are probed first.
  private var probesUpgrades: Bool { feedback == .transportWide && estimator.inherentLoss < Self.ownLoss }

  /// Whether a higher layer may be probed, or need not be.
  func mayProbeUpgrade(now: Instant) -> Bool { !probesUpgrades || upgradeProbe.mayTry(now: now) }

  /// Whether the path takes video of `total` in all. Probes it by padding where nothing has shown it; the caller
  /// asks again during the probe.
  mutating func probeUpgrade(to total: DataRate, now: Instant) -> Bool {
    guard probesUpgrades else {
      upgradeProbe.end()
      return true
    }
    let wanted = DataRate(bitsPerSecond: total.bitsPerSecond &+ audio.rate.bitsPerSecond)
    if upgradeProbe.rate == nil { judgesLoss = !estimator.losesTooMuch(now: now) }
    return upgradeProbe.outcome(of: wanted, reported: estimator.newestReported, now: now) == .passed
  }

  /// Nothing larger is to be forwarded now.
  mutating func endUpgradeProbe() { upgradeProbe.end() }

  /// Whether the upgrade probe sends too much: packets wait, or are lost as they were not before. Overuse without a
  /// queue doesn't count, since jitter looks like it.
  func isUpgradeProbeFailing(_ now: Instant) -> Bool {
    let longest = estimator.usage == .overusing ? Self.growingQueue : Self.longestProbeQueue
    return estimator.queueDelay > longest || (judgesLoss && estimator.losesTooMuch(now: now))
  }

  // MARK: Probes

  mutating func beginProbe(_ now: Instant) {
    if let probe, probe.isOver(now: now) { self.probe = nil }
    guard probe == nil else { return }
    if let rate = upgradeProbe.rate {
      probe = ProbeBurst(ProbeCluster(padding: rate, for: Self.upgradeProbeStep), now: now)
    } else if let padding = estimator.padding(for: Self.interval, now: now) {
      probe = ProbeBurst(padding, now: now)
    } else if !isSatisfied, let cluster = estimator.pollProbe() {
      probe = ProbeBurst(cluster, now: now)
    }
  }

  /// Whether padding of a probe is due.
  mutating func padsNow(_ now: Instant) -> Bool {
    beginProbe(now)
    guard let probe else { return false }
    return probe.deadline <= now
  }

  /// There is nothing to pad with.
  mutating func abandonProbe() { probe = nil }
}
