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

  /// Takes one; false when the bucket is empty.
  mutating func take(now: Instant) -> Bool {
    tokens = min(burst, tokens + max(0, (now - last).seconds) * perSecond)
    last = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
