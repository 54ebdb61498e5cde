import Basics
import Messaging

/// The frames of an endpoint, at a rate below the one at which the service closes its socket.
struct FramePacing: Sendable {
  static let perSecond = MessagingLimits.framesPerSecond * 4 / 5
  static let burst = MessagingLimits.frameBurst * 3 / 4

  private var bucket = TokenBucket(perSecond: perSecond, burst: burst)
  private var waiting: [EndpointMessage] = []
  /// When the next frame may leave; nil while none waits.
  private(set) var deadline: Instant?

  /// Adds a frame. An acknowledgement takes the place of one that still waits at the end.
  mutating func enqueue(_ message: EndpointMessage) {
    if case .acknowledge = message, case .acknowledge = waiting.last { waiting.removeLast() }
    waiting.append(message)
  }

  /// The next frame that may leave now.
  mutating func next(now: Instant) -> EndpointMessage? {
    deadline = nil
    guard !waiting.isEmpty else { return nil }
    guard bucket.consume(now: now) else {
      deadline = now + TimeSpan.milliseconds(Int64(1_000 / Self.perSecond))
      return nil
    }
    return waiting.removeFirst()
  }

  /// The connection is gone, and the frames for it.
  mutating func removeAll() {
    waiting = []
    deadline = nil
  }
}
