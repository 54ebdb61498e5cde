import Basics
import Signaling

/// A session that ended by somebody else's decision.
struct Tombstone: Sendable {
  var resumeToken: String
  var reason: EndReason
  var message: String
}

/// Sessions that somebody ended while their client may not know it yet. A client that asks for such a session is
/// notified of the end, and doesn't rejoin. Bounded: a client whose tombstone was dropped finds its session gone.
struct Tombstones: Sendable {
  static let maximumCount = 4_096

  private var notes: [String: (tombstone: Tombstone, until: Instant)] = [:]
  private var order: [String] = []

  /// Keeps a note until `until`.
  mutating func add(_ tombstone: Tombstone, until: Instant) {
    if notes.updateValue((tombstone, until), forKey: tombstone.resumeToken) == nil {
      order.append(tombstone.resumeToken)
    }
    if order.count > Self.maximumCount { notes[order.removeFirst()] = nil }
  }

  /// The tombstone of a session; nil when there is none, or its time is over.
  mutating func note(of token: String, now: Instant) -> Tombstone? {
    while let first = order.first, notes[first].map({ $0.until <= now }) ?? true {
      notes[first] = nil
      order.removeFirst()
    }
    guard let note = notes[token], note.until > now else { return nil }
    return note.tombstone
  }
}
