import Basics
import Signaling

/// The chat state of one participant.
struct ChatSeat: Sendable {
  /// The receiver of a text that somebody types; nil for everybody.
  struct Typing: Sendable, Hashable {
    var to: String?
  }

  /// The last message before the participant came, if the history is hidden from those who come later; otherwise 0.
  var since = 0
  /// Set while the participant types.
  var typing: Typing?
  /// When the participant types no more unless it says so again.
  var typingEnd = Instant.zero
  private var typingPace = TokenBucket(perSecond: 2, burst: 6)
  private var changePace = TokenBucket(perSecond: 5, burst: 30)
  private var filePace = TokenBucket(perSecond: 1, burst: 10)
  /// Files that are on the way now.
  var uploads = 0

  /// The most files that one participant sends at the same time.
  static let maximumUploads = 3

  /// Charges a typing notice. One too many can be dropped without harm.
  mutating func takeTyping(_ now: Instant) -> Bool { typingPace.consume(now: now) }

  /// Charges a change of a message.
  mutating func takeChange(_ now: Instant) -> Bool { changePace.consume(now: now) }

  mutating func takeFile(_ now: Instant) -> Bool { filePace.consume(now: now) }
}
