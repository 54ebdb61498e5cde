import Basics
import Signaling

/// How many messages of the app's may go out: ``atOnce``, and ``perSecond`` on average. The server closes the socket of
/// who sends more than 50 a second or 200 at once (`docs/protocol.md`), and the rest of that is for what the client
/// says by itself. It passes on 64 KiB a second of one participant, or 256 KiB at once, so that the bytes are held to
/// less than that too.
struct SendRateLimiter {
  static let atOnce = 100
  static let perSecond = 40
  /// How long a goodbye waits at most for what was said before it.
  static let longestGoodbye = TimeSpan.seconds(2)
  /// How many messages go out within that time.
  static let lastMessages = Int(longestGoodbye.seconds * Double(perSecond))

  /// Bytes at once, and a second.
  static let bytesAtOnce = 224 << 10
  static let bytesPerSecond = 56 << 10
  /// How long nothing goes out after a refusal with `tooFast`: the server takes nothing for half of that.
  private static let pause = TimeSpan.seconds(1)

  private var messages = TokenBucket(perSecond: perSecond, burst: atOnce)
  private var bytes = TokenBucket(perSecond: bytesPerSecond, burst: bytesAtOnce)
  private var heldUntil = Instant.zero

  /// The bytes that the server counts for a message: its own, and 300 of overhead.
  static func bytes(of message: ClientMessage) -> Int {
    ((try? SignalingEncoder().encode(message))?.utf8.count ?? 0) + 300
  }

  /// Lets nothing go for a moment.
  mutating func hold(from now: Instant) { heldUntil = now + Self.pause }

  /// Takes a turn for so many bytes; false when it is too early.
  mutating func consume(_ now: Instant, bytes size: Int = 0) -> Bool {
    guard messages.holds(1, now: now), bytes.holds(size, now: now), now >= heldUntil else { return false }
    messages.spend(1)
    bytes.spend(size)
    return true
  }

  /// Sends the last messages at this pace, until the socket is gone.
  func send(_ messages: [ClientMessage], over channel: SignalingChannel) async {
    var limiter = self
    for message in messages {
      let bytes = SendRateLimiter.bytes(of: message)
      while !limiter.consume(MonotonicClock.now, bytes: bytes) {
        try? await Task.sleep(nanoseconds: 1_000_000_000 / UInt64(Self.perSecond))
      }
      guard channel.send(message) else { return }
    }
  }
}
