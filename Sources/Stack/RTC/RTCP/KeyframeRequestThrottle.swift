import Basics

/// Turns any number of requests for a keyframe of one stream into few. A request that comes too early is deferred,
/// unless a keyframe answers it before. So a storm of requests costs few keyframes, and none is lost.
///
/// A sender puts it between PLIs and its encoder, a receiver between its decoder and the PLIs that it sends.
struct KeyframeRequestThrottle: Sendable {
  /// The longest time between two requests.
  let interval: TimeSpan
  /// The shortest: after a calm time somebody new is served this soon, and each further request waits twice as long as
  /// the one before.
  let shortest: TimeSpan
  private var wait: TimeSpan
  private var last: Instant?
  /// Whether a keyframe is wanted that has not come yet.
  private(set) var isPending = false

  init(interval: TimeSpan, shortest: TimeSpan? = nil) {
    self.interval = interval
    self.shortest = min(shortest ?? interval, interval)
    wait = self.shortest
  }

  /// Somebody wants a keyframe.
  mutating func request() { isPending = true }

  /// A keyframe came or went out, or nobody needs one any more: what was wanted before is settled.
  mutating func settle() { isPending = false }

  /// When ``take(now:)`` will say yes; `distantFuture` while nothing is wanted.
  var deadline: Instant {
    guard isPending else { return .distantFuture }
    guard let last else { return .zero }
    return last + wait
  }

  /// Whether to ask now; it then counts as asked, and is repeated after a while unless it is settled.
  mutating func take(now: Instant) -> Bool {
    guard isPending, deadline <= now else { return false }
    if let last {
      let isCalm = now - last > interval + interval
      wait = isCalm ? shortest : min(wait + wait, interval)
    }
    last = now
    return true
  }
}
