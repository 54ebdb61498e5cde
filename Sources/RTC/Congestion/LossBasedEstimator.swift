public import Basics

/// Bounds the rate by loss (after draft-ietf-rmcat-gcc-02 section 6), beside the delay-based part.
///
/// Unlike the draft it learns which share of packets the path loses whatever is sent, as radio links do, and acts on what comes on
/// top of it: above 10 % the bound falls, below 2 % it rises, between them it stays. That share is learnt only up to
/// ``maximumInherentLoss`` and only while the delay shows no overuse, so that a bottleneck with a short queue still brings
/// the rate down. A plain value.
public struct LossBasedEstimator: Sendable {
  /// More than this is never taken for the path's own loss.
  public static let maximumInherentLoss = 0.12
  private static let interval = TimeSpan.milliseconds(500)

  private var expected = 0
  private var lost = 0
  private var since: Instant?
  private var limit: Double?

  /// The share of packets lost in the last interval, 0 to 1.
  public private(set) var loss = 0.0
  /// The share that the path is believed to lose by itself.
  public private(set) var inherentLoss = 0.0
  /// Whether loss keeps the rate from rising.
  public private(set) var isHolding = false

  /// Nothing reported yet.
  public init() {}

  /// The bound; nil when loss is no reason for one.
  public var bound: DataRate? { limit.map { DataRate(bitsPerSecond: Int64(min(max($0, 0), 1e12))) } }

  /// Takes what feedback said: packets that count as arrived and as lost now. Negative numbers take back what was said before.
  /// - Parameters:
  ///   - target: the rate that was sent at.
  ///   - usage: what the delay says.
  public mutating func add(
    received: Int, lost newlyLost: Int, target: DataRate, usage: BandwidthUsage, roundTrip: TimeSpan, now: Instant
  ) {
    expected &+= received &+ newlyLost
    lost &+= newlyLost
    guard let start = since else {
      since = now
      return
    }
    let elapsed = now - start
    guard elapsed >= max(Self.interval, min(roundTrip, .seconds(1))), expected >= 20 || elapsed >= .seconds(2),
      expected > 0
    else { return }
    let share = min(max(Double(lost) / Double(expected), 0), 1)
    // What chance alone may add to the share in a sample of this size.
    let noise = (share * (1 - share) / Double(expected)).squareRoot()
    since = now
    expected = 0
    lost = 0
    judge(share, noise: noise, target: Double(target.bitsPerSecond), usage)
  }

  private mutating func judge(_ share: Double, noise: Double, target: Double, _ usage: BandwidthUsage) {
    loss = share
    let excess = share - inherentLoss - noise
    let weight = share < inherentLoss ? 0.3 : usage == .overusing ? 0 : 0.12
    inherentLoss = min(inherentLoss + weight * (share - inherentLoss), Self.maximumInherentLoss)
    if excess > 0.10 {
      isHolding = true
      limit = min(limit ?? target, target) * (1 - 0.5 * excess)
    } else if excess > 0.02 {
      isHolding = true
      limit = min(limit ?? target, target)
    } else {
      isHolding = false
      // Out of the way once it is well above what is sent.
      if let old = limit { limit = old * 1.05 > target * 1.5 ? nil : old * 1.05 }
    }
  }

  /// A probe has shown that the path takes more.
  public mutating func raise(to rate: DataRate) {
    guard let old = limit, !isHolding else { return }
    limit = max(old, Double(rate.bitsPerSecond))
  }
}
