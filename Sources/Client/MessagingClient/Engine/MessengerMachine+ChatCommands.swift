import Messaging

/// Calls of the app about chats: starting and changing them, and inviting others.
extension MessengerMachine {

  mutating func startChat(_ draft: ChatDraft, _ id: CommandID) {
    guard isReady, let keys = identity.keys else { return reply(id, .failure(.notReady)) }
    guard (draft.data?.utf8.count ?? 0) <= MessageContent.maximumBytes else { return reply(id, .failure(.tooLarge)) }
    if let data = draft.data, !LocalJSON.isObject(data) { return reply(id, .failure(.badData)) }
    let invitees = Set(draft.invitees).subtracting([own]).sorted()
    withKeys(of: invitees) { machine, result in
      guard case .success(var recipients) = result else {
        return machine.reply(id, result.map { _ in .done })
      }
      let missing = invitees.filter { recipients[$0] == nil }
      guard missing.isEmpty else { return machine.reply(id, .failure(.keysMissing(missing))) }
      recipients[machine.own] = keys.publicKeys
      var ring = ChatKeyRing()
      guard let key = try? ChatKey() else { return machine.reply(id, .failure(.failed)) }
      ring.add(key)
      guard let envelopes = try? machine.envelopes(ring, for: recipients) else {
        return machine.reply(id, .failure(.failed))
      }
      let request = MessagingRequest.chatStart(
        cookie: draft.cookie, invitees: invitees, isOneToOne: draft.isOneToOne, invitePolicy: draft.invitePolicy,
        subject: draft.subject.flatMap { try? ChatRecord.seal(Array($0.utf8), key, .subject) },
        data: draft.data.flatMap { try? ChatRecord.seal(Array($0.utf8), key, .data) }, keys: envelopes)
      machine.request(request) { machine, answer in
        switch answer {
        case .success(.chat(let info)):
          machine.updateChat(info, restores: false)
          machine.chats[info.chatId]?.ring.add(key)
          machine.saveChat(info.chatId)
          guard let record = machine.chats[info.chatId] else { return machine.reply(id, .failure(.failed)) }
          let chat = record.chat(own: machine.own)
          machine.notify(.chatChanged(chat))
          machine.reply(id, .success(.chat(chat)))
        case .success: machine.reply(id, .failure(.failed))
        case .failure(.refused(let failure)) where failure.code == .alreadyExists:
          machine.reply(id, .failure(failure.chat.map { .alreadyExists($0) } ?? .refused(failure)))
        case .failure(let error): machine.reply(id, .failure(error))
        }
      }
    }
  }

  /// Invited identities get a new key: with the present one they could read earlier messages.
  mutating func invite(_ invitees: [RegID], to chat: ChatID, _ id: CommandID) {
    guard isReady else { return reply(id, .failure(.notReady)) }
    guard let record = chats[chat], !record.isDefunct else { return reply(id, .failure(.notFound)) }
    let present = record.info.participants.map(\.regId)
    let newcomers = Set(invitees).subtracting([own]).sorted()
    withKeys(of: present + newcomers) { machine, result in
      guard case .success(let recipients) = result, var ring = machine.chats[chat]?.ring, let key = try? ChatKey()
      else { return machine.reply(id, result.map { _ in .done }) }
      let missing = newcomers.filter { recipients[$0] == nil }
      guard missing.isEmpty else { return machine.reply(id, .failure(.keysMissing(missing))) }
      ring.add(key)
      guard let envelopes = try? machine.envelopes(ring, for: recipients) else {
        return machine.reply(id, .failure(.failed))
      }
      let forNewcomers = envelopes.filter { newcomers.contains($0.to) }
      let forOthers = envelopes.filter { !newcomers.contains($0.to) }
      machine.request(.chatInvite(chatId: chat, invitees: newcomers, keys: forNewcomers)) { machine, answer in
        guard case .success(.chat(let info)) = answer else { return machine.reply(id, answer.map { _ in .done }) }
        machine.updateChat(info, restores: false)
        machine.sendKeys(forOthers, of: chat) { machine, answer in
          // Without it for all, the next message makes another.
          if case .success = answer {
            machine.chats[chat]?.ring.add(key)
          } else {
            machine.chats[chat]?.ring.needsRotation = true
          }
          machine.saveChat(chat)
          machine.reply(id, .success(.done))
        }
      }
    }
  }

  mutating func leaveChat(_ chat: ChatID, _ id: CommandID) {
    // The service has nothing of it any more.
    guard chats[chat]?.isDefunct != true else {
      forgetChat(chat)
      return reply(id, .success(.done))
    }
    request(.chatLeave(chatId: chat)) { machine, answer in
      if case .success = answer { machine.forgetChat(chat) }
      machine.reply(id, answer.map { _ in .done })
    }
  }

  mutating func updateChat(_ chat: ChatID, subject: String?, data: String?, _ id: CommandID) {
    guard let record = chats[chat], !record.isDefunct else { return reply(id, .failure(.notFound)) }
    guard let key = record.ring.current else { return reply(id, .failure(.notReady)) }
    guard (data?.utf8.count ?? 0) <= MessageContent.maximumBytes else { return reply(id, .failure(.tooLarge)) }
    if let data, !LocalJSON.isObject(data) { return reply(id, .failure(.badData)) }
    let request = MessagingRequest.chatUpdate(
      chatId: chat, subject: subject.flatMap { try? ChatRecord.seal(Array($0.utf8), key, .subject) },
      data: data.flatMap { try? ChatRecord.seal(Array($0.utf8), key, .data) })
    self.request(request) { machine, answer in
      if case .success(.chat(let info)) = answer { machine.updateChat(info, restores: false) }
      machine.reply(id, answer.map { _ in .done })
    }
  }
}
