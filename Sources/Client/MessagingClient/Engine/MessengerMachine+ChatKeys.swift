import Crypto
import Encryption
import Messaging

extension MessengerMachine {
  /// Characters of envelopes in one request, so that its frame stays within the service's bound.
  private static let envelopeCharacters = 150_000

  /// The envelopes with a chat's keys for those whose keys are known.
  func envelopes(_ ring: ChatKeyRing, for recipients: PeerKeys) throws(MessengerError) -> [SealedEnvelope] {
    guard let keys = identity.keys, let current = ring.current else { throw .notReady }
    do throws(CryptoError) {
      let holders = try ChatKeyParcel.Holders(Array(recipients.keys))
      var envelopes: [SealedEnvelope] = []
      for (id, recipient) in recipients.sorted(by: { $0.key < $1.key }) {
        let parcel = ChatKeyParcel(keys: id == own ? ring.keys : [current], holders: holders)
        let context = IdentityEnvelope.Context(.chatKey, to: id, subject: "")
        let sealed = try IdentityEnvelope.seal(parcel.encoded(), context, from: own, keys, to: recipient)
        envelopes.append(SealedEnvelope(to: id, sealed: Sealed(bytes: sealed)))
      }
      return envelopes
    } catch {
      throw .failed
    }
  }

  /// Sends envelopes in as many requests as they need.
  mutating func sendKeys(_ envelopes: [SealedEnvelope], of chat: ChatID, then: @escaping Continuation) {
    var count = 0
    var characters = 0
    while count < envelopes.count, count == 0 || characters < Self.envelopeCharacters {
      characters += envelopes[count].sealed.count + 64
      count += 1
    }
    guard count > 0 else { return then(&self, .success(.done)) }
    let rest = Array(envelopes.dropFirst(count))
    request(.chatKeys(chatId: chat, keys: Array(envelopes.prefix(count)))) { machine, answer in
      guard case .success = answer, !rest.isEmpty else { return then(&machine, answer) }
      machine.sendKeys(rest, of: chat, then: then)
    }
  }

  /// Takes the keys out of an envelope for a chat. The sender's keys are looked up first where they are unknown.
  mutating func receiveKey(_ sealed: Sealed, for chat: ChatID) {
    guard let bytes = sealed.bytes, let sender = IdentityEnvelope.sender(of: bytes) else {
      return warn(.wrongKeyEnvelope(chat))
    }
    withKeys(of: [sender]) { machine, result in
      switch result {
      case .success(let keys):
        guard machine.chats[chat]?.looksAt(sealed) == true else { return }
        machine.openKey(bytes, from: sender, keys[sender], for: chat)
      // All chats are fetched again after the next welcome.
      case .failure: machine.identity.hasSynced = false
      }
    }
  }

  private mutating func openKey(
    _ bytes: [UInt8], from id: RegID, _ sender: IdentityPublicKeys?, for chat: ChatID
  ) {
    guard let keys = identity.keys, var record = chats[chat] else { return }
    guard let sender else {
      chats[chat]?.lacksKey = true
      return warn(.wrongKeyEnvelope(chat))
    }
    let parcel: ChatKeyParcel
    do throws(KeyMessageError) {
      let context = IdentityEnvelope.Context(.chatKey, to: own, subject: "")
      parcel = try ChatKeyParcel(decoding: IdentityEnvelope.open(bytes, context, from: sender, to: keys))
    } catch {
      chats[chat]?.lacksKey = true
      // Own ones are from before a forgotten passcode.
      if id != own, !record.isRenewing { warn(.wrongKeyEnvelope(chat)) }
      return pumpOutbox(chat)
    }
    guard let newest = parcel.keys.last else { return }
    let hadKey = record.ring.current != nil
    // Earlier keys first: a full ring keeps the newest.
    var hasEarlier = false
    for key in parcel.keys.dropLast().reversed() where record.ring.insert(key) { hasEarlier = true }
    // The service can make up an identity whose keys it has: only members give a key to send with.
    let isMember = id == own || record.participant(id) != nil
    let isNew = isMember ? record.ring.add(newest) : record.ring.insert(newest)
    var strangers = parcel.holders.strangers(to: record.info.participants.map(\.regId))
    if !isMember { strangers = Set((strangers ?? []) + [id]).sorted() }
    if isNew, strangers != [] {
      // They may have been in the chat before. Later messages are not for them in any case.
      record.ring.needsRotation = true
      if let strangers, !record.isRestoring { warn(.unknownKeyHolders(chat, strangers)) }
    }
    chats[chat] = record
    saveChat(chat)
    if isNew || hasEarlier {
      notify(.chatChanged(record.chat(own: own)))
      readSealedAgain(chat)
    }
    // The service keeps one envelope an identity: the next endpoint needs the earlier keys, too.
    if isNew, hadKey, id != own, let envelopes = try? envelopes(record.ring, for: [own: keys.publicKeys]) {
      sendKeys(envelopes, of: chat) { _, _ in }
    }
    join(chat)
    pumpOutbox(chat)
  }

  /// Makes a new key for a chat and gives it to everybody in it, before the next message.
  mutating func rotate(_ chat: ChatID) {
    guard let record = chats[chat], !record.isRotating else { return }
    chats[chat]?.isRotating = true
    withKeys(of: record.info.participants.map(\.regId)) { machine, result in
      guard case .success(let keys) = result, var ring = machine.chats[chat]?.ring, let key = try? ChatKey() else {
        machine.chats[chat]?.isRotating = false
        return
      }
      ring.add(key)
      guard let envelopes = try? machine.envelopes(ring, for: keys) else {
        machine.chats[chat]?.isRotating = false
        return
      }
      machine.sendKeys(envelopes, of: chat) { machine, answer in
        machine.chats[chat]?.isRotating = false
        switch answer {
        case .success:
          machine.chats[chat]?.ring.add(key)
          machine.saveChat(chat)
          machine.join(chat)
          machine.pumpOutbox(chat)
        case .failure(.refused): machine.retryLater()
        case .failure: break
        }
      }
    }
  }
}
