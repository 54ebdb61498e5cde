public import Basics

/// Lets through at most one keyframe request per interval for one source stream, and keeps one that came too early for
/// later, so that a storm of requests (or one from every receiver) costs the publisher one keyframe and no
/// request is lost.
///
/// Who can show nothing at all before a keyframe (a new receiver, or one that changes its layer) may ask *urgently*: that waits only
/// a tenth of a second after the last request, the next one twice as long, and so on up to the interval. So one newcomer sees a
/// picture at once, and fifty in a second cost four keyframes.
public struct KeyframeThrottle: Sendable {
  private let interval: TimeSpan
  private let urgentInterval: TimeSpan
  private var last: Instant?
  private var pending = false
  private var isUrgent = false
  /// Requests that followed each other closely.
  private var row = 0

  /// A throttle that lets one request through each `interval`, and urgent ones sooner, from `urgentInterval` on.
  public init(interval: TimeSpan = .milliseconds(500), urgentInterval: TimeSpan = .milliseconds(100)) {
    self.interval = interval
    self.urgentInterval = min(urgentInterval, interval)
  }

  /// Asks for a keyframe.
  public mutating func request(urgent: Bool = false) {
    pending = true
    if urgent { isUrgent = true }
  }

  /// A keyframe came: what was asked for before has been answered.
  public mutating func keyframeArrived() { withdraw() }

  /// Nobody needs what was asked for.
  public mutating func withdraw() {
    pending = false
    isUrgent = false
  }

  /// When ``take(now:)`` will next say yes; `distantFuture` while nothing is asked for.
  public var deadline: Instant {
    guard pending else { return .distantFuture }
    guard let last else { return .zero }
    return last + (isUrgent ? min(urgentInterval * (1 << Int64(min(row, 8))), interval) : interval)
  }

  /// Whether a request is to be sent now; it then counts as sent, and is asked for again after an interval unless a
  /// keyframe arrives.
  public mutating func take(now: Instant) -> Bool {
    guard pending, deadline <= now else { return false }
    if let last, now - last < interval * 2 { row += 1 } else { row = 0 }
    isUrgent = false
    last = now
    return true
  }
}
