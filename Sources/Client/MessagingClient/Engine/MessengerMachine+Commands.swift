import Basics
import Crypto
import Messaging

extension MessengerMachine {
  /// Carries out a call of the app; its reply comes as an effect.
  mutating func perform(_ command: MessengerCommand, _ id: CommandID, now: Instant, time: MessageTime) {
    at(now, time)
    switch command {
    case .request(let request):
      self.request(request) { machine, answer in machine.reply(id, answer.map { .answer($0) }) }
    case .identities(let users, let numbers): lookUp(users, numbers, id)
    case .acceptKeys(let peer): reply(id, acceptKeys(of: peer) ? .success(.done) : .failure(.notFound))
    case .changePasscode(let passcode): changePasscode(passcode, id)
    case .exportProfileKeys: exportProfileKeys(id)
    case .importProfileKeys(let keys): importProfileKeys(keys, id)
    case .startChat(let draft): startChat(draft, id)
    case .invite(let chat, let invitees): invite(invitees, to: chat, id)
    case .updateChat(let chat, let subject, let data): updateChat(chat, subject: subject, data: data, id)
    case .leaveChat(let chat): leaveChat(chat, id)
    case .removeParticipant(let chat, let peer):
      request(.participantRemove(chatId: chat, regId: peer)) { machine, answer in
        // Before the event: nothing that is sent from now on is for them.
        if case .success = answer { machine.chats[chat]?.ring.needsRotation = true }
        machine.reply(id, answer.map { _ in .done })
      }
    case .send(let content, let chat, let cookie): reply(id, enqueue(content, chat, cookie: cookie))
    case .addFailed(let content, let chat, let cookie): reply(id, addFailed(content, chat, cookie: cookie))
    case .discard(let chat, let cookie): reply(id, discard(chat, cookie: cookie))
    case .markRead(let chat, let number):
      guard chats[chat] != nil else { return reply(id, .failure(.notFound)) }
      markRead(chat, number)
      reply(id, .success(.done))
    case .deleteMessage(let chat, let number):
      request(.messageDelete(chatId: chat, number: number)) { machine, answer in
        if case .success = answer { machine.forget(number, in: chat) }
        machine.reply(id, answer.map { _ in .done })
      }
    case .history(let chat, let from, let through): history(chat, from, through, id)
    case .typing(let chat, let tag):
      guard isLively(chat) else { return reply(id, .success(.done)) }
      request(.typing(chatId: chat, sealed: tag.flatMap { sealEvent($0, nil, in: chat) })) { machine, answer in
        machine.reply(id, answer.map { _ in .done })
      }
    case .chatEvent(let chat, let tag, let data):
      guard let sealed = sealEvent(tag, data, in: chat) else { return reply(id, .failure(.notReady)) }
      guard sealed.count <= MessagingLimits.shortCharacters else { return reply(id, .failure(.tooLarge)) }
      request(.chatEventSend(chatId: chat, sealed: sealed)) { machine, answer in
        machine.reply(id, answer.map { _ in .done })
      }
    case .startCall(let peer, let medium, let metadata): startCall(peer, medium, metadata, id)
    case .answerCall(let call): answerCall(call, id)
    case .callStep(let call, let step, let update): sendStep(call, step, update, id)
    }
    pumpSetup()
  }

  /// Whether others may look at a chat: it has messages, and the newest isn't old.
  private func isLively(_ chat: ChatID) -> Bool {
    if outbox.contains(where: { $0.chat == chat && !$0.isFailed }) { return true }
    guard let messages = chats[chat]?.messages, let newest = messages.keys.max().flatMap({ messages[$0]?.stored.time })
    else { return false }
    let age = Double(serviceTime.milliseconds) - Double(newest.milliseconds)
    return age <= Double(Self.typingPause.milliseconds)
  }

