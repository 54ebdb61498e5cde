import Basics
import Signaling

/// What the room remembers of one participant for the chat.
struct ChatSeat: Sendable {
  /// Whom somebody is writing to.
  struct Typing: Sendable, Hashable {
    /// The one who is to get it; nil for everybody.
    var to: String?
  }

  /// The last message before the participant came, where those who come later are told nothing of before; otherwise 0.
  var since = 0
  /// Set while the participant types.
  var typing: Typing?
  /// When the participant types no more unless it says so again.
  var typingEnd = Instant.zero
  private var typingPace: RateLimit?
  private var changePace: RateLimit?
  private var filePace: RateLimit?
  /// Files that are on the way now.
  var uploads = 0

  /// The most files that one participant sends at the same time.
  static let maximumUploads = 3

  /// Takes one word about typing: they may be lost without harm.
  mutating func takeTyping(_ now: Instant) -> Bool { Self.take(&typingPace, 2, 6, now) }

  /// Takes a change of a message.
  mutating func takeChange(_ now: Instant) -> Bool { Self.take(&changePace, 5, 30, now) }

  /// Takes a file.
  mutating func takeFile(_ now: Instant) -> Bool { Self.take(&filePace, 1, 10, now) }

  private static func take(_ limit: inout RateLimit?, _ perSecond: Int, _ burst: Int, _ now: Instant) -> Bool {
    var bucket = limit ?? RateLimit(perSecond: perSecond, burst: burst, now: now)
    defer { limit = bucket }
    return bucket.take(now: now)
  }
}
