import Signaling

/// The last chat messages of a meeting, bounded in number and bytes so that they always fit a `welcome`.
struct ChatHistory: Sendable {
  /// The most messages kept.
  static let maximumMessages = 200
  /// The most bytes of text kept.
  static let maximumBytes = 64 * 1024

  private var entries: [ChatEntry] = []
  private var bytes = 0
  private var last: Int

  /// An empty history. Its numbers follow `last`: a room that is made anew must not use those of the one before again, since clients know
  /// messages by them.
  init(after last: Int = 0) { self.last = last }

  /// The number of the next message.
  mutating func nextID() -> Int {
    last += 1
    return last
  }

  /// Keeps `entry`, and forgets the oldest beyond the bounds.
  mutating func append(_ entry: ChatEntry) {
    entries.append(entry)
    bytes += entry.text.utf8.count
    while entries.count > Self.maximumMessages || bytes > Self.maximumBytes, let first = entries.first {
      bytes -= first.text.utf8.count
      entries.removeFirst()
    }
  }

  /// What `participant` may see: messages to everybody, and private ones from or to them.
  func visible(to participant: String) -> [ChatEntry] {
    entries.filter { $0.to == nil || $0.to == participant || $0.from == participant }
  }
}
