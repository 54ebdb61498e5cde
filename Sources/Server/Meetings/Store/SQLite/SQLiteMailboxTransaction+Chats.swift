import FoundationEssentials
import Messaging

/// Chats and their participants.
extension SQLiteMailboxTransaction {
  private static let chatColumns = "id, domain, pair, creator, cookie, policy, last_message"

  private static func chat(_ row: SQLiteRow) -> ChatRecord {
    ChatRecord(
      id: ChatID(row.text(0)), domain: DomainID(row.text(1)), pair: row.isNull(2) ? nil : row.text(2),
      creator: row.identity(3), cookie: row.text(4),
      invitePolicy: ChatInfo.InvitePolicy(rawValue: row.text(5)) ?? .adminsOnly,
      lastMessage: row.unsigned(6))
  }

  private func chat(where condition: String, _ values: [SQLiteValue]) throws(MeetingStoreError) -> ChatRecord? {
    try rows("SELECT \(Self.chatColumns) FROM mailbox_chats WHERE \(condition)", values, Self.chat).first
  }

  func chat(_ id: ChatID) throws(MeetingStoreError) -> ChatRecord? { try chat(where: "id = ?", [.text(id.text)]) }

  func chat(pair: String, of domain: DomainID) throws(MeetingStoreError) -> ChatRecord? {
    try chat(where: "domain = ? AND pair = ?", [.text(domain.text), .text(pair)])
  }

  func chat(cookie: String, creator: RegID) throws(MeetingStoreError) -> ChatRecord? {
    try chat(where: "creator = ? AND cookie = ?", [.id(creator), .text(cookie)])
  }

  func chats(of identity: RegID, after: ChatID?, limit: Int) throws(MeetingStoreError) -> [ChatID] {
    try rows(
      "SELECT chat FROM mailbox_participants WHERE identity = ? AND chat > ? ORDER BY chat LIMIT ?",
      [.id(identity), .text(after?.text ?? ""), .number(limit)]
    ) { ChatID($0.text(0)) }
  }

  func chatCount(of identity: RegID) throws(MeetingStoreError) -> Int {
    try rows("SELECT count(*) FROM mailbox_participants WHERE identity = ?", [.id(identity)]) {
      Int(clamping: $0.integer(0))
    }.first ?? 0
  }

  func hasFewChats(of identity: RegID, madeBy creator: RegID) throws(MeetingStoreError) -> Bool {
    try rows(
      """
      SELECT 1 FROM mailbox_chats AS chat
      JOIN mailbox_participants AS participant ON participant.chat = chat.id AND participant.identity = ?1
      WHERE chat.creator = ?2 LIMIT ?3
      """, [.id(identity), .id(creator), .number(MessagingLimits.chatsOfOne)]
    ) { _ in true }.count < MessagingLimits.chatsOfOne
  }

