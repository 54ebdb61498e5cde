import Basics

/// Turns picture loss indications and full intra requests for one stream into at most one keyframe request per interval. A request that
/// comes too early is kept, unless a keyframe is sent meanwhile, so that a storm of requests costs one keyframe and none is lost.
struct KeyframeGate: Sendable {
  let interval: TimeSpan
  private var last: Instant?
  private var isPending = false

  init(interval: TimeSpan) { self.interval = interval }

  /// Somebody asks for a keyframe.
  mutating func request() { isPending = true }

  /// A keyframe was packetized: it answers what was asked for before.
  mutating func keyframeSent() { isPending = false }

  /// Nobody needs a keyframe any more.
  mutating func withdraw() { isPending = false }

  /// When ``take(now:)`` will say yes; `distantFuture` while nothing is asked for.
  var deadline: Instant {
    guard isPending else { return .distantFuture }
    guard let last else { return .zero }
    return last + interval
  }

  /// Whether the encoder is to be asked now. The request is repeated after an interval unless a keyframe is sent.
  mutating func take(now: Instant) -> Bool {
    guard isPending, deadline <= now else { return false }
    last = now
    return true
  }
}
