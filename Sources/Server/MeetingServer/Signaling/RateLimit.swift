import Basics

/// A token bucket: so many messages a second on average, so many at once.
struct RateLimit: Sendable {
  private let perSecond: Double
  private let burst: Double
  private var tokens: Double
  /// When it was last asked of.
  private(set) var last: Instant

  /// A full bucket at `now`.
  init(perSecond: Int, burst: Int, now: Instant) {
    self.perSecond = Double(perSecond)
    self.burst = Double(burst)
    tokens = Double(burst)
    last = now
  }

  /// Whether it is as full as it was at first.
  func isFull(now: Instant) -> Bool { tokens + max(0, (now - last).seconds) * perSecond >= burst }

  /// Whether it has `amount` and would keep `floor` besides, at `now`.
  mutating func has(_ amount: Int, leaving floor: Int, now: Instant) -> Bool {
    refill(now)
    return tokens - Double(amount) >= Double(floor)
  }

  /// Takes `amount`, whether it is there or not; never more than brings it to `bottom`.
  mutating func spend(_ amount: Int, notBelow bottom: Int? = nil) {
    tokens -= Double(amount)
    if let bottom { tokens = max(tokens, Double(bottom)) }
  }

  /// A quarter of what it holds.
  var quarter: Int { Int(burst / 4) }

  private mutating func refill(_ now: Instant) {
    tokens = min(burst, tokens + max(0, (now - last).seconds) * perSecond)
    last = max(last, now)
  }

  /// Takes one; false when the bucket is empty.
  mutating func take(now: Instant) -> Bool {
    refill(now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
