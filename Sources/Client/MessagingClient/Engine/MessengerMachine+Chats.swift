import Messaging

extension MessengerMachine {
  // MARK: Work after a welcome

  /// Goes on with everything that a lost connection has left: keys, chats, messages, marks.
  mutating func resumeWork() {
    guard isReady else { return }
    sendOwedSteps()
    if !identity.hasSynced { return syncChats(after: nil) }
    for chat in chats.keys.sorted(by: { $0.text < $1.text }) {
      join(chat)
      readInbox(chat)
      pumpOutbox(chat)
      confirmDelivery(chat)
      sendRead(chat)
    }
    fetchHistory()
  }

  /// Fetches the identity's chats, page by page: on a new endpoint, or after events were lost.
  ///
  /// - Parameter absent: Chats that were here before and that the pages so far do not have.
  mutating func syncChats(after: ChatID?, absent: Set<ChatID> = []) {
    var absent = absent
    if after == nil {
      guard !isSyncing else { return }
      absent = Set(chats.filter { !$0.value.isDefunct }.keys)
      isSyncing = true
      notify(.syncing(true))
    }
    request(.chatsGet(after: after)) { [absent] machine, answer in
      switch answer {
      case .success(.chats(let chats, let isLast)):
        let absent = absent.subtracting(chats.map(\.chatId))
        for info in chats { machine.updateChat(info, restores: true) }
        if !isLast, let last = chats.last { return machine.syncChats(after: last.chatId, absent: absent) }
        // The events that say so are lost.
        if isLast { for chat in absent.sorted(by: { $0.text < $1.text }) { machine.chatRemoved(chat) } }
        machine.isSyncing = false
        machine.identity.hasSynced = true
        machine.saveIdentity()
        machine.notify(.syncing(false))
        machine.resumeWork()
      case .success, .failure(.refused):
        machine.isSyncing = false
        machine.retryLater()
      case .failure: machine.isSyncing = false
      }
    }
  }

  // MARK: Information

  /// A chat as the service has it now.
  ///
  /// - Parameter restores: Whether messages from before are fetched: the chat isn't new to the identity.
  mutating func updateChat(_ info: ChatInfo, restores: Bool) {
    guard info.lastMessage < Self.maximumMessage, info.firstMessage <= Self.maximumMessage else { return }
    let id = info.chatId
    guard var record = chats[id] else { return addChat(info, restores: restores) }
    let left = record.info.participants.contains { known in
      !info.participants.contains { $0.regId == known.regId }
    }
    if left { record.ring.needsRotation = true }
    // This identity was away from the chat: the others' messages of that time are missing rightly.
    if info.firstMessage > record.info.firstMessage { record.ledger.skipAbsence() }
    let known = record.info
    record.info = info
    record.info.lastMessage = max(known.lastMessage, info.lastMessage)
    record.isDefunct = false
    // Marks only rise; a service that takes one back says nothing new.
    for index in record.info.participants.indices {
      guard let before = known.participants.first(where: { $0.regId == record.info.participants[index].regId }) else {
        continue
      }
      record.info.participants[index].delivered = max(before.delivered, record.info.participants[index].delivered)
      record.info.participants[index].read = max(before.read, record.info.participants[index].read)
    }
    chats[id] = record
    saveChat(id)
    notify(.chatChanged(record.chat(own: own)))
    if restores, info.lastMessage > known.lastMessage {
      let next = known.lastMessage.value + 1
      let span = UInt64(ChatRecord.maximumMessages / 2)
      let first = max(next, info.lastMessage.value - min(info.lastMessage.value, span) + 1)
      if first > next { chats[id]?.raiseFloor(to: MessageNumber(first)) }
      restore(id, from: MessageNumber(first), through: info.lastMessage)
    }
    receiveKeys(info)
  }

  private mutating func addChat(_ info: ChatInfo, restores: Bool) {
    var record = ChatRecord(info: info)
    record.ledger.isComplete = !restores && info.firstMessage <= MessageNumber(1)
    chats[info.chatId] = record
    saveChat(info.chatId)
    notify(.chatAdded(record.chat(own: own)))
    if restores, info.lastMessage > MessageNumber(0) {
      let first = max(info.firstMessage.value, 1)
      let newest =
        info.lastMessage.value >= UInt64(MessagingLimits.history)
        ? info.lastMessage.value - UInt64(MessagingLimits.history) + 1 : 1
      chats[info.chatId]?.floor = MessageNumber(info.lastMessage.value + 1)
      restore(info.chatId, from: MessageNumber(max(first, newest)), through: info.lastMessage)
    }
    receiveKeys(info)
  }

  /// The identity's envelope has all keys of the chat, the others' one those that came after it.
  private mutating func receiveKeys(_ info: ChatInfo) {
    if info.key == nil, info.ownKey == nil { chats[info.chatId]?.lacksKey = true }
    if let key = info.ownKey { receiveKey(key, for: info.chatId) }
    if let key = info.key { receiveKey(key, for: info.chatId) }
  }

