import Basics
import Signaling

/// One participant's part of the chat: what it types, its files that wait, and its limits.
struct ParticipantChat: Sendable {
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
  /// A complete file of an encrypted meeting whose sealed message hasn't come yet.
  struct HeldFile: Sendable {
    let file: ChatFile
    let to: String?
    let end: Instant
  }
  private(set) var heldFiles: [HeldFile] = []

  /// How long a file waits for its message.
  private static let holdingTime = TimeSpan.seconds(60)

  /// The most files that one participant sends at the same time.
  static let maximumUploads = 3

  /// Charges a typing notice. One too many can be dropped without harm.
  mutating func takeTyping(_ now: Instant) -> Bool { typingPace.consume(now: now) }

  /// Charges a change of a message.
  mutating func takeChange(_ now: Instant) -> Bool { changePace.consume(now: now) }

  mutating func takeFile(_ now: Instant) -> Bool { filePace.consume(now: now) }

  /// When typing ends or a held file has waited too long; nil when neither is due.
  var deadline: Instant? {
    [typing == nil ? nil : typingEnd, heldFiles.first?.end].compactMap(\.self).min()
  }

  /// Holds a file for its message. Returns when it has waited too long.
  mutating func hold(_ file: ChatFile, to: String?, now: Instant) -> Instant {
    let end = now + Self.holdingTime
    heldFiles.append(HeldFile(file: file, to: to, end: end))
    return end
  }

  /// Takes a file whose message has come; nil when there is none of that id, or it has waited too long.
  mutating func release(_ id: String, now: Instant) -> HeldFile? {
    heldFiles.firstIndex { $0.file.id == id && now < $0.end }.map { heldFiles.remove(at: $0) }
  }

  /// Takes the files that have waited too long; their messages don't come any more.
  mutating func dropHeldFiles(now: Instant) -> [String] {
    defer { heldFiles.removeAll { $0.end <= now } }
    return heldFiles.filter { $0.end <= now }.map(\.file.id)
  }
}
