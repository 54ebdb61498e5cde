import Foundation
import Messaging
import TestTenants
import Testing

@testable import Meetings

@Suite("Removal of domains")
struct DomainRemovalTests {
  private func run(_ world: MailboxWorld, _ sql: String, _ values: [SQLiteValue] = []) async throws {
    try await world.store.mailboxes { try ($0 as? SQLiteMailboxTransaction)?.run(sql, values) }
  }

  /// The rows of the messaging service, whosever they are.
  private func rows(_ world: MailboxWorld) async throws -> [String: Int] {
    try await world.store.mailboxes { transaction in
      guard let transaction = transaction as? SQLiteMailboxTransaction else { return [:] }
      var found: [String: Int] = [:]
      let tables =
        SQLiteMailboxTransaction.chatTables + [
          "mailbox_chats", "mailbox_removed_chats", "mailbox_events", "messaging_endpoints", "messaging_identities",
          "messaging_key_records", "messaging_key_notices", "messaging_usage", "messaging_identity_usage", "vaults",
          "messaging_domains",
        ]
      for table in tables {
        found[table] = try transaction.rows("SELECT count(*) FROM \(table)") { Int($0.integer(0)) }.first
      }
      return found
    }
  }

  /// Numbers from 1 on, as rows of a statement.
  private let numbers =
    "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1) "

  /// Rows in every table: chats of many messages and many chats, full mailboxes, many identities.
  private func fill(_ world: MailboxWorld, _ ann: MailboxCaller, _ bob: MailboxCaller) async throws {
    let chat = try await world.chat(ann, [bob])
    try await world.apply(.chatUpdate(chatId: chat, subject: Sealed("AAAA")), by: ann)
    try await world.apply(.attachmentUpload(chatId: chat, bytes: 5_000), by: ann)
    let gone = try await world.chat(ann, [bob], cookie: "gone")
    let domain = SQLiteValue.text(world.domain.id.text)
    for id in [chat, gone] {
      try await run(
        world,
        numbers + """
          INSERT INTO mailbox_messages (chat, number, sender, endpoint, cookie, time, body, attachments)
          SELECT ?2, n, ?3, 'e', 'k' || n, 0, 'AAAA', '' FROM numbers
          """, [.number(2_300), .text(id.text), .id(ann.regId)])
    }
    try await world.apply(.messageDelete(chatId: chat, number: .init(7)), by: bob)
    for caller in [ann, bob] { try await world.apply(.chatLeave(chatId: gone), by: caller) }
    try await run(
      world,
      numbers + "INSERT INTO mailbox_events (identity, number, time, body) SELECT ?2, n + 100, 0, '{}' FROM numbers",
      [.number(2_300), .id(bob.regId)])
    for statement in [
      "INSERT INTO messaging_identities (id, domain, user, pin, created) SELECT n, ?2, 'u' || n, 'p' || n, 0 FROM numbers",
      "INSERT INTO messaging_key_records (domain, user, record) SELECT ?2, 'u' || n, '{}' FROM numbers",
      """
      INSERT INTO mailbox_chats (id, domain, creator, cookie, policy, last_message)
      SELECT 'chat ' || n, ?2, n, 'c', 'adminsOnly', 0 FROM numbers
      """,
    ] {
      try await run(world, numbers + statement, [.number(1_500), domain])
    }
    try await run(
      world,
      """
      INSERT INTO messaging_endpoints
      SELECT 'e ' || id, id, 's' || id, '', '', 1, 0, 0, 0, 0 FROM messaging_identities WHERE id <= 1500
      """)
    for identity in ["messaging 7", "messaging 999999", "a person"] {
      try await run(
        world, "INSERT INTO vaults (tenant, identity, version, tries, changed) VALUES (?, ?, 1, 0, 0)",
        [.text(world.domain.tenant.rawValue), .text(identity)])
    }
  }

  @Test("a domain goes a few rows at a time, over restarts, and no other one with it")
  func parts() async throws {
    var world = try await MailboxWorld()
    let tenant = try TestTenants.make(name: "other", policy: TenantPolicy(signIn: .token), now: world.now)
    let key = APIKey.make(tenant: tenant.id, now: world.now)
    try await world.store.transaction { try $0.insert(tenant, key: key) }
    let other = MessagingDomain(
      id: MessagingDomain.randomID(), tenant: tenant.id, name: "other", settings: world.domain.settings,
      created: world.now)
    try await world.store.mailboxes { try $0.insert(other) }
    try await run(
      world, "INSERT INTO messaging_identities (id, domain, user, pin, created) VALUES (9000, ?, 'zoe', 'pin', 0)",
      [.text(other.id.text)])
    try await run(world, "INSERT INTO mailbox_events (identity, number, time, body) VALUES (9000, 1, 0, '{}')")
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    try await fill(world, ann, bob)
    let before = try await rows(world)
    #expect(before.filter { $0.key != "messaging_key_notices" }.values.allSatisfy { $0 > 0 }, "\(before)")

    let (id, now) = (world.domain.id, world.now)
    var left = before.values.reduce(0, +)
    let first = try await world.store.mailboxes { try DomainRemoval.start(id, now: now, in: $0) }
    #expect(first?.isComplete == false)
    // It is refused to everybody from here on, and says so.
    #expect(try await world.refusal(.chatsGet(), by: ann) == .endpointDeregistered)
    let late = await #expect(throws: MessagingFailure.self) { try await world.register("cyd") }
    let resume = EndpointMessage.Resume(
      domain: id, endpoint: ann.endpoint, secret: "s", acknowledged: EventNumber(0))
    let store = world.store
    let back = await #expect(throws: MessagingFailure.self) {
      try await store.mailboxes { _ = try EndpointRegistration.resume(resume, in: $0) }
    }
    #expect([late, back].allSatisfy { $0?.code == .endpointDeregistered })
    #expect(try await world.store.mailboxes { try $0.domain(id)?.isBeingRemoved } == true)
    #expect(try await world.store.mailboxes { try $0.domains(after: "", limit: 9).count } == 2)

    var parts = 0
    repeat {
      let rest = try await rows(world).values.reduce(0, +)
      // Three tables of a chat, each with as many rows as a part may have; counts of usage go with identities.
      #expect(rest < left && left - rest <= 3 * MailboxUpkeep.rows, "\(left) became \(rest)")
      left = rest
      parts += 1
      if parts % 3 == 1 { world = try await MailboxWorld(over: world) }
    } while try await world.upkeep() != nil
    #expect(parts > 8)
    let after = try await rows(world).filter { $0.value > 0 }
    #expect(
      after == [
        "messaging_domains": 1, "messaging_usage": 1, "messaging_identities": 1, "messaging_identity_usage": 1,
        "mailbox_events": 1, "vaults": 1,
      ])
    #expect(try await world.store.mailboxes { try $0.domain(id) } == nil)
    #expect(try await world.store.mailboxes { try DomainRemoval.start(id, now: now, in: $0) } == nil)
    #expect(try await world.upkeep() == nil)
  }

  @Test("a small domain is gone with its first part")
  func small() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    _ = try await world.send(ann, try await world.chat(ann, [bob]), "k")
    let (id, now) = (world.domain.id, world.now)
    let removed = try await world.store.mailboxes { try DomainRemoval.start(id, now: now, in: $0) }
    #expect(removed?.isComplete == true)
    #expect(try await rows(world).values.allSatisfy { $0 == 0 })
  }
}
