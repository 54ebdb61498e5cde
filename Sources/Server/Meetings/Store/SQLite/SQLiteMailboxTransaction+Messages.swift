import FoundationEssentials
import Messaging

/// Messages, attachments, and the events of mailboxes.
extension SQLiteMailboxTransaction {
  private static let messageColumns = "number, sender, endpoint, cookie, time, recalled, body, attachments"

  private static func message(_ row: SQLiteRow, _ first: Int32 = 0) -> StoredMessage {
    StoredMessage(
      number: MessageNumber(row.unsigned(first)), sender: row.identity(first + 1),
      endpoint: EndpointID(row.text(first + 2)), cookie: row.text(first + 3),
      time: MessageTime(milliseconds: row.integer(first + 4)),
      state: row.integer(first + 5) == 1 ? .recalled : .present, body: row.sealed(first + 6),
      attachments: row.text(first + 7).split(separator: " ").map { AttachmentID(String($0)) })
  }

  func message(_ number: UInt64, of chat: ChatID) throws(MeetingStoreError) -> StoredMessage? {
    try rows(
      "SELECT \(Self.messageColumns) FROM mailbox_messages WHERE chat = ? AND number = ?",
      [.text(chat.text), .number(number)]
    ) { Self.message($0) }.first
  }

  func message(cookie: String, sender: RegID, of chat: ChatID) throws(MeetingStoreError) -> StoredMessage? {
    try rows(
      "SELECT \(Self.messageColumns) FROM mailbox_messages WHERE chat = ? AND sender = ? AND cookie = ?",
      [.text(chat.text), .id(sender), .text(cookie)]
    ) { Self.message($0) }.first
  }

  func messages(
    of chat: ChatID, _ range: ClosedRange<UInt64>, reader: RegID, limit: Int
  ) throws(MeetingStoreError) -> [StoredMessage] {
    try rows(
      """
      SELECT \(Self.messageColumns) FROM mailbox_messages AS message
      WHERE chat = ?1 AND number BETWEEN ?2 AND ?3 AND NOT EXISTS (
        SELECT 1 FROM mailbox_deleted AS gone
        WHERE gone.chat = message.chat AND gone.number = message.number AND gone.identity = ?4)
      ORDER BY number DESC LIMIT ?5
      """,
      [.text(chat.text), .number(range.lowerBound), .number(range.upperBound), .id(reader), .number(limit)]
    ) { Self.message($0) }.reversed()
  }

