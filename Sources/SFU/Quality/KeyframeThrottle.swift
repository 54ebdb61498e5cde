public import Basics

/// Lets through at most one keyframe request per interval for one source stream, and keeps one that came too early for
/// later, so that a storm of requests (or one from every receiver) costs the publisher one keyframe and no
/// request is lost.
public struct KeyframeThrottle: Sendable {
  private let interval: TimeSpan
  private var last: Instant?
  private var pending = false

  /// A throttle that lets one request through each `interval`.
  public init(interval: TimeSpan = .milliseconds(500)) { self.interval = interval }

  /// Asks for a keyframe.
  public mutating func request() { pending = true }

  /// A keyframe came: what was asked for before has been answered.
  public mutating func keyframeArrived() { pending = false }

  /// When ``take(now:)`` will next say yes; `distantFuture` while nothing is asked for.
  public var deadline: Instant {
    guard pending else { return .distantFuture }
    guard let last else { return .zero }
    return last + interval
  }

  /// Whether a request is to be sent now; it then counts as sent, and is asked for again after an interval unless a
  /// keyframe arrives.
  public mutating func take(now: Instant) -> Bool {
    guard pending, deadline <= now else { return false }
    last = now
    return true
  }
}
