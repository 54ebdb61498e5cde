import Basics
import Messaging

/// The frames of an endpoint, at a rate below the one at which the service closes its socket, and their bytes below
/// those that it takes from an identity.
struct FramePacing: Sendable {
  static let perSecond = MessagingLimits.framesPerSecond * 4 / 5
  static let burst = MessagingLimits.frameBurst * 3 / 4
  static let bytesPerSecond = MessagingLimits.senderBytesPerSecond * 4 / 5
  static let bytesBurst = MessagingLimits.senderBytesBurst * 3 / 4
  /// How soon a frame is tried again whose bytes are too many.
  private static let bytesPause = TimeSpan.milliseconds(100)

  private struct Frame {
    var message: EndpointMessage
    /// The bytes that the service charges for it.
    var bytes: Int

    init(_ message: EndpointMessage) {
      self.message = message
      switch message {
      case .request:
        let size = (try? MessagingCoder().encode(message))?.utf8.count ?? 0
        // A frame above the burst would wait for ever; the service refuses it.
        bytes = min(size + MessagingLimits.requestOverhead, FramePacing.bytesBurst)
      case .hello, .resume, .acknowledge, .ping: bytes = 0
      }
    }
  }

  private var frames = TokenBucket(perSecond: perSecond, burst: burst)
  private var bytes = TokenBucket(perSecond: bytesPerSecond, burst: bytesBurst)
  private var waiting: [Frame] = []
  /// The frames at the start of ``waiting`` that have left.
  private var sent = 0
  /// When the next frame may leave; nil while none waits.
  private(set) var deadline: Instant?

  /// Adds a frame. An acknowledgement takes the place of one that still waits at the end.
  mutating func enqueue(_ message: EndpointMessage) {
    if case .acknowledge = message, sent < waiting.count, case .acknowledge = waiting.last?.message {
      waiting.removeLast()
    }
    waiting.append(Frame(message))
  }

  /// The next frame that may leave now.
  mutating func next(now: Instant) -> EndpointMessage? {
    deadline = nil
    guard sent < waiting.count else { return nil }
    let frame = waiting[sent]
    guard bytes.holds(frame.bytes, now: now) else {
      deadline = now + Self.bytesPause
      return nil
    }
    guard frames.consume(now: now) else {
      deadline = now + TimeSpan.milliseconds(Int64(1_000 / Self.perSecond))
      return nil
    }
    bytes.spend(frame.bytes)
    sent += 1
    // Seldom enough that moving the rest costs nothing.
    if sent * 2 > waiting.count {
      waiting.removeFirst(sent)
      sent = 0
    }
    return frame.message
  }

  /// The connection is gone, and the frames for it.
  mutating func removeAll() {
    waiting = []
    sent = 0
    deadline = nil
  }
}
