import Basics

/// Turns any number of wishes for a keyframe of one stream into at most one request an interval. A wish that comes too early is kept for
/// later, unless a keyframe answers it meanwhile, so that a storm of wishes costs one keyframe and none is lost.
///
/// A sender puts it between picture loss indications and its encoder, a receiver between its decoder and the indications it sends.
struct KeyframeRequestThrottle: Sendable {
  let interval: TimeSpan
  private var last: Instant?
  /// Whether a keyframe is wanted that has not come yet.
  private(set) var isPending = false

  init(interval: TimeSpan) { self.interval = interval }

  /// Somebody wants a keyframe.
  mutating func request() { isPending = true }

  /// A keyframe came or went out, or nobody needs one any more: what was wanted before is settled.
  mutating func settle() { isPending = false }

  /// When ``take(now:)`` will say yes; `distantFuture` while nothing is wanted.
  var deadline: Instant {
    guard isPending else { return .distantFuture }
    guard let last else { return .zero }
    return last + interval
  }

  /// Whether to ask now; it then counts as asked, and is repeated after an interval unless it is settled.
  mutating func take(now: Instant) -> Bool {
    guard isPending, deadline <= now else { return false }
    last = now
    return true
  }
}
