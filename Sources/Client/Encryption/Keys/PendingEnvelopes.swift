import Basics

/// Envelopes that came before their sender's announcement. The oldest go where there are too many: those of senders who
/// never announce themselves, such as envelopes that came after their sender had left, must not keep others out.
struct PendingEnvelopes {
  static let perSender = 4
  static let senders = 64
  static let maximumLength = 1_024

  private var envelopes: [ParticipantID: [[UInt8]]] = [:]
  // The one that came first comes first.
  private var order: [ParticipantID] = []

  mutating func append(_ envelope: [UInt8], from id: ParticipantID) throws(KeyMessageError) {
    guard envelope.count <= Self.maximumLength else { throw .malformed }
    if envelopes[id] == nil {
      if order.count == Self.senders { envelopes[order.removeFirst()] = nil }
      order.append(id)
    }
    envelopes[id, default: []].append(envelope)
    if envelopes[id, default: []].count > Self.perSender { envelopes[id]?.removeFirst() }
  }

  /// Those of one sender, in the order in which they came.
  mutating func release(_ id: ParticipantID) -> [[UInt8]] {
    defer { remove(id) }
    return envelopes[id] ?? []
  }

  mutating func remove(_ id: ParticipantID) {
    guard envelopes.removeValue(forKey: id) != nil else { return }
    order.removeAll { $0 == id }
  }
}