  func put(_ chat: ChatRecord) throws(MeetingStoreError) {
    try run(
      "INSERT OR REPLACE INTO mailbox_chats (\(Self.chatColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        .text(chat.id.text), .text(chat.domain.text), chat.pair.map { .text($0) } ?? .null, .id(chat.creator),
        .text(chat.cookie), .text(chat.invitePolicy.rawValue), .number(chat.lastMessage),
      ])
  }

  func setLastMessage(_ number: UInt64, of chat: ChatID) throws(MeetingStoreError) {
    try run("UPDATE mailbox_chats SET last_message = ? WHERE id = ?", [.number(number), .text(chat.text)])
  }

  func texts(of chat: ChatID) throws(MeetingStoreError) -> ChatTexts {
    try rows("SELECT subject, data FROM mailbox_chat_texts WHERE chat = ?", [.text(chat.text)]) {
      ChatTexts(subject: $0.sealed(0), data: $0.sealed(1))
    }.first ?? ChatTexts()
  }

  func put(_ texts: ChatTexts, of chat: ChatID) throws(MeetingStoreError) {
    try run(
      "INSERT INTO mailbox_chat_texts (chat, subject, data) VALUES (?, ?, ?) "
        + "ON CONFLICT (chat) DO UPDATE SET subject = excluded.subject, data = excluded.data",
      [.text(chat.text), .sealed(texts.subject), .sealed(texts.data)])
  }

  /// The tables whose rows go with their chat.
  static let chatTables = [
    "mailbox_messages", "mailbox_deleted", "mailbox_attachments", "mailbox_participants", "mailbox_envelopes",
    "mailbox_chat_texts",
  ]

  func remove(chat: ChatID) throws(MeetingStoreError) -> RemovedRows {
    try remove(chat: chat, limit: MailboxUpkeep.rows)
  }

  func remove(chat: ChatID, limit: Int) throws(MeetingStoreError) -> RemovedRows {
    let id = SQLiteValue.text(chat.text)
    var count = 0
    for table in ["mailbox_participants", "mailbox_envelopes", "mailbox_chat_texts"] {
      try run("DELETE FROM \(table) WHERE chat = ?", [id])
      count += database.changes
    }
    try run(
      "INSERT OR IGNORE INTO mailbox_removed_chats (chat, domain) SELECT id, domain FROM mailbox_chats WHERE id = ?",
      [id])
    try run("DELETE FROM mailbox_chats WHERE id = ?", [id])
    var removed = try purge(removed: id, limit: limit)
    removed.count += count
    return removed
  }

  func purgeRemovedChat(limit: Int) throws(MeetingStoreError) -> RemovedRows? {
    let chat = try rows("SELECT chat FROM mailbox_removed_chats LIMIT 1") { $0.text(0) }.first
    return try chat.map { chat throws(MeetingStoreError) in try purge(removed: .text(chat), limit: limit) }
  }

  func purge(removed chat: SQLiteValue, limit: Int) throws(MeetingStoreError) -> RemovedRows {
    let attachments = try rows(
      "SELECT id FROM mailbox_attachments WHERE chat = ? LIMIT ?", [chat, .number(limit)]
    ) { AttachmentID($0.text(0)) }
    for id in attachments { try remove(attachment: id) }
    try run(
      "DELETE FROM mailbox_messages WHERE chat = ?1 AND number IN (SELECT number FROM mailbox_messages "
        + "WHERE chat = ?1 LIMIT ?2)", [chat, .number(limit)])
    let messages = database.changes
    try run(
      "DELETE FROM mailbox_deleted WHERE (chat, number, identity) IN (SELECT chat, number, identity "
        + "FROM mailbox_deleted WHERE chat = ? LIMIT ?)", [chat, .number(limit)])
    let deleted = database.changes
    let isComplete = max(attachments.count, messages, deleted) < limit
    if isComplete { try run("DELETE FROM mailbox_removed_chats WHERE chat = ?", [chat]) }
    return RemovedRows(
      attachments: attachments, count: attachments.count + messages + deleted, isComplete: isComplete)
  }

  private static let participantColumns = "chat, identity, state, admin, delivered, read, first_message"

  private static func participant(_ row: SQLiteRow) -> ParticipantRecord {
    ParticipantRecord(
      chat: ChatID(row.text(0)), regId: row.identity(1),
      state: ChatParticipant.State(rawValue: row.text(2)) ?? .pending, isAdmin: row.integer(3) == 1,
      delivered: row.unsigned(4), read: row.unsigned(5), firstMessage: row.unsigned(6))
  }

  func members(of chat: ChatID) throws(MeetingStoreError) -> [RegID] {
    try rows(
      "SELECT identity FROM mailbox_participants WHERE chat = ? ORDER BY identity", [.text(chat.text)]
    ) { $0.identity(0) }
  }

  func participants(of chat: ChatID) throws(MeetingStoreError) -> [ParticipantRecord] {
    try rows(
      "SELECT \(Self.participantColumns) FROM mailbox_participants WHERE chat = ? ORDER BY identity",
      [.text(chat.text)], Self.participant)
  }

  func participant(_ identity: RegID, of chat: ChatID) throws(MeetingStoreError) -> ParticipantRecord? {
    try rows(
      "SELECT \(Self.participantColumns) FROM mailbox_participants WHERE chat = ? AND identity = ?",
      [.text(chat.text), .id(identity)], Self.participant
    ).first
  }

  func put(_ participant: ParticipantRecord) throws(MeetingStoreError) {
    try run(
      "INSERT OR REPLACE INTO mailbox_participants (\(Self.participantColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        .text(participant.chat.text), .id(participant.regId), .text(participant.state.rawValue),
        .flag(participant.isAdmin), .number(participant.delivered), .number(participant.read),
        .number(participant.firstMessage),
      ])
  }

  func setMarks(
    delivered: UInt64, read: UInt64, of identity: RegID, in chat: ChatID
  ) throws(MeetingStoreError) {
    try run(
      "UPDATE mailbox_participants SET delivered = ?, read = ? WHERE chat = ? AND identity = ?",
      [.number(delivered), .number(read), .text(chat.text), .id(identity)])
  }

  func envelopes(of identity: RegID, in chat: ChatID) throws(MeetingStoreError) -> ChatEnvelopes {
    try rows(
      "SELECT key, own_key FROM mailbox_envelopes WHERE chat = ? AND identity = ?", [.text(chat.text), .id(identity)]
    ) { ChatEnvelopes(key: $0.sealed(0), ownKey: $0.sealed(1)) }.first ?? ChatEnvelopes()
  }

  func put(_ envelope: Sealed, isOwn: Bool, of identity: RegID, in chat: ChatID) throws(MeetingStoreError) {
    let column = isOwn ? "own_key" : "key"
    try run(
      "INSERT INTO mailbox_envelopes (chat, identity, \(column)) VALUES (?, ?, ?) "
        + "ON CONFLICT (chat, identity) DO UPDATE SET \(column) = excluded.\(column)",
      [.text(chat.text), .id(identity), .sealed(envelope)])
  }

  func remove(participant: RegID, of chat: ChatID) throws(MeetingStoreError) {
    for table in ["mailbox_participants", "mailbox_envelopes", "mailbox_deleted"] {
      try run("DELETE FROM \(table) WHERE chat = ? AND identity = ?", [.text(chat.text), .id(participant)])
    }
  }

  func contacts(of identity: RegID, after chat: ChatID?, limit: Int) throws(MeetingStoreError) -> ContactPage {
    // One chat more: the last one may not be whole.
    let most = limit + MessagingLimits.participants
    var found = try rows(
      """
      SELECT own.chat, other.identity FROM mailbox_participants AS own
      JOIN mailbox_participants AS other ON other.chat = own.chat
      WHERE own.identity = ? AND own.chat > ? ORDER BY own.chat, other.identity LIMIT ?
      """, [.id(identity), .text(chat?.text ?? ""), .number(most)]
    ) { (chat: $0.text(0), identity: $0.identity(1)) }
    let isLast = found.count < most
    if !isLast, let cut = found.last?.chat { found.removeAll { $0.chat == cut } }
    return ContactPage(
      contacts: Set(found.map(\.identity)).subtracting([identity]).sorted(),
      last: isLast ? nil : found.last.map { ChatID($0.chat) })
  }

  func setKeyNotice(of identity: RegID, after chat: ChatID?) throws(MeetingStoreError) {
    guard let chat else {
      return try run("DELETE FROM messaging_key_notices WHERE identity = ?", [.id(identity)])
    }
    try run(
      "INSERT OR REPLACE INTO messaging_key_notices (identity, after_chat) VALUES (?, ?)",
      [.id(identity), .text(chat.text)])
  }

  func keyNotice() throws(MeetingStoreError) -> KeyNotice? {
    try rows("SELECT identity, after_chat FROM messaging_key_notices LIMIT 1") {
      KeyNotice(regId: $0.identity(0), after: ChatID($0.text(1)))
    }.first
  }
}