  private mutating func lookUp(_ users: [String], _ numbers: [RegID], _ id: CommandID) {
    guard users.count + numbers.count <= MessagingLimits.lookup else { return reply(id, .failure(.tooLarge)) }
    let request = MessagingRequest.identitiesGet(
      appUserIds: users.isEmpty ? nil : users, regIds: numbers.isEmpty ? nil : numbers)
    self.request(request) { machine, answer in
      guard case .success(.identities(let found)) = answer else {
        return machine.reply(id, answer.flatMap { _ in .failure(.failed) })
      }
      machine.observe(found)
      machine.reply(id, .success(.identities(found)))
    }
  }

  /// Messages that are here, and the service's for a range that is not.
  private mutating func history(_ chat: ChatID, _ from: MessageNumber, _ through: MessageNumber, _ id: CommandID) {
    guard let record = chats[chat] else { return reply(id, .failure(.notFound)) }
    let first = max(from, record.info.firstMessage, MessageNumber(1))
    let last = min(through, record.info.lastMessage)
    guard first <= last else { return reply(id, .success(.messages([]))) }
    guard first < record.floor else { return reply(id, .success(.messages(local(chat, first, last)))) }
    // History that isn't here yet isn't an empty one.
    guard isReady else { return reply(id, .failure(.notReady)) }
    let end = min(last, MessageNumber(record.floor.value - 1))
    request(.history(chatId: chat, from: first, through: end)) { machine, answer in
      guard case .success(.messages(let messages)) = answer else {
        return machine.reply(id, answer.flatMap { _ in .failure(.failed) })
      }
      let rest = Self.rest(of: first...end, after: messages)
      machine.chats[chat]?.lowerFloor(to: rest.map { MessageNumber($0.upperBound.value + 1) } ?? first, through: end)
      for message in messages { machine.receive(message, in: chat, isRestored: true) }
      machine.saveChat(chat)
      machine.reply(id, .success(.messages(machine.local(chat, first, last))))
    }
  }

  private func local(_ chat: ChatID, _ first: MessageNumber, _ last: MessageNumber) -> [Message] {
    guard let record = chats[chat] else { return [] }
    return record.messages.sorted { $0.key < $1.key }
      .filter { (first...last).contains($0.key) && !$0.value.isDeleted }
      .map { $0.value.message(in: record, own: own) }
  }

  // MARK: Domains without key management

  private mutating func exportProfileKeys(_ id: CommandID) {
    guard !setup.hasKeyManagement else { return reply(id, .failure(.notForThisDomain)) }
    do throws(MessengerError) {
      let keys = try makeKeys()
      let secret = keys.secret
      reply(
        id,
        .success(
          .profileKeys(
            ProfileKeys(
              publicSigning: keys.published.signing.text, publicEncryption: keys.published.encryption.text,
              privateSigning: Secret(Base64URL.encode(secret.extracting(0..<Ed25519.keyLength).bytes)),
              privateEncryption: Secret(
                Base64URL.encode(secret.extracting(Ed25519.keyLength..<IdentityKeys.secretLength).bytes))))))
    } catch {
      reply(id, .failure(error))
    }
  }

  private mutating func importProfileKeys(_ profile: ProfileKeys, _ id: CommandID) {
    guard !setup.hasKeyManagement else { return reply(id, .failure(.notForThisDomain)) }
    guard let signing = Base64URL.decode(profile.privateSigning.value),
      let encryption = Base64URL.decode(profile.privateEncryption.value), signing.count == Ed25519.keyLength
    else { return reply(id, .failure(.badData)) }
    var joined = signing + encryption
    let generation = max(publishedGeneration, 1)
    guard let keys = try? IdentityKeys(secret: SecretBytes(wiping: &joined), generation: generation),
      keys.published.signing.text == profile.publicSigning, keys.published.encryption.text == profile.publicEncryption
    else { return reply(id, .failure(.badData)) }
    adopt(keys)
    setup.profileKeysSynced()
    reply(id, .success(.done))
  }
}
