public import Basics

/// Detects an application-limited region: the application sends clearly less than it may, so its packets don't test the
/// path. A plain value.
///
/// A budget grows at a share of the target and shrinks by what is sent: nearly full for half a second means limited.
public struct ApplicationLimit: Sendable {
  private static let window = 0.5

  /// Sending less than this share of the target counts as limited.
  private let share: Double

  /// Bits in hand, at most half a second's worth.
  private var budget = 0.0
  private var updated: Instant?

  /// Since when the application is limited; nil when it is not.
  public private(set) var since: Instant?
  /// When it last ceased to be.
  public private(set) var ended: Instant?

  public init(share: Double = 0.65) { self.share = share }

  /// Takes note of `bytes` that left.
  public mutating func sent(bytes: Int, target: DataRate, now: Instant) {
    advance(target, now)
    let full = Double(target.bitsPerSecond) * share * Self.window
    budget = max(budget - Double(bytes) * 8, -full)
    if since != nil, budget < 0.5 * full {
      since = nil
      ended = now
    }
  }

  /// Grows the budget by the time since the last call.
  public mutating func advance(_ target: DataRate, _ now: Instant) {
    let full = Double(target.bitsPerSecond) * share * Self.window
    let elapsed = min(max((now - (updated ?? now)).seconds, 0), 2)
    updated = now
    budget = min(budget + elapsed * Double(target.bitsPerSecond) * share, full)
    if since == nil, full > 0, budget > 0.8 * full { since = now }
  }
}