  func insert(_ message: StoredMessage, in chat: ChatID) throws(MeetingStoreError) {
    try run(
      "INSERT INTO mailbox_messages (chat, \(Self.messageColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .text(chat.text), .number(message.number.value), .id(message.sender), .text(message.endpoint.text),
        .text(message.cookie), .integer(message.time.milliseconds), .flag(message.state == .recalled),
        .sealed(message.body), .text(message.attachments.map(\.text).joined(separator: " ")),
      ])
  }

  func recall(_ number: UInt64, of chat: ChatID) throws(MeetingStoreError) {
    try run(
      "UPDATE mailbox_messages SET recalled = 1, body = NULL, attachments = '' WHERE chat = ? AND number = ?",
      [.text(chat.text), .number(number)])
  }

  func delete(_ number: UInt64, of chat: ChatID, reader: RegID) throws(MeetingStoreError) {
    try run(
      "INSERT OR IGNORE INTO mailbox_deleted (identity, chat, number) VALUES (?, ?, ?)",
      [.id(reader), .text(chat.text), .number(number)])
  }

  // MARK: Attachments

  func attachment(_ id: AttachmentID) throws(MeetingStoreError) -> AttachmentRecord? {
    try rows(
      "SELECT id, chat, owner, bytes, complete, created, uses FROM mailbox_attachments WHERE id = ?", [.text(id.text)]
    ) { row in
      AttachmentRecord(
        id: AttachmentID(row.text(0)), chat: ChatID(row.text(1)), owner: row.identity(2),
        bytes: Int(clamping: row.integer(3)), isComplete: row.integer(4) == 1, created: row.time(5),
        uses: Int(clamping: row.integer(6)))
    }.first
  }

  func put(_ attachment: AttachmentRecord) throws(MeetingStoreError) {
    try run(
      "INSERT INTO mailbox_attachments (id, chat, owner, bytes, complete, created, uses) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?) "
        + "ON CONFLICT (id) DO UPDATE SET complete = excluded.complete, uses = excluded.uses",
      [
        .text(attachment.id.text), .text(attachment.chat.text), .id(attachment.owner), .number(attachment.bytes),
        .flag(attachment.isComplete), .time(attachment.created), .number(attachment.uses),
      ])
  }

  func attachmentBytes(of owner: RegID) throws(MeetingStoreError) -> Int {
    try rows("SELECT coalesce(sum(bytes), 0) FROM mailbox_attachments WHERE owner = ?", [.id(owner)]) {
      Int(clamping: $0.integer(0))
    }.first ?? 0
  }

  func attachmentCount(of owner: RegID) throws(MeetingStoreError) -> Int {
    try rows("SELECT count(*) FROM mailbox_attachments WHERE owner = ?", [.id(owner)]) {
      Int(clamping: $0.integer(0))
    }.first ?? 0
  }

  func purgeAttachments(before: Date) throws(MeetingStoreError) -> [AttachmentID] {
    let gone = try rows("SELECT id FROM mailbox_attachments WHERE uses = 0 AND created < ?", [.time(before)]) {
      AttachmentID($0.text(0))
    }
    for id in gone { try remove(attachment: id) }
    return gone
  }

  func remove(attachment: AttachmentID) throws(MeetingStoreError) {
    try run("DELETE FROM mailbox_attachments WHERE id = ?", [.text(attachment.text)])
  }

  // MARK: Mailboxes

  func append(
    _ event: MessagingEvent, to identity: RegID, subject: String?, time: MessageTime
  ) throws(MeetingStoreError) -> MailboxEvent {
    try run("UPDATE messaging_identities SET last_event = last_event + 1 WHERE id = ?", [.id(identity)])
    let number =
      try rows("SELECT last_event FROM messaging_identities WHERE id = ?", [.id(identity)]) {
        $0.unsigned(0)
      }.first ?? 0
    if let subject {
      try run("DELETE FROM mailbox_events WHERE identity = ? AND subject = ?", [.id(identity), .text(subject)])
    }
    var (body, chat, message) = (SQLiteValue.null, SQLiteValue.null, SQLiteValue.null)
    switch event {
    case .message(let chatId, let stored):
      chat = .text(chatId.text)
      message = .number(stored.number.value)
    case .chatAdded(let info, let by):
      chat = .text(info.chatId.text)
      body = .json(ChatReference(by: by, isAdded: true))
    case .chatChanged(let info, let by):
      chat = .text(info.chatId.text)
      body = .json(ChatReference(by: by, isAdded: false))
    case .chatRemoved, .chatKey, .chatJoined, .messageRecalled, .messageDeleted, .marks, .keysChanged, .gap:
      body = .json(event)
    }
    try run(
      "INSERT INTO mailbox_events (identity, number, time, subject, body, chat, message) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        .id(identity), .number(number), .integer(time.milliseconds), subject.map { .text($0) } ?? .null, body, chat,
        message,
      ])
    if subject == nil, case .text(let text) = body {
      try run(
        "UPDATE messaging_identities SET mailbox_characters = mailbox_characters + ? WHERE id = ?",
        [.number(text.unicodeScalars.count), .id(identity)])
    }
    return MailboxEvent(number: number, time: time, event: event)
  }

  func pin(subject: String, of identity: RegID) throws(MeetingStoreError) {
    try run(
      "UPDATE mailbox_events SET subject = NULL WHERE identity = ? AND subject = ?", [.id(identity), .text(subject)])
  }

  func events(of identity: RegID, after: UInt64, limit: Int) throws(MeetingStoreError) -> [MailboxEvent] {
    let columns = Self.messageColumns.split(separator: ", ").map { "message.\($0)" }.joined(separator: ", ")
    let found = try rows(
      """
      SELECT event.number, event.time, event.body, event.chat, \(columns) FROM mailbox_events AS event
      LEFT JOIN mailbox_messages AS message ON message.chat = event.chat AND message.number = event.message
      WHERE event.identity = ? AND event.number > ? ORDER BY event.number LIMIT ?
      """, [.id(identity), .number(after), .number(limit)]
    ) { row in
      let content: WaitingEvent
      switch (row.isNull(2), row.isNull(3)) {
      case (false, true):
        // A later version may have written a kind that is unknown here: the endpoint reads everything again.
        content = .event(Self.decode(MessagingEvent.self, row.text(2)) ?? .gap)
      case (false, false):
        content =
          Self.decode(ChatReference.self, row.text(2)).map { .chat(ChatID(row.text(3)), $0) } ?? .event(.gap)
      case (true, _):
        // The chat may be gone. The number has to reach the endpoint all the same, so that it acknowledges it.
        let chat = ChatID(row.text(3))
        content = .event(
          row.isNull(4)
            ? .chatRemoved(chatId: chat, by: identity) : .message(chatId: chat, message: Self.message(row, 4)))
      }
      return (row.unsigned(0), MessageTime(milliseconds: row.integer(1)), content)
    }
    return try found.map { number, time, content throws(MeetingStoreError) in
      MailboxEvent(number: number, time: time, event: try event(content, for: identity))
    }
  }

  /// An event with a whole chat, as it is stored. Whole, it would be there once for each participant.
  private struct ChatReference: Codable {
    var by: RegID
    var isAdded: Bool
  }

  private enum WaitingEvent {
    case event(MessagingEvent)
    case chat(ChatID, ChatReference)
  }

  private func event(_ waiting: WaitingEvent, for reader: RegID) throws(MeetingStoreError) -> MessagingEvent {
    switch waiting {
    case .event(let event): return event
    case .chat(let id, let reference):
      guard let chat = try chat(id), try participant(reader, of: id) != nil else {
        return .chatRemoved(chatId: id, by: reference.by)
      }
      let info = try ChatView(chat, in: self).info(for: reader, try envelopes(of: reader, in: id))
      return reference.isAdded ? .chatAdded(chat: info, by: reference.by) : .chatChanged(chat: info, by: reference.by)
    }
  }

  func trim(_ identity: RegID, through number: UInt64) throws(MeetingStoreError) {
    let freed =
      try rows(
        "SELECT coalesce(sum(length(body)), 0) FROM mailbox_events "
          + "WHERE identity = ? AND number <= ? AND subject IS NULL", [.id(identity), .number(number)]
      ) { $0.integer(0) }.first ?? 0
    try run("DELETE FROM mailbox_events WHERE identity = ? AND number <= ?", [.id(identity), .number(number)])
    if database.changes > 0 { try note(identity, purged: number, freed: freed) }
  }

  /// - Parameter freed: The characters of the events without a subject that are deleted.
  private func note(_ identity: RegID, purged number: UInt64, freed: Int64) throws(MeetingStoreError) {
    try run(
      "UPDATE messaging_identities SET purged = max(purged, ?), mailbox_characters = max(0, mailbox_characters - ?) "
        + "WHERE id = ?", [.number(number), .integer(freed), .id(identity)])
  }

  func trim(_ identity: RegID, toCharacters limit: Int) throws(MeetingStoreError) {
    let stored =
      try rows("SELECT mailbox_characters FROM messaging_identities WHERE id = ?", [.id(identity)]) {
        Int(clamping: $0.integer(0))
      }.first ?? 0
    guard stored > limit else { return }
    let through = try rows(
      """
      SELECT number FROM (
        SELECT number, sum(length(body)) OVER (ORDER BY number) AS freed FROM mailbox_events
        WHERE identity = ? AND subject IS NULL AND body IS NOT NULL)
      WHERE freed >= ? ORDER BY number LIMIT 1
      """, [.id(identity), .number(stored - limit / 4 * 3)]
    ) { $0.unsigned(0) }.first
    if let through { try trim(identity, through: through) }
  }

  func purgeEvents(before time: MessageTime, limit: Int) throws(MeetingStoreError) -> Int {
    // In the order of the index, so that both statements are about the same events.
    let oldest =
      "FROM mailbox_events INDEXED BY mailbox_events_by_time WHERE time < ? ORDER BY time, identity, number LIMIT ?"
    let values = [SQLiteValue.integer(time.milliseconds), .number(limit)]
    let old = try rows(
      """
      SELECT identity, max(number), coalesce(sum(CASE WHEN subject IS NULL THEN length(body) END), 0)
      FROM (SELECT identity, number, subject, body \(oldest)) GROUP BY identity
      """, values
    ) { ($0.identity(0), $0.unsigned(1), $0.integer(2)) }
    for (identity, number, freed) in old { try note(identity, purged: number, freed: freed) }
    try run("DELETE FROM mailbox_events WHERE (identity, number) IN (SELECT identity, number \(oldest))", values)
    return database.changes
  }
}
