import Crypto
import Encryption
import Messaging

extension MessengerMachine {
  /// The pinned keys of identities, by number.
  typealias PeerKeys = [RegID: IdentityPublicKeys]

  /// The keys to verify an identity's messages with.
  func keys(of id: RegID) -> IdentityPublicKeys? {
    id == own ? identity.keys?.publicKeys : identity.pins.keys(of: id)
  }

  /// Looks up the keys that are not pinned yet, then goes on with those of all that have some.
  mutating func withKeys(
    of ids: [RegID], then: @escaping @Sendable (inout MessengerMachine, Result<PeerKeys, MessengerError>) -> Void
  ) {
    let unknown = Array(Set(ids)).filter { keys(of: $0) == nil }.sorted().prefix(MessagingLimits.lookup)
    guard !unknown.isEmpty else { return then(&self, .success(peerKeys(ids))) }
    request(.identitiesGet(regIds: Array(unknown))) { machine, answer in
      switch answer {
      case .success(.identities(let found)):
        machine.observe(found)
        // Those that have no keys are not asked for again.
        let rest = ids.filter { machine.keys(of: $0) != nil || !unknown.contains($0) }
        machine.withKeys(of: rest, then: then)
      case .success: then(&machine, .failure(.failed))
      case .failure(let error): then(&machine, .failure(error))
      }
    }
  }

  private func peerKeys(_ ids: [RegID]) -> PeerKeys {
    var known: PeerKeys = [:]
    for id in ids { known[id] = keys(of: id) }
    return known
  }

  /// Compares keys that the service hands out with the pinned ones.
  mutating func observe(_ found: [IdentityInfo]) {
    for info in found {
      guard let wire = info.keys else { continue }
      observe(wire, of: info.regId)
    }
    saveIdentity()
  }

  mutating func observe(_ wire: PublicKeys, of id: RegID) {
    guard let keys = IdentityPublicKeys(wire) else { return }
    guard id != own else {
      if let known = identity.keys?.publicKeys, known != keys { warn(.ownKeysDiffer) }
      return
    }
    guard identity.pins.observe(keys, of: id) == .changed else { return }
    warn(.keysChanged(id))
    if acceptsChangedKeys { _ = acceptKeys(of: id) }
  }

  /// Uses changed keys, and gives every chat with the identity a key that it can open.
  mutating func acceptKeys(of id: RegID) -> Bool {
    guard identity.pins.accept(id) else { return false }
    for chat in chats.keys where chats[chat]?.participant(id) != nil { chats[chat]?.ring.needsRotation = true }
    saveIdentity()
    return true
  }
}
