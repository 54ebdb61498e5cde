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
  }

  mutating func observe(_ wire: PublicKeys, of id: RegID) {
    guard let keys = IdentityPublicKeys(wire) else { return }
    guard id != own else {
      if let known = identity.keys?.publicKeys, known != keys { warn(.ownKeysDiffer) }
      return
    }
    switch identity.pins.observe(keys, of: id) {
    case .first: savePins()
    case .changed:
      warn(.keysChanged(id))
      if acceptsChangedKeys { _ = acceptKeys(of: id) }
    case .known, .changedBefore, .tooMany: break
    }
  }

  /// Uses changed keys, and gives every chat with the identity a key that it can open.
  mutating func acceptKeys(of id: RegID) -> Bool {
    guard identity.pins.accept(id) else { return false }
    savePins()
    for chat in chats.keys.sorted(by: { $0.text < $1.text }) where chats[chat]?.participant(id) != nil {
      guard chats[chat]?.isDefunct == false else { continue }
      chats[chat]?.ring.needsRotation = true
      saveChat(chat)
      verifyAgain(chat, messagesOf: id)
      renewKey(chat)
    }
    return true
  }

  /// Takes the key that a participant with new keys may have made, then makes one that it can open: without a message,
  /// too, for it has none of the earlier ones.
  private mutating func renewKey(_ chat: ChatID) {
    request(.chatGet(chatId: chat)) { machine, answer in
      if case .success(.chat(let info)) = answer {
        machine.chats[chat]?.isRenewing = true
        machine.chats[chat]?.forgetEnvelopes()
        machine.updateChat(info, restores: false)
        machine.chats[chat]?.isRenewing = false
      }
      guard machine.isReady, machine.chats[chat]?.ring.current != nil else { return }
      machine.chats[chat]?.ring.needsRotation = true
      machine.rotate(chat)
    }
  }
}
