import Crypto
import Encryption
import Messaging

extension MessengerMachine {
  /// A message of the service: an event, or a part of history.
  mutating func receive(_ stored: StoredMessage, in chat: ChatID, isRestored: Bool = false) {
    guard (MessageNumber(1)...Self.maximumMessage).contains(stored.number) else { return }
    guard var record = chats[chat] else {
      // An event got lost with a service's disk, or it makes chats up: the list of chats decides.
      identity.hasSynced = false
      return
    }
    if let known = record.messages[stored.number] {
      if stored.state == .recalled { return recall(stored.number, in: chat) }
      if known.stored.body != nil, known.stored.body != stored.body { warn(.numberReused(chat, stored.number)) }
      return
    }
    if let queued = queued(stored, in: chat) { return confirm(queued, stored) }
    let message = MessageRecord(stored: stored, reading: .waiting)
    record.messages[stored.number] = message
    record.inbox.append(ChatRecord.Unread(number: stored.number, isRestored: isRestored))
    record.info.lastMessage = max(record.info.lastMessage, stored.number)
    chats[chat] = record
    log(message, in: chat)
    readInbox(chat)
  }

  /// Reads messages in their order. One whose sender's keys are unknown holds up those behind it.
  mutating func readInbox(_ chat: ChatID) {
    guard identity.keys != nil else { return }
    while let next = chats[chat]?.inbox.first {
      guard let message = chats[chat]?.messages[next.number] else {
        chats[chat]?.inbox.removeFirst()
        continue
      }
      let sender = message.stored.sender
      guard message.stored.body == nil || keys(of: sender) != nil else {
        guard chats[chat]?.isFetchingKeys == false else { return }
        chats[chat]?.isFetchingKeys = true
        return withKeys(of: [sender]) { machine, result in
          machine.chats[chat]?.isFetchingKeys = false
          guard case .success(let keys) = result else { return }
          if keys[sender] == nil {
            machine.chats[chat]?.inbox.removeFirst()
            machine.read(next, in: chat)
          }
          machine.readInbox(chat)
        }
      }
      chats[chat]?.inbox.removeFirst()
      read(next, in: chat)
    }
    confirmDelivery(chat)
  }

  private mutating func read(_ unread: ChatRecord.Unread, in chat: ChatID) {
    guard var record = chats[chat], var message = record.messages[unread.number] else { return }
    if let body = message.stored.body {
      let (reading, isRepeated) = verify(body, message.stored, &record, isRestored: unread.isRestored)
      message.reading = reading
      message.isDeleted = isRepeated
      if let sealed = body.bytes.flatMap({ try? SealedMessage($0) }), !isRepeated {
        open(sealed, &message, in: record)
      }
    } else {
      message.reading = .verified
      if !unread.isRestored { record.ledger.forgive(message.stored.sender) }
    }
    record.messages[unread.number] = message
    // A page of history is shown: it is not dropped as soon as it comes.
    let isTrimmed = unread.isRestored ? false : record.trim()
    chats[chat] = record
    if isTrimmed { rewriteLog(chat) } else { log(message, in: chat) }
    saveChat(chat)
    guard !message.isDeleted else { return }
    notify(.messageAdded(message.message(in: record, own: own)))
    notify(.chatChanged(record.chat(own: own)))
  }

  /// A message that its sender has signed for this chat; nil for any other.
  private func signed(_ stored: StoredMessage, in chat: ChatID) -> SealedMessage? {
    guard let sealed = stored.body?.bytes.flatMap({ try? SealedMessage($0) }), let keys = keys(of: stored.sender),
      sealed.header.chat == chat, sealed.header.sender.regId == stored.sender, sealed.isSigned(by: keys)
    else { return nil }
    return sealed
  }

  /// Messages that came before the keys which signed them were accepted are verified after all.
  mutating func verifyAgain(_ chat: ChatID, messagesOf id: RegID) {
    guard let before = chats[chat] else { return }
    for (number, known) in before.messages.sorted(by: { $0.key < $1.key })
    where known.reading == .unverified && known.stored.sender == id && !known.isDeleted {
      guard var record = chats[chat], let sealed = signed(known.stored, in: chat), let digest = try? sealed.digest()
      else { continue }
      let isRepeated = record.messages.values.contains {
        $0.stored.number != number && $0.stored.body == known.stored.body && $0.reading != .unverified
      }
      guard !isRepeated else { continue }
      record.ledger.restore(sealed.header, digest: digest)
      var message = known
      message.reading = .verified
      open(sealed, &message, in: record)
      record.messages[number] = message
      chats[chat] = record
      log(message, in: chat)
      notify(.messageChanged(message.message(in: record, own: own)))
    }
    saveChat(chat)
  }

  /// Checks signature and order; says whether the message was there before.
  private mutating func verify(
    _ body: Sealed, _ stored: StoredMessage, _ record: inout ChatRecord, isRestored: Bool
  ) -> (MessageRecord.Reading, isRepeated: Bool) {
    let chat = record.info.chatId
    guard let sealed = signed(stored, in: chat), let digest = try? sealed.digest() else {
      warn(.wrongSignature(chat, stored.number))
      return (.unverified, false)
    }
    guard !isRestored else {
      record.ledger.restore(sealed.header, digest: digest)
      let isRepeated = record.messages.values.contains {
        $0.stored.number != stored.number && $0.stored.body == body && $0.reading != .waiting
      }
      if isRepeated { warn(.replayed(chat, stored.number)) }
      return (.verified, isRepeated)
    }
    var isRepeated = false
    for finding in record.ledger.accept(sealed.header, digest: digest, at: ownSender) {
      switch finding {
      case .replayed:
        isRepeated = true
        warn(.replayed(chat, stored.number))
      case .missing(let sender, let count): warn(.missing(chat, from: sender.regId, count: count))
      case .reordered: warn(.reordered(chat, stored.number))
      case .forked: warn(.forked(chat, stored.number))
      case .withheld(let sender, let count): warn(.withheld(chat, from: sender.regId, count: count))
      }
    }
    return (.verified, isRepeated)
  }

