import Crypto
import Messaging

extension MessengerMachine {
  /// This endpoint's name in message headers.
  var ownSender: MessageHeader.Sender {
    MessageHeader.Sender(regId: own, instance: identity.instance)
  }

  /// Queues a message; it is stored before it is sent.
  mutating func enqueue(
    _ content: MessageContent, _ chat: ChatID, cookie: String
  ) -> Result<MessengerReply, MessengerError> {
    guard let record = chats[chat], !record.isDefunct else { return .failure(.notFound) }
    if let problem = content.problem { return .failure(problem) }
    guard !cookie.isEmpty, cookie.utf8.count <= MessagingLimits.cookieBytes else { return .failure(.badData) }
    if let known = outbox.first(where: { $0.chat == chat && $0.cookie == cookie }) {
      return .success(.message(known.message(own: own)))
    }
    let queued = QueuedMessage(chat: chat, cookie: cookie, content: content, time: serviceTime)
    outbox.append(queued)
    saveOutbox()
    let message = queued.message(own: own)
    notify(.messageAdded(message))
    pumpOutbox(chat)
    return .success(.message(message))
  }

  /// Sends the oldest message of a chat that waits. One at a time: each names the one before it.
  mutating func pumpOutbox(_ chat: ChatID) {
    guard isReady, let record = chats[chat], !record.isSending, !record.isPaused, !record.isRotating,
      !record.isRestoring, !record.isDefunct, record.inbox.isEmpty, let keys = identity.keys,
      let index = outbox.firstIndex(where: { $0.chat == chat && !$0.isFailed })
    else { return }
    guard let key = record.ring.current else {
      // Nobody gives it one that it can open: after a forgotten passcode the old ones are lost.
      if record.lacksKey { rotate(chat) }
      return
    }
    if outbox[index].sealed == nil {
      if record.ring.needsRotation { return rotate(chat) }
      let (counter, previous) = record.ledger.next(of: ownSender)
      let header = MessageHeader(
        chat: chat, sender: ownSender, counter: counter, previous: previous, seen: record.ledger.seen, key: key.id)
      guard let sealed = try? SealedMessage(outbox[index].content.body, header, key: key, keys: keys) else {
        return fail(outbox[index])
      }
      outbox[index].sealed = sealed.bytes
      saveOutbox()
    }
    let queued = outbox[index]
    chats[chat]?.isSending = true
    let request = MessagingRequest.messageSend(
      chatId: chat, cookie: queued.cookie, body: Sealed(bytes: queued.sealed ?? []),
      attachments: queued.content.file.map { [$0.attachment] })
    self.request(request) { machine, answer in
      machine.chats[chat]?.isSending = false
      machine.sent(queued, answer)
      machine.pumpOutbox(chat)
    }
  }

  private mutating func sent(_ queued: QueuedMessage, _ answer: Answer) {
    switch answer {
    case .success(.sent(let number, let time)):
      // The event may have been faster.
      guard outbox.contains(where: { $0.chat == queued.chat && $0.cookie == queued.cookie }) else { return }
      if chats[queued.chat]?.messages[number] != nil || number > Self.maximumMessage {
        warn(.numberReused(queued.chat, number))
        return fail(queued)
      }
      guard let endpoint = setup.status.endpoint else { return }
      confirm(
        queued,
        StoredMessage(
          number: number, sender: own, endpoint: endpoint, cookie: queued.cookie, time: time, state: .present,
          body: Sealed(bytes: queued.sealed ?? []), attachments: queued.content.file.map { [$0.attachment] } ?? []))
    case .success: fail(queued)
    case .failure(.refused(let failure)):
      guard Self.isTemporary(failure.code) else { return fail(queued) }
      chats[queued.chat]?.isPaused = true
      retryLater(failure)
    case .failure: break
    }
  }

  /// The queued message that this one is; its bytes have to be the same.
  func queued(_ stored: StoredMessage, in chat: ChatID) -> QueuedMessage? {
    guard stored.sender == own, let body = stored.body?.bytes else { return nil }
    return outbox.first { $0.chat == chat && $0.cookie == stored.cookie && $0.sealed == body }
  }

  /// The service has a queued message on its disk.
  mutating func confirm(_ queued: QueuedMessage, _ stored: StoredMessage) {
    let chat = queued.chat
    outbox.removeAll { $0.chat == chat && $0.cookie == queued.cookie }
    guard var record = chats[chat], let bytes = queued.sealed, let sealed = try? SealedMessage(bytes),
      let digest = try? sealed.digest()
    else { return saveOutbox() }
    _ = record.ledger.accept(sealed.header, digest: digest, at: ownSender)
    let message = MessageRecord(stored: stored, reading: .verified, content: queued.content)
    record.messages[stored.number] = message
    record.info.lastMessage = max(record.info.lastMessage, stored.number)
    let isTrimmed = record.trim()
    chats[chat] = record
    if isTrimmed { rewriteLog(chat) } else { log(message, in: chat) }
    saveChat(chat)
    // After the log: a crash between both sends it once more, which the service and the log notice by its cookie.
    saveOutbox()
    notify(.messageChanged(message.message(in: record, own: own)))
    notify(.chatChanged(record.chat(own: own)))
  }

  /// The service refuses a message permanently. It stays in the queue, unsent, until the app discards it.
  private mutating func fail(_ queued: QueuedMessage) {
    guard let index = outbox.firstIndex(where: { $0.chat == queued.chat && $0.cookie == queued.cookie }) else { return }
    outbox[index].isFailed = true
    outbox[index].sealed = nil
    notify(.messageChanged(outbox[index].message(own: own)))
    trimFailed()
    saveOutbox()
  }

  /// Adds a message that could not be queued, so that the user sees what was not sent.
  mutating func addFailed(
    _ content: MessageContent, _ chat: ChatID, cookie: String
  ) -> Result<MessengerReply, MessengerError> {
    guard chats[chat] != nil else { return .failure(.notFound) }
    guard !cookie.isEmpty, cookie.utf8.count <= MessagingLimits.cookieBytes,
      !outbox.contains(where: { $0.chat == chat && $0.cookie == cookie })
    else { return .failure(.badData) }
    var failed = QueuedMessage(chat: chat, cookie: cookie, content: content.cut, time: serviceTime)
    failed.isFailed = true
    outbox.append(failed)
    notify(.messageAdded(failed.message(own: own)))
    trimFailed()
    saveOutbox()
    return .success(.done)
  }

  /// Removes a message that the service has not taken.
  mutating func discard(_ chat: ChatID, cookie: String) -> Result<MessengerReply, MessengerError> {
    guard let index = outbox.firstIndex(where: { $0.chat == chat && $0.cookie == cookie }) else {
      return .failure(.notFound)
    }
    // After an attempt the service may have it.
    guard outbox[index].isFailed || outbox[index].sealed == nil else { return .failure(.notReady) }
    outbox.remove(at: index)
    saveOutbox()
    notify(.messageDiscarded(chat, cookie: cookie))
    return .success(.done)
  }

  /// Keeps the newest failed messages: the queue is written as a whole.
  private mutating func trimFailed() {
    while outbox.count(where: \.isFailed) > Self.maximumFailed, let index = outbox.firstIndex(where: \.isFailed) {
      let oldest = outbox.remove(at: index)
      notify(.messageDiscarded(oldest.chat, cookie: oldest.cookie))
    }
  }
}
