import Signaling

/// The chat so far, in the order of the server's numbers: the newest ``limit`` messages.
struct ChatMessages {
  private let limit: Int
  private(set) var all: [ChatMessage] = []

  init(limit: Int) { self.limit = limit }

  func contains(_ id: Int) -> Bool { all.contains { $0.id == id } }

  /// Adds a message in its place: one that is answered again after a loss may be older than the newest.
  mutating func insert(_ message: ChatMessage) {
    all.insert(message, at: (all.lastIndex { $0.id < message.id } ?? -1) + 1)
    if all.count > limit { all.removeFirst(all.count - limit) }
  }

  /// Whether a message is there, and was another one.
  func differs(from message: ChatMessage) -> Bool { all.contains { $0.id == message.id && $0 != message } }

  mutating func replace(_ message: ChatMessage) {
    if let index = all.firstIndex(where: { $0.id == message.id }) { all[index] = message }
  }
}
