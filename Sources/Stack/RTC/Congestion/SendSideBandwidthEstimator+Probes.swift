internal import Basics

/// The estimate after a probe.
extension SendSideBandwidthEstimator {
  mutating func take(probe measured: DataRate, _ now: Instant) {
    // A burst is so short that one packet more or less at its ends is a hundredth.
    let certain = comesInSteps ? DataRate(bitsPerSecond: measured.bitsPerSecond * 49 / 50) : measured
    guard var rate = offered(certain) else { return }
    // All of the probe has arrived, so it shows no more than its target rate. With much loss nobody knows how much of
    // it was this probe's.
    if comesInSteps, !probeEstimator.isSaturated, loss.inherentLoss < Self.smallLoss {
      rate = min(rate, DataRate(bitsPerSecond: Int64(min(probeEstimator.asked * 0.98, 1e12))))
    }
    probes.measured(rate, now: now)
    lastProbe = (rate, now)
    if probeEstimator.cluster != measuring.id {
      measuring = Measuring(id: probeEstimator.cluster, before: aimd.rate, limit: pathLimit)
    }
    let raised = smoothed(probe: rate, now)
    // A probe that makes packets wait doesn't justify a higher rate. It justifies a lower one best: the queue that it
    // fills shows the limit.
    guard trendline.usage != .overusing, raised > aimd.rate else {
      if comesInSteps, probeEstimator.isSaturated, measuring.raised == aimd.rate, raised < aimd.rate {
        // The whole of the probe didn't confirm the rate that its beginning promised.
        let kept = max(raised, measuring.before)
        measuring.raised = kept
        aimd.set(kept, now: now)
      } else {
        lower(to: rate, now)
      }
      return
    }
    saturated = nil
    measuring.raised = raised
    aimd.set(raised, now: now)
    loss.raise(to: raised)
    delivered.expectChange()
  }

  /// The rate to assume after a probe. Jitter makes a single probe wrong by a sixth, so it counts half if the one
  /// before met a similar limit.
  private mutating func smoothed(probe rate: DataRate, _ now: Instant) -> DataRate {
    guard comesInSteps else { return rate }
    defer { if probeEstimator.isSaturated, !probeEstimator.isBrief { pathLimit = (rate, now) } }
    guard let before = measuring.limit, now - before.at < .seconds(15),
      Double(rate.bitsPerSecond) < 1.5 * Double(before.rate.bitsPerSecond)
    else { return rate }
    return DataRate(bitsPerSecond: (rate.bitsPerSecond &+ before.rate.bitsPerSecond) / 2)
  }

  /// A probe found a rate below the estimate, which nothing else can find while little is sent. Jitter makes a single
  /// probe look slow, so the better of two in a row counts, and never less than the arrival rate.
  private mutating func lower(to rate: DataRate, _ now: Instant) {
    guard comesInSteps, probeEstimator.isSaturated, Double(rate.bitsPerSecond) < 0.97 * Double(aimd.rate.bitsPerSecond)
    else {
      saturated = nil
      return
    }
    let isFirst = lastBound == nil
    guard isFirst || saturated.map({ now - $0.at < .seconds(15) }) == true else {
      if !probeEstimator.isBrief { saturated = (rate, now) }
      return
    }
    let floor = offered(delivered.rate) ?? rate
    let bound = max(max(rate, saturated?.rate ?? rate), floor)
    if !probeEstimator.isBrief {
      saturated = (rate, now)
      lastBound = now
    }
    if bound < aimd.rate { aimd.set(bound, now: now) }
  }
}
