public import Basics

/// Bounds the rate by loss (after draft-ietf-rmcat-gcc-02 section 6), next to the delay-based part.
///
/// Unlike the draft it learns the path's *inherent* loss, which doesn't depend on the rate, as on radio links. It acts
/// on the excess: above 10 % the bound falls, below 2 % it rises, in between it stays. Inherent loss is learnt only up
/// to ``maximumInherentLoss`` and only while the delay shows no overuse, so that a bottleneck with a short queue still
/// brings the rate down.
///
/// Beyond that a *trial* decides. The rate is lowered once. If as much is lost as before, although a bottleneck would
/// lose less, the loss is inherent too (up to ``maximumProvenLoss``) and the rate comes back. If the rate can't be
/// lowered, as with a single layer that is sent whole or not at all, padding is added instead: a bottleneck would lose
/// more. A plain value.
public struct LossBasedEstimator: Sendable {
  /// More than this is not taken for the path's own loss without a trial.
  public static let maximumInherentLoss = 0.12
  /// More than this is never taken for the path's own loss.
  public static let maximumProvenLoss = 0.35
  private static let interval = TimeSpan.milliseconds(500)
  /// The factor by which a trial lowers the rate.
  private static let trialFactor = 0.8
  /// To what multiple of the rate padding fills up.
  private static let paddedFactor = 1.35
  /// So long at most a trial is reason to wait with everything else: where next to nothing is reported on, it would not
  /// end.
  private static let trialTime = TimeSpan.seconds(3)
  /// Excess loss above this isn't chance.
  private static let excessLoss = 0.05

  /// Whether less loss comes with a lower rate, or more with a higher one.
  private struct Trial {
    /// State before the trial: sent, lost and target.
    var rate: Double
    var loss: Double
    var target: Double
    /// Whether more is sent than before, rather than less.
    var isPadded = false
    var began: Instant
    /// Packets that were under way before the trial don't count.
    var skipped = 0
    var intervals = 0
    var packets = 0.0
    var lost = 0.0
    var bits = 0.0
    var seconds = 0.0
  }

  private var expected = 0
  private var lost = 0
  private var since: Instant?
  private var limit: Double?
  private var ceiling = Self.maximumInherentLoss
  private var trial: Trial?
  private var nextTrial = Instant.zero
  /// The share of losses, smoothed.
  private var average = 0.0
  private var restored: Double?
  private var samples = 0

  /// The share of packets lost in the last interval, 0 to 1.
  public private(set) var loss = 0.0
  /// The share that the path is believed to lose by itself.
  public private(set) var inherentLoss = 0.0
  /// Whether loss keeps the rate from rising.
  public private(set) var isHolding = false

  /// Whether padding can be sent on top, for trials; see ``paddedRate(now:)``.
  private let pads: Bool
  /// The deviation of ``average`` that chance alone may cause.
  private var averageNoise = 0.0

  /// Nothing reported yet.
  /// - Parameter pads: whether padding fills up to ``paddedRate(now:)`` while there is one.
  public init(pads: Bool = false) { self.pads = pads }

  /// The rate that padding is to fill up to for a trial; nil for none.
  public func paddedRate(now: Instant) -> DataRate? {
    guard let trial, trial.isPadded, now - trial.began < Self.trialTime * 2 else { return nil }
    return DataRate(bitsPerSecond: Int64(min(trial.rate * Self.paddedFactor, 1e12)))
  }

  /// Whether more is lost than the path loses by itself, as far as is known and beyond what chance explains. A trial is
  /// waited for.
  public func isExcessive(now: Instant) -> Bool {
    if let trial, now - trial.began < Self.trialTime { return false }
    return average > inherentLoss + Self.excessLoss + averageNoise
  }

  /// nil while loss gives no reason for a bound.
  public var bound: DataRate? { limit.map { DataRate(bitsPerSecond: Int64(min(max($0, 0), 1e12))) } }

  /// The rate that a trial took back for no reason; nil when there is none, and after it was taken.
  public mutating func takeRestored() -> DataRate? {
    defer { restored = nil }
    return restored.map { DataRate(bitsPerSecond: Int64(min(max($0, 0), 1e12))) }
  }

  /// Takes what feedback said: packets that count as arrived and as lost now. Negative numbers take back what was said
  /// before.
  /// - Parameters:
  ///   - sentBits: what was sent since the last report, in bits; without it there are no trials.
  ///   - target: the rate that may be sent at.
  ///   - usage: what the delay says.
  public mutating func add(
    received: Int, lost newlyLost: Int, sentBits: Double = 0, target: DataRate, usage: BandwidthUsage,
    roundTrip: TimeSpan,
    now: Instant
  ) {
    expected &+= received &+ newlyLost
    lost &+= newlyLost
    bits += sentBits
    guard let start = since else {
      since = now
      return
    }
    let elapsed = now - start
    guard elapsed >= max(Self.interval, min(roundTrip, .seconds(1))), expected >= 20 || elapsed >= .seconds(2),
      expected > 0
    else { return }
    let share = min(max(Double(lost) / Double(expected), 0), 1)
    // The deviation of the share that chance alone may cause in a sample of this size.
    let noise = (share * (1 - share) / Double(expected)).squareRoot()
    let sample = Sample(
      share: share, noise: noise, packets: Double(expected), bits: bits, seconds: elapsed.seconds,
      target: Double(target.bitsPerSecond), usage: usage, now: now)
    since = now
    expected = 0
    lost = 0
    bits = 0
    judge(sample)
  }