  private func open(_ sealed: SealedMessage, _ message: inout MessageRecord, in record: ChatRecord) {
    guard let key = record.ring[sealed.header.key] else {
      if message.reading == .verified { message.reading = .sealed }
      return
    }
    if let body = try? sealed.open(key), let content = MessageContent(body: body) {
      message.content = content
    } else {
      message.reading = .unverified
    }
  }

  /// Opens messages whose key has come after them.
  mutating func readSealedAgain(_ chat: ChatID) {
    guard let record = chats[chat] else { return }
    for (number, known) in record.messages.sorted(by: { $0.key < $1.key }) where known.reading == .sealed {
      guard let sealed = known.stored.body?.bytes.flatMap({ try? SealedMessage($0) }) else { continue }
      var message = known
      message.reading = .verified
      open(sealed, &message, in: record)
      guard message.reading != .sealed else { continue }
      chats[chat]?.messages[number] = message
      log(message, in: chat)
      notify(.messageChanged(message.message(in: record, own: own)))
    }
  }

  /// Its sender or an admin took a message back: its content goes.
  mutating func recall(_ number: MessageNumber, in chat: ChatID) {
    guard let record = chats[chat], var message = record.messages[number], message.stored.state == .present else {
      return
    }
    message.stored.state = .recalled
    message.stored.body = nil
    message.content = nil
    chats[chat]?.messages[number] = message
    rewriteLog(chat)
    notify(.messageChanged(message.message(in: record, own: own)))
  }

  /// This identity has deleted a message, here or at another endpoint.
  mutating func forget(_ number: MessageNumber, in chat: ChatID) {
    guard var message = chats[chat]?.messages[number], !message.isDeleted else { return }
    message.isDeleted = true
    message.content = nil
    message.stored.body = nil
    chats[chat]?.messages[number] = message
    rewriteLog(chat)
    notify(.messageDeleted(chat, number))
  }

  // MARK: Marks

  /// A participant has got, or read, more.
  mutating func receiveMarks(_ chat: ChatID, of id: RegID, delivered: MessageNumber, read: MessageNumber) {
    guard let record = chats[chat], let index = record.info.participants.firstIndex(where: { $0.regId == id }) else {
      return
    }
    let before = record.info.participants[index]
    chats[chat]?.info.participants[index].delivered = max(before.delivered, delivered)
    chats[chat]?.info.participants[index].read = max(before.read, read)
    saveChat(chat)
    guard let after = chats[chat] else { return }
    let isOwn = id == own
    for (number, message) in after.messages.sorted(by: { $0.key < $1.key }) {
      guard (message.stored.sender != own) == isOwn, !message.isDeleted else { continue }
      let changed = message.message(in: after, own: own)
      if changed != message.message(in: record, own: own), number <= max(delivered, read) {
        notify(.messageChanged(changed))
      }
    }
    if isOwn { notify(.chatChanged(after.chat(own: own))) }
  }

  /// Reports to the service which messages have come to this endpoint.
  mutating func confirmDelivery(_ chat: ChatID) {
    guard isReady, let record = chats[chat], record.inbox.isEmpty, !record.isDefunct, let me = record.participant(own)
    else { return }
    let newest = record.messages.values.filter { $0.stored.sender != own }.map(\.stored.number).max()
    guard let newest, newest > me.delivered, newest > record.deliveredSent else { return }
    chats[chat]?.deliveredSent = newest
    request(.messagesDelivered(chatId: chat, number: newest)) { machine, answer in
      switch answer {
      case .success: machine.receiveMarks(chat, of: machine.own, delivered: newest, read: MessageNumber(0))
      case .failure(.refused(let failure)) where Self.isTemporary(failure.code):
        machine.chats[chat]?.deliveredSent = MessageNumber(0)
        machine.retryLater(failure)
      case .failure: break
      }
    }
  }

  mutating func markRead(_ chat: ChatID, _ number: MessageNumber) {
    let unsent = chats[chat]?.unsentRead ?? number
    chats[chat]?.unsentRead = max(unsent, number)
    receiveMarks(chat, of: own, delivered: number, read: number)
    saveChat(chat)
    sendRead(chat)
  }

  mutating func sendRead(_ chat: ChatID) {
    guard isReady, let number = chats[chat]?.unsentRead else { return }
    request(.messagesRead(chatId: chat, number: number)) { machine, answer in
      switch answer {
      case .failure(.refused(let failure)) where Self.isTemporary(failure.code): return machine.retryLater(failure)
      case .success, .failure(.refused): break
      case .failure: return
      }
      guard machine.chats[chat]?.unsentRead == number else { return }
      machine.chats[chat]?.unsentRead = nil
      machine.saveChat(chat)
    }
  }
}
