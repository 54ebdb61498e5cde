import Basics

/// Places that ended by somebody's decision while their client may not have heard it, so that it is told when it asks
/// for the place again, and does not join anew. Bounded: a client that is not told finds its place gone.
struct Tombstones: Sendable {
  /// The most notes kept.
  static let maximumCount = 4_096

  private var notes: [String: (expulsion: RoomDependencies.Expulsion, until: Instant)] = [:]
  private var order: [String] = []

  /// Keeps a note until `until`.
  mutating func add(_ expulsion: RoomDependencies.Expulsion, until: Instant) {
    if notes.updateValue((expulsion, until), forKey: expulsion.resumeToken) == nil {
      order.append(expulsion.resumeToken)
    }
    if order.count > Self.maximumCount { notes[order.removeFirst()] = nil }
  }

  /// The note of a place; nil when there is none, or its time is over.
  mutating func note(of token: String, now: Instant) -> RoomDependencies.Expulsion? {
    while let first = order.first, notes[first].map({ $0.until <= now }) ?? true {
      notes[first] = nil
      order.removeFirst()
    }
    guard let note = notes[token], note.until > now else { return nil }
    return note.expulsion
  }
}
