import Basics

/// Envelopes that came before their sender's announcement.
struct ParkedEnvelopes {
  static let perSender = 4
  static let senders = 64
  static let maximumLength = 1_024

  private var envelopes: [ParticipantID: [[UInt8]]] = [:]

  mutating func park(_ envelope: [UInt8], from id: ParticipantID) throws(KeyMessageError) {
    guard envelope.count <= Self.maximumLength else { throw .malformed }
    let known = envelopes[id] ?? []
    guard known.count < Self.perSender, !known.isEmpty || envelopes.count < Self.senders else { throw .tooMany }
    envelopes[id] = known + [envelope]
  }

  /// Those of one sender, in the order in which they came.
  mutating func release(_ id: ParticipantID) -> [[UInt8]] { envelopes.removeValue(forKey: id) ?? [] }

  mutating func remove(_ id: ParticipantID) { envelopes[id] = nil }
}
