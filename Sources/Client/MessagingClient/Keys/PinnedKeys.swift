import Encryption
package import Messaging

/// The public keys of other identities as they were first seen. Other keys later are reported and not used before
/// somebody has accepted them: they are a forgotten passcode, or a server that lies.
package struct PinnedKeys: Sendable, Equatable {
  static let maximumPins = 20_000

  /// The outcome of comparing keys that a server hands out.
  package enum Observation: Hashable, Sendable {
    /// Nothing was known of the identity; the keys are pinned now.
    case first
    /// They are the pinned ones.
    case known
    /// They differ from the pinned ones, and this is the first time these are seen.
    case changed
    /// They differ, as reported before.
    case changedBefore
    /// More identities than are kept.
    case tooMany
  }

  struct Pin: Equatable {
    var keys: IdentityPublicKeys
    var candidate: IdentityPublicKeys?
  }

  private(set) var pins: [RegID: Pin] = [:]

  package init() {}

  /// The keys to use for an identity.
  package func keys(of id: RegID) -> IdentityPublicKeys? { pins[id]?.keys }

  /// Keys that differ from the pinned ones and wait to be accepted.
  package func candidate(of id: RegID) -> IdentityPublicKeys? { pins[id]?.candidate }

  /// Compares keys with the pinned ones.
  mutating func observe(_ keys: IdentityPublicKeys, of id: RegID) -> Observation {
    guard let pin = pins[id] else {
      guard pins.count < Self.maximumPins else { return .tooMany }
      pins[id] = Pin(keys: keys)
      return .first
    }
    if pin.keys == keys { return .known }
    if pin.candidate == keys { return .changedBefore }
    pins[id]?.candidate = keys
    return .changed
  }

  /// Uses the changed keys from now on. False when there are none.
  mutating func accept(_ id: RegID) -> Bool {
    guard let candidate = pins[id]?.candidate else { return false }
    pins[id] = Pin(keys: candidate)
    return true
  }

  // MARK: Vault and local store

  func write(to writer: inout ByteWriter, limit: Int = maximumPins) {
    let kept = pins.sorted { $0.key < $1.key }.prefix(limit)
    writer.write(UInt32(truncatingIfNeeded: kept.count))
    for (id, pin) in kept {
      writer.write(id.value)
      pin.keys.write(to: &writer)
    }
  }

  init(reading reader: inout ByteReader) throws(KeyMessageError) {
    let count = Int(try reader.read(UInt32.self))
    guard count <= Self.maximumPins else { throw .tooMany }
    for _ in 0..<count {
      let id = RegID(try reader.read(UInt64.self))
      pins[id] = Pin(keys: try IdentityPublicKeys(reading: &reader))
    }
  }

  /// Adds the pins of another endpoint. Own pins win: they were seen here.
  mutating func merge(_ other: PinnedKeys) {
    for (id, pin) in other.pins where pins[id] == nil && pins.count < Self.maximumPins { pins[id] = pin }
  }
}
