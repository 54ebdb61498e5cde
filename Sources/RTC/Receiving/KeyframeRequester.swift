import Basics

/// Asks for a keyframe of one stream until one comes, at most once an interval.
struct KeyframeRequester: Sendable {
  let interval: TimeSpan
  private var last: Instant?
  /// Whether a keyframe is wanted that has not come yet.
  private(set) var isPending = false

  init(interval: TimeSpan) { self.interval = interval }

  mutating func request() { isPending = true }

  /// A keyframe began, or nobody waits for one any more.
  mutating func settle() { isPending = false }

  /// When to ask next; `distantFuture` while none is wanted.
  var deadline: Instant {
    guard isPending else { return .distantFuture }
    guard let last else { return .zero }
    return last + interval
  }

  /// Whether to ask now; it then counts as asked.
  mutating func take(now: Instant) -> Bool {
    guard isPending, deadline <= now else { return false }
    last = now
    return true
  }
}