  private var bits = 0.0

  private struct Sample {
    var share: Double
    var noise: Double
    var packets: Double
    var bits: Double
    var seconds: Double
    var target: Double
    var usage: BandwidthUsage
    var now: Instant
  }

  private mutating func judge(_ sample: Sample) {
    let share = sample.share
    loss = share
    let excess = share - inherentLoss - sample.noise
    samples = min(samples + 1, 10)
    // The first samples are as good as any.
    let rise = max(0.12, 0.5 / Double(samples))
    let weight = share < inherentLoss ? 0.3 : sample.usage == .overusing ? 0 : rise
    if share < inherentLoss || inherentLoss < ceiling {
      inherentLoss = min(inherentLoss + weight * (share - inherentLoss), ceiling)
    }
    average += 0.5 * (share - average)
    averageNoise += 0.5 * (sample.noise - averageNoise)
    if trial != nil {
      continueTrial(sample)
      return
    }
    if excess > 0.10 {
      isHolding = true
      if beginTrial(sample) { return }
      limit = min(limit ?? sample.target, sample.target) * (1 - 0.5 * excess)
    } else if excess > 0.02 {
      isHolding = true
      if inherentLoss >= 0.95 * ceiling, average > ceiling + 0.02, beginTrial(sample) { return }
      limit = min(limit ?? sample.target, sample.target)
    } else {
      isHolding = false
      if inherentLoss < 0.08 { ceiling = Self.maximumInherentLoss }
      // Out of the way once it is well above what is sent.
      if let old = limit { limit = old * 1.05 > sample.target * 1.5 ? nil : old * 1.05 }
    }
  }

  /// Takes the rate back to see what comes of it; false when the loss is too high to wait, or the last trial was a
  /// moment ago.
  private mutating func beginTrial(_ sample: Sample) -> Bool {
    guard sample.usage != .overusing, sample.share < 0.45, average < 0.40, sample.packets >= 20, sample.now >= nextTrial
    else { return false }
    let rate = sample.bits / max(sample.seconds, 0.1)
    guard rate > 0 else { return false }
    trial = Trial(rate: rate, loss: max(average, sample.share * 0.75), target: sample.target, began: sample.now)
    limit = min(limit ?? sample.target, sample.target, rate) * Self.trialFactor
    return true
  }

  private mutating func continueTrial(_ sample: Sample) {
    guard var trial else { return }
    isHolding = true
    if sample.usage == .overusing || sample.share > 0.6 {
      // There is a queue that fills: it is congestion.
      self.trial = nil
      nextTrial = sample.now + .seconds(10)
      return
    }
    guard trial.skipped >= 1 else {
      trial.skipped += 1
      self.trial = trial
      return
    }
    trial.intervals += 1
    trial.packets += sample.packets
    trial.lost += sample.share * sample.packets
    trial.bits += sample.bits
    trial.seconds += sample.seconds
    self.trial = trial
    guard trial.intervals >= 2, trial.packets >= (trial.isPadded ? 150 : 60) || trial.intervals >= 6 else { return }
    self.trial = nil
    let share = trial.lost / max(trial.packets, 1)
    let rate = trial.bits / max(trial.seconds, 0.1)
    let factor = rate / trial.rate
    if pads, !trial.isPadded, factor >= 0.95 {
      self.trial = Trial(rate: rate, loss: share, target: trial.target, isPadded: true, began: sample.now)
      limit = trial.target
      return
    }
    // The loss at the other rate if a full bottleneck caused the loss before.
    let congested = max(0, 1 - (1 - trial.loss) / max(factor, 0.01))
    let isTold = trial.isPadded ? factor > 1.1 : factor < 0.95
    let isOwn = trial.isPadded ? share <= (trial.loss + congested) / 2 : share >= (trial.loss + congested) / 2
    guard isTold, isOwn else {
      nextTrial = sample.now + .seconds(isTold ? 10 : 2)
      if isTold, trial.isPadded {
        // It is not the path's own, and what arrived is what the path takes.
        inherentLoss = 0
        limit = min(trial.target, trial.rate * (1 - trial.loss))
      }
      return
    }
    average = (share + trial.loss) / 2
    ceiling = min(average * 1.15 + 0.02, Self.maximumProvenLoss)
    inherentLoss = min(average, ceiling)
    limit = nil
    restored = trial.target
    isHolding = false
    nextTrial = sample.now + .seconds(5)
  }

  /// A probe has shown that the path takes more.
  public mutating func raise(to rate: DataRate) {
    guard let old = limit, !isHolding else { return }
    limit = max(old, Double(rate.bitsPerSecond))
  }
}
