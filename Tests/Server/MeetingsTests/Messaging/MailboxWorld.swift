import Basics
import Crypto
import Foundation
import Messaging
import TestTenants
import Testing

@testable import Meetings

/// A sandbox domain in a store of its own, with the time in the test's hand.
final class MailboxWorld {
  let store: SQLiteMeetingStore
  let domain: MessagingDomain
  let folder: TemporaryFolder
  var now = Date(timeIntervalSince1970: 1_800_000_000)

  /// The same domain after a restart of the store.
  init(over old: MailboxWorld) async throws {
    await old.store.close()
    (folder, domain, now) = (old.folder, old.domain, old.now)
    store = try await SQLiteMeetingStore.open(folder: folder.path)
  }

  init() async throws {
    folder = TemporaryFolder()
    store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try await TestTenants.makeDefault(in: store, now: now)
    domain = MessagingDomain(
      id: MessagingDomain.randomID(), tenant: tenant.id, name: tenant.name,
      settings: .init(environment: .sandbox, authentication: .disabled), created: now)
    let made = domain
    try await store.mailboxes { try $0.insert(made) }
  }

  var time: MessageTime { MessageTime(milliseconds: Int64(now.timeIntervalSince1970 * 1_000)) }

  /// Registers an endpoint; nil when the identity is full.
  func register(
    _ user: String, isPersistent: Bool = true, secret: String? = nil, replaces: String? = nil
  ) async throws -> MailboxCaller? {
    let secret = secret ?? RandomID.text(characters: 52)
    let hello = EndpointMessage.Hello(
      domain: domain.id, token: "", userId: user, isPersistent: isPersistent, replaces: replaces)
    let (now, id) = (now, domain.id)
    let registration = try await store.mailboxes { transaction in
      try EndpointRegistration.register(
        hello, user: ProvenUser(userId: user, expires: now + 3_600),
        secretHash: try EndpointRegistration.hash(ofSecret: secret), now: now, in: transaction)
    }
    switch registration {
    case .registered(let identity, let endpoint, _):
      return MailboxCaller(domain: id, regId: identity.regId, endpoint: endpoint.id)
    case .full: return nil
    }
  }

  func person(_ user: String) async throws -> MailboxCaller { try #require(try await register(user)) }

  @discardableResult
  func apply(_ request: MessagingRequest, by caller: MailboxCaller) async throws -> MailboxOutcome {
    let time = time
    return try await store.mailboxes { transaction in
      try transaction.attempt {
        var logic = MailboxLogic(caller, now: time, in: transaction)
        return try logic.apply(request)
      }
    }
  }

  /// The code of the refusal; nil when there was none.
  func refusal(_ request: MessagingRequest, by caller: MailboxCaller) async throws -> MessagingFailure.Code? {
    do {
      try await apply(request, by: caller)
      return nil
    } catch let failure as MessagingFailure {
      return failure.code
    }
  }

  func chat(
    _ caller: MailboxCaller, _ others: [MailboxCaller], isOneToOne: Bool = false, cookie: String = "c"
  ) async throws -> ChatID {
    let all = others + [caller]
    let outcome = try await apply(
      .chatStart(
        cookie: cookie, invitees: others.map(\.regId), isOneToOne: isOneToOne, invitePolicy: .adminsOnly,
        keys: all.map { SealedEnvelope(to: $0.regId, sealed: Sealed("AAAA")) }), by: caller)
    guard case .chat(let chat) = outcome.answer else { throw MessagingFailure(.unknown, "\(outcome.answer)") }
    return chat.chatId
  }

  func send(_ caller: MailboxCaller, _ chat: ChatID, _ cookie: String) async throws -> UInt64 {
    let outcome = try await apply(.messageSend(chatId: chat, cookie: cookie, body: Sealed("Qk9E")), by: caller)
    guard case .sent(let number, _) = outcome.answer else { throw MessagingFailure(.unknown, "\(outcome.answer)") }
    return number.value
  }

  func events(_ caller: MailboxCaller, after: UInt64 = 0) async throws -> [MailboxEvent] {
    try await store.mailboxes { try $0.events(of: caller.regId, after: after, limit: 10_000) }
  }

  func history(_ caller: MailboxCaller, _ chat: ChatID) async throws -> [StoredMessage] {
    let outcome = try await apply(.history(chatId: chat, from: .init(0), through: .init(.max)), by: caller)
    guard case .messages(let messages) = outcome.answer else { return [] }
    return messages
  }

  /// Does the next part of what requests have left; nil when there is none.
  func upkeep() async throws -> MailboxUpkeep? {
    let time = time
    return try await store.mailboxes { try MailboxUpkeep.next(now: time, in: $0) }
  }

  func acknowledge(_ number: UInt64, by caller: MailboxCaller) async throws {
    try await store.mailboxes { try EndpointRegistration.acknowledge(number, by: caller, in: $0) }
  }
}
