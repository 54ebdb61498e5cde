package import Basics

/// Turns any number of requests for a keyframe of one stream into few. A request that comes too early is deferred,
/// unless a keyframe answers it before. So a storm of requests, or one of every receiver, costs few keyframes, and none
/// is lost.
///
/// A sender puts it between PLIs and its encoder, and a receiver between its decoder and the PLIs that it sends. The
/// SFU puts it between its receivers and a publisher. Receivers that can show nothing at all before a keyframe ask
/// *urgently*. That waits only the urgent interval after the last request, the next one twice as long, and so on up to
/// the interval. So one new receiver sees a frame at once, and fifty in a second cost four keyframes.
package struct KeyframeThrottle: Sendable {
  private let interval: TimeSpan
  private let urgentInterval: TimeSpan
  private let repeatsUrgently: Bool
  private var last: Instant?
  /// Whether a keyframe is wanted that has not come yet.
  package private(set) var isPending = false
  private var isUrgent = false
  /// Requests that followed each other closely.
  private var row = 0

  /// A throttle that lets one request through each `interval`, and urgent ones sooner.
  ///
  /// - Parameters:
  ///   - interval: The time between two requests.
  ///   - urgentInterval: The shortest time between two urgent requests.
  ///   - repeatsUrgently: Whether an urgent request that no keyframe answers is repeated as one; otherwise it is
  ///     repeated after `interval`.
  package init(
    interval: TimeSpan = .milliseconds(500), urgentInterval: TimeSpan = .milliseconds(100),
    repeatsUrgently: Bool = false
  ) {
    self.interval = interval
    self.urgentInterval = min(urgentInterval, interval)
    self.repeatsUrgently = repeatsUrgently
  }

  /// Asks for a keyframe.
  package mutating func request(urgent: Bool = false) {
    isPending = true
    if urgent { isUrgent = true }
  }

  /// A keyframe came: what was asked for before has been answered.
  package mutating func keyframeArrived() { withdraw() }

  /// Nobody needs a keyframe any more.
  package mutating func withdraw() { (isPending, isUrgent) = (false, false) }

  /// When ``take(now:)`` will next say yes; `distantFuture` while nothing is asked for.
  package var deadline: Instant {
    guard isPending else { return .distantFuture }
    guard let last else { return .zero }
    return last + (isUrgent ? min(urgentInterval * (1 << Int64(min(row, 8))), interval) : interval)
  }

  /// Whether a request is to be sent now. It then counts as sent, and is sent again after an interval unless a keyframe
  /// arrives.
  package mutating func take(now: Instant) -> Bool {
    guard isPending, deadline <= now else { return false }
    if let last, now - last < interval * 2 { row += 1 } else { row = 0 }
    if !repeatsUrgently { isUrgent = false }
    last = now
    return true
  }
}
