import Foundation
import Meetings
import Messaging

/// A domain of the messaging service that was used for a while: identities `user-0` and so on, and chats of two with
/// all of the messages.
struct FullMailboxes: Sendable {
  static let domain = DomainID("5e5ba4d0-0000-4000-8000-00000000be4c")
  /// Chats; the first two identities share the first, the next two the next, and so on.
  static let chatCount = 1_000
  /// Rows of one transaction: as many as are quick, and few enough to show how it goes on.
  private static let rows = 10_000

  var identities: Int
  var perChat: Int
  var chats: [ChatID] = []

  /// Fills a data folder through the store's own transactions, and says on standard error how far it is.
  static func make(
    in store: SQLiteMeetingStore, identities: Int, messages: Int
  ) async throws -> FullMailboxes {
    var full = FullMailboxes(identities: identities, perChat: max(messages / chatCount, 1))
    let (now, tenant) = (Date(), try await store.defaultTenant(now: Date()))
    try await store.mailboxes { transaction in
      try transaction.insert(
        MessagingDomain(
          id: domain, tenant: tenant.id, name: tenant.name,
          settings: .init(environment: .sandbox, authentication: .disabled, hasKeyManagement: false), created: now))
    }
    for first in stride(from: 0, to: identities, by: rows) {
      try await store.mailboxes { transaction in
        for index in first..<min(first + rows, identities) {
          try transaction.insert(
            MessagingIdentity(
              regId: number(index), domain: domain, userId: user(index),
              pin: String(format: "%08x", index)), now: now)
        }
      }
      progress("identities", min(first + rows, identities), of: identities)
    }
    full.chats = try await store.mailboxes { transaction in
      try (0..<chatCount).map { try startChat($0, in: transaction, now: now) }
    }
    let perTransaction = max(rows / full.perChat, 1)
    for first in stride(from: 0, to: chatCount, by: perTransaction) {
      let last = min(first + perTransaction, chatCount)
      let (chats, perChat) = (full.chats, full.perChat)
      try await store.mailboxes { transaction in
        for index in first..<last { try write(perChat, to: chats[index], index, in: transaction, now: now) }
      }
      progress("messages", last * full.perChat, of: chatCount * full.perChat)
    }
    return full
  }

  static func user(_ index: Int) -> String { "user-\(index)" }

  private static func number(_ index: Int) -> RegID { RegID(UInt64(index) + 1) }

  private static func startChat(
    _ index: Int, in transaction: any MailboxTransaction, now: Date
  ) throws -> ChatID {
    let caller = MailboxCaller(domain: domain, regId: number(2 * index), endpoint: MailboxLogic.unregistered)
    var logic = MailboxLogic(caller, now: time(now), in: transaction)
    let outcome = try logic.apply(
      .chatStart(
        cookie: "bench", invitees: [number(2 * index + 1)], isOneToOne: true, invitePolicy: .participantsOnly, keys: [])
    )
    guard case .chat(let chat) = outcome.answer else { throw BenchFailure("no chat was made") }
    return chat.chatId
  }

  /// Messages of both, in turn, as they are stored once everybody has got them.
  private static func write(
    _ count: Int, to id: ChatID, _ index: Int, in transaction: any MailboxTransaction, now: Date
  ) throws {
    guard var chat = try transaction.chat(id) else { throw BenchFailure("the chat is gone") }
    let body = Sealed(String(repeating: "QUFB", count: 50))
    for message in 1...count {
      try transaction.insert(
        StoredMessage(
          number: MessageNumber(UInt64(message)), sender: number(2 * index + message % 2), endpoint: EndpointID("e"),
          cookie: "m\(message)", time: time(now), state: .present, body: body, attachments: []), in: id)
    }
    chat.lastMessage = UInt64(count)
    try transaction.put(chat)
  }

  private static func time(_ date: Date) -> MessageTime {
    MessageTime(milliseconds: Int64(date.timeIntervalSince1970 * 1_000))
  }

  private static func progress(_ what: String, _ done: Int, of all: Int) {
    FileHandle.standardError.write(Data("\r\(done) of \(all) \(what)\(done == all ? "\n" : "")".utf8))
  }
}
