import FoundationEssentials
import Messaging

/// Messages, marks and attachments.
extension MailboxLogic {
  mutating func send(_ body: Sealed, _ attachments: [AttachmentID], cookie: String, to id: ChatID) throws {
    let chat = try chat(id)
    try require(cookie: cookie)
    try require(body, characters: MessagingLimits.bodyCharacters, "bodyCharacters")
    guard attachments.count <= MessagingLimits.attachments else {
      throw MessagingFailure(
        .limitReached, "A message has at most \(MessagingLimits.attachments) attachments (attachments).")
    }
    if let known = try transaction.message(cookie: cookie, sender: caller.regId, of: id) {
      outcome.answer = .sent(number: known.number, time: known.time)
      return
    }
    try requireRoom(forMessage: body)
    for attachment in Set(attachments) {
      guard var record = try transaction.attachment(attachment), record.chat == id, record.owner == caller.regId,
        record.isComplete
      else { throw MessagingFailure(.notFound, "The chat has no complete attachment \(attachment) of yours.") }
      record.uses += 1
      try transaction.put(record)
    }
    let number = chat.lastMessage + 1
    try transaction.setLastMessage(number, of: id)
    let message = StoredMessage(
      number: MessageNumber(number), sender: caller.regId, endpoint: caller.endpoint, cookie: cookie,
      time: now, state: .present, body: body, attachments: attachments)
    try transaction.insert(message, in: id)
    for member in try transaction.members(of: id) {
      try deliver(.message(chatId: id, message: message), to: member)
    }
    outcome.answer = .sent(number: message.number, time: now)
  }

  mutating func mark(_ id: ChatID, delivered: UInt64, read: UInt64) throws {
    let chat = try chat(id)
    guard delivered <= chat.lastMessage else {
      throw MessagingFailure(.badRequest, "The chat has no message of that number yet.")
    }
    var own = try member(of: id)
    let before = own
    own.delivered = max(own.delivered, delivered)
    own.read = max(own.read, read)
    guard own != before else { return }
    try transaction.setMarks(delivered: own.delivered, read: own.read, of: caller.regId, in: id)
    let members = try transaction.members(of: id)
    for member in members where members.count <= MessagingLimits.markedParticipants || member == caller.regId {
      try deliver(
        .marks(
          chatId: id, regId: caller.regId, delivered: MessageNumber(own.delivered), read: MessageNumber(own.read)),
        to: member, subject: "marks:\(id):\(caller.regId)")
    }
  }

  /// A message that the caller may read.
  private func message(_ number: MessageNumber, of id: ChatID) throws -> StoredMessage {
    let own = try member(of: id)
    guard number.value >= own.firstMessage, let message = try transaction.message(number.value, of: id) else {
      throw MessagingFailure(.notFound, "The chat has no such message for you.")
    }
    return message
  }

  mutating func delete(_ number: MessageNumber, in id: ChatID) throws {
    _ = try message(number, of: id)
    try transaction.delete(number.value, of: id, reader: caller.regId)
    try deliver(.messageDeleted(chatId: id, number: number), to: caller.regId)
  }

  mutating func recall(_ number: MessageNumber, in id: ChatID) throws {
    let chat = try chat(id)
    let message = try message(number, of: id)
    guard try message.sender == caller.regId || (chat.pair == nil && member(of: id).isAdmin) else {
      throw MessagingFailure(.notAllowed, "Only its sender or an admin takes a message back.")
    }
    guard message.state == .present else { return }
    try transaction.recall(number.value, of: id)
    for attachment in Set(message.attachments) { try release(attachment) }
    for member in try transaction.members(of: id) {
      try deliver(.messageRecalled(chatId: id, number: number, by: caller.regId), to: member)
    }
  }

  /// A message that named the attachment is gone.
  private mutating func release(_ attachment: AttachmentID) throws {
    guard var record = try transaction.attachment(attachment) else { return }
    record.uses -= 1
    guard record.uses <= 0 else { return try transaction.put(record) }
    try transaction.remove(attachment: attachment)
    outcome.removedAttachments.append(attachment)
  }

  mutating func readHistory(_ id: ChatID, _ first: UInt64, _ last: UInt64) throws {
    let chat = try chat(id)
    let lower = max(first, try member(of: id).firstMessage)
    let upper = min(last, chat.lastMessage)
    guard lower <= upper else {
      outcome.answer = .messages(messages: [])
      return
    }
    let found = try transaction.messages(
      of: id, lower...upper, reader: caller.regId, limit: MessagingLimits.history)
    // A frame of the service has a bound; the endpoint asks for the rest.
    var characters = 0
    let fitting = found.reversed().prefix { message in
      defer { characters += message.body?.count ?? 0 }
      return characters < MessagingLimits.unacknowledgedBytes
    }
    outcome.answer = .messages(messages: fitting.reversed())
  }

  // MARK: Attachments

  mutating func reserve(_ bytes: Int, in id: ChatID) throws {
    _ = try chat(id)
    guard (1...MessagingLimits.attachmentBytes).contains(bytes) else {
      throw MessagingFailure(
        .limitReached, "An attachment has 1 to \(MessagingLimits.attachmentBytes) bytes (attachmentBytes).")
    }
    guard try transaction.attachmentCount(of: caller.regId) < MessagingLimits.storedAttachments else {
      throw MessagingFailure(
        .limitReached,
        "An identity has at most \(MessagingLimits.storedAttachments) attachments (storedAttachments). Recall messages "
          + "with some of them.")
    }
    let stored = try transaction.attachmentBytes(of: caller.regId)
    guard bytes <= MessagingLimits.storedAttachmentBytes - stored else {
      throw MessagingFailure(
        .limitReached,
        "The attachments of an identity have at most \(MessagingLimits.storedAttachmentBytes) bytes "
          + "(storedAttachmentBytes). Recall messages with some of them.")
    }
    try requireRoom(for: bytes)
    let attachment = AttachmentRecord(
      id: AttachmentID(RandomID.text(characters: 26)), chat: id, owner: caller.regId, bytes: bytes, isComplete: false,
      created: Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000))
    try transaction.put(attachment)
    issue(attachment, isUpload: true)
  }

  mutating func open(_ attachment: AttachmentID, in id: ChatID) throws {
    _ = try member(of: id)
    guard let record = try transaction.attachment(attachment), record.chat == id, record.isComplete else {
      throw MessagingFailure(.notFound, "The chat has no such attachment.")
    }
    issue(record, isUpload: false)
  }

  private mutating func issue(_ attachment: AttachmentRecord, isUpload: Bool) {
    let token = RandomID.text(characters: 52)
    outcome.transfer = .init(
      token: token, attachment: attachment.id, bytes: attachment.bytes, isUpload: isUpload, chat: attachment.chat,
      regId: caller.regId)
    outcome.answer = .ticket(
      ticket: AttachmentTicket(
        attachment: attachment.id, path: "\(MessagingLimits.path)/attachments/\(attachment.id)", token: token))
  }
}