  private mutating func restore(_ chat: ChatID, from: MessageNumber, through: MessageNumber) {
    guard from <= through else { return }
    let known = chats[chat]?.unfetched
    chats[chat]?.unfetched = min(from, known?.lowerBound ?? from)...max(through, known?.upperBound ?? through)
    saveChat(chat)
    fetchHistory()
  }

  /// Fetches what chats lack of their history, one chat after the other.
  mutating func fetchHistory() {
    guard isReady, !isFetchingHistory,
      let (chat, record) = chats.filter({ $0.value.isRestoring }).min(by: { $0.key.text < $1.key.text }),
      let range = record.unfetched
    else { return }
    isFetchingHistory = true
    request(.history(chatId: chat, from: range.lowerBound, through: range.upperBound)) { machine, answer in
      machine.isFetchingHistory = false
      switch answer {
      case .success(.messages(let messages)):
        let rest = Self.rest(of: range, after: messages)
        machine.chats[chat]?.unfetched = rest
        machine.chats[chat]?.lowerFloor(
          to: rest.map { MessageNumber($0.upperBound.value + 1) } ?? range.lowerBound,
          through: range.upperBound)
        for message in messages { machine.receive(message, in: chat, isRestored: true) }
      case .failure(.disconnected): return
      case .failure(.refused(let failure)) where Self.isTemporary(failure.code):
        return machine.retryLater(failure)
      case .success, .failure:
        machine.chats[chat]?.unfetched = nil
        machine.chats[chat]?.raiseFloor(to: MessageNumber(range.upperBound.value + 1))
      }
      machine.saveChat(chat)
      if let record = machine.chats[chat] { machine.notify(.chatChanged(record.chat(own: machine.own))) }
      machine.confirmDelivery(chat)
      machine.pumpOutbox(chat)
      machine.fetchHistory()
    }
  }

  static func isTemporary(_ code: MessagingFailure.Code) -> Bool {
    switch code {
    case .serverError, .tooFast, .tokenNeeded, .unavailable, .providerUnavailable, .vaultReserved: true
    case .badRequest, .limitReached, .unknownDomain, .tokenRejected, .endpointDeregistered, .full, .notFound,
      .notAllowed, .alreadyExists, .wrongPasscode, .vaultLocked, .versionConflict, .proofRequired, .noVault,
      .vaultUnreadable, .noKeyManagement, .unknown:
      false
    }
  }

  /// An answer has the newest messages of its range, up to the service's bounds.
  static func rest(
    of range: ClosedRange<MessageNumber>, after messages: [StoredMessage]
  ) -> ClosedRange<MessageNumber>? {
    guard let first = messages.first?.number, first > range.lowerBound, first <= range.upperBound else { return nil }
    return range.lowerBound...MessageNumber(first.value - 1)
  }

  /// Reports to the service that the identity has the chat and its key.
  mutating func join(_ chat: ChatID) {
    guard let record = chats[chat], isReady, !record.isJoining, !record.isDefunct, record.ring.current != nil,
      record.participant(own)?.state == .pending
    else { return }
    chats[chat]?.isJoining = true
    request(.chatJoin(chatId: chat)) { machine, answer in
      machine.chats[chat]?.isJoining = false
      guard case .success = answer,
        let index = machine.chats[chat]?.info.participants.firstIndex(where: { $0.regId == machine.own })
      else { return }
      machine.chats[chat]?.info.participants[index].state = .active
      machine.saveChat(chat)
    }
  }

  /// A participant is active.
  mutating func joined(_ chat: ChatID, _ id: RegID) {
    guard let index = chats[chat]?.info.participants.firstIndex(where: { $0.regId == id }) else { return }
    chats[chat]?.info.participants[index].state = .active
    saveChat(chat)
    if let record = chats[chat] { notify(.chatChanged(record.chat(own: own))) }
  }

  /// This identity is no longer in the chat, as the service says: on its word alone nothing is lost here.
  mutating func chatRemoved(_ chat: ChatID) {
    guard chats[chat]?.isDefunct == false else { return }
    chats[chat]?.isDefunct = true
    saveChat(chat)
    for index in outbox.indices where outbox[index].chat == chat && !outbox[index].isFailed {
      outbox[index].isFailed = true
      notify(.messageChanged(outbox[index].message(own: own)))
    }
    saveOutbox()
    if let record = chats[chat] { notify(.chatChanged(record.chat(own: own))) }
  }

  /// The app has left the chat at this endpoint.
  mutating func forgetChat(_ chat: ChatID) {
    guard chats.removeValue(forKey: chat) != nil else { return }
    if outbox.contains(where: { $0.chat == chat }) {
      outbox.removeAll { $0.chat == chat }
      saveOutbox()
    }
    removeChat(chat)
    notify(.chatRemoved(chat))
  }
}
