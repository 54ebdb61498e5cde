/// A token bucket: so many tokens a second on average, so many at once. Full until it is first used; the time comes in.
///
/// ```swift
/// var bucket = TokenBucket(perSecond: 5, burst: 30)
/// guard bucket.consume(now: now) else { return .tooFast }
/// ```
package struct TokenBucket: Sendable {
  /// The most tokens that it holds.
  package let burst: Int
  private let perSecond: Double
  private var tokens: Double
  /// When it was last asked, or began; nil before.
  package private(set) var lastUse: Instant?

  /// A full bucket. One that is spent from before it is asked refills from `start` on.
  package init(perSecond: Int, burst: Int, from start: Instant? = nil) {
    self.perSecond = Double(perSecond)
    self.burst = burst
    tokens = Double(burst)
    lastUse = start
  }

  /// Whether it is as full as a new one.
  package func isFull(at now: Instant) -> Bool { level(at: now) >= Double(burst) }

  /// Takes `amount` tokens; false, and nothing is taken, when it has fewer.
  package mutating func consume(_ amount: Int = 1, now: Instant) -> Bool {
    guard holds(amount, now: now) else { return false }
    spend(amount)
    return true
  }

  /// Whether it has `amount` tokens besides the `reserve`, which may be negative: a debt that is allowed.
  package mutating func holds(_ amount: Int, besides reserve: Int = 0, now: Instant) -> Bool {
    tokens = level(at: now)
    lastUse = max(lastUse ?? now, now)
    return tokens - Double(amount) >= Double(reserve)
  }

  /// Takes `amount` tokens, whether it has them or not, down to `floor` at the most.
  package mutating func spend(_ amount: Int, notBelow floor: Int = .min) {
    tokens = max(tokens - Double(amount), Double(floor))
  }

  /// Gives one back that was taken.
  package mutating func giveBack() { tokens = min(Double(burst), tokens + 1) }

  private func level(at now: Instant) -> Double {
    guard let lastUse, now > lastUse else { return tokens }
    return min(Double(burst), tokens + (now - lastUse).seconds * perSecond)
  }
}
