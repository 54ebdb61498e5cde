import Basics
import Foundation
import Messaging
import TestTenants
import Testing

@testable import Meetings

@Suite("Removal of tenants")
struct TenantRemovalTests {
  private let tables = [
    "tenants", "api_keys", "meetings", "tokens", "revoked_tokens", "webhooks", "webhook_deliveries", "vaults",
    "messaging_domains", "messaging_identities",
  ]

  private func run(_ world: MailboxWorld, _ sql: String, _ values: [SQLiteValue] = []) async throws {
    try await world.store.mailboxes { try ($0 as? SQLiteMailboxTransaction)?.run(sql, values) }
  }

  private func rows(_ world: MailboxWorld) async throws -> [String: Int] {
    let tables = tables
    return try await world.store.mailboxes { transaction in
      guard let transaction = transaction as? SQLiteMailboxTransaction else { return [:] }
      var found: [String: Int] = [:]
      for table in tables {
        found[table] = try transaction.rows("SELECT count(*) FROM \(table)") { Int($0.integer(0)) }.first
      }
      return found
    }
  }

  /// A tenant with a domain, and as many rows in each table; its identities have numbers from `first` on.
  private func tenant(
    _ name: String, _ count: Int, from first: Int, in world: MailboxWorld
  ) async throws -> Tenant {
    let tenant = try TestTenants.make(name: name, policy: TenantPolicy(signIn: .token), now: world.now)
    let key = APIKey.make(tenant: tenant.id, now: world.now)
    let hook = Webhook(tenant: tenant.id, url: "https://a.example/x", events: [], created: world.now)
    try await world.store.transaction { try $0.insert(tenant, key: key) }
    #expect(try await world.store.insert(hook))
    let domain = MessagingDomain(
      id: MessagingDomain.randomID(), tenant: tenant.id, name: name, settings: world.domain.settings,
      created: world.now)
    try await world.store.mailboxes { try $0.insert(domain) }
    let numbers =
      "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1) "
    let id = SQLiteValue.text(tenant.id.rawValue)
    for (sql, value) in [
      (
        """
        INSERT INTO meetings (id, tenant, room_key, room, kind, subject, summary, access_level, owner, created)
        SELECT ?2 || ' ' || n, ?2, 'r' || n, 'r' || n, 'named', '', '', 'everyone', 'o' || n, 0 FROM numbers
        """, id
      ),
      (
        """
        INSERT INTO tokens (tenant, id, form, room, room_key, role, expires, uses)
        SELECT ?2, 't' || n, 'parley', 'r', 'r', 'guest', 0, 1 FROM numbers
        """, id
      ),
      ("INSERT INTO revoked_tokens (tenant, id, expires) SELECT ?2, 't' || n, 0 FROM numbers", id),
      (
        "INSERT INTO vaults (tenant, identity, version, tries, changed) SELECT ?2, 'person ' || n, 1, 0, 0 FROM numbers",
        id
      ),
      (
        """
        INSERT INTO webhook_deliveries (id, webhook, meeting, event, type, body, created, state, attempts, next)
        SELECT ?2 || n, ?2, 'm', 'e', 'meeting.started', '{}', 0, 'pending', 0, 0 FROM numbers
        """, .text(hook.id.rawValue)
      ),
      (
        "INSERT INTO messaging_identities (id, domain, user, pin, created) "
          + "SELECT n + \(first), ?2, 'u' || n, 'p' || n, 0 FROM numbers", .text(domain.id.text)
      ),
    ] { try await run(world, numbers + sql, [.number(count), value]) }
    return tenant
  }

  /// The tenants of everything that lists of all tenants show.
  private func listed(_ store: SQLiteMeetingStore) async throws -> Set<TenantID> {
    var found = Set(try await store.meetings(tenant: nil, limit: 9_999).map(\.tenant))
    found.formUnion(try await store.meetings(tenant: nil, after: nil, limit: 9_999).map(\.tenant))
    found.formUnion(try await store.personalRooms(tenant: nil, after: nil, limit: 9_999).map(\.tenant))
    found.formUnion(try await store.tokens(tenant: nil, room: nil, before: nil, limit: 9_999).map(\.tenant))
    found.formUnion(try await store.webhooks(tenant: nil).map(\.tenant))
    return found
  }

  @Test("nothing of a tenant that is being removed is listed, found or changed")
  func hidden() async throws {
    let world = try await MailboxWorld()
    let store = world.store
    let acme = try await tenant("acme", 1_500, from: 10_000, in: world)
    let other = try await tenant("other", 2, from: 20_000, in: world)
    #expect(try await listed(store) == [acme.id, other.id])
    let hook = try #require(try await store.webhooks(tenant: acme.id).first)
    let id = MeetingID(rawValue: "\(acme.id.rawValue) 1")
    let folder = try await DataFolder.open(world.folder.path)
    #expect(try await folder.meeting(named: id.rawValue, of: other)?.1.id == acme.id)
    let now = world.now
    _ = try await store.transaction { try $0.removeTenant(acme.id, now: now) }

    let left = try await rows(world)
    #expect(left["meetings"] == 1_502 && left["tokens"] == 1_502 && left["webhooks"] == 2)
    #expect(try await listed(store) == [other.id])
    #expect(try await store.meeting(id: id) == nil)
    #expect(try await store.meeting(room: try RoomName("r1"), tenant: acme.id) == nil)
    #expect(try await store.personalRoom(of: "o1", tenant: acme.id) == nil)
    #expect(try await store.tokens(tenant: acme.id, room: nil, before: nil, limit: 9).isEmpty)
    #expect(try await store.webhook(id: hook.id) == nil)
    #expect(try await store.change(id) { $0.subject = "changed" } == nil)
    #expect(try await store.change(hook.id) { $0.isEnabled = true } == nil)
    #expect(try await folder.meeting(named: id.rawValue, of: other)?.1.id == nil)
    await folder.close()
  }

  @Test("a tenant is out of use at once, and goes a few rows at a time, over restarts")
  func parts() async throws {
    var world = try await MailboxWorld()
    let acme = try await tenant("acme", 2_300, from: 10_000, in: world)
    _ = try await tenant("other", 2, from: 20_000, in: world)
    let before = try await rows(world)
    let now = world.now
    #expect(try await world.store.transaction { try $0.removeTenant(acme.id, now: now) }?.orphanedMeetings == [])

    let store = world.store
    #expect(try await store.tenants().map(\.name) == ["other", "parley"])
    for found in [
      try await store.tenant(id: acme.id), try await store.tenant(name: "acme"),
      try await store.tenant(apiKey: acme.apiKey), try await store.tenant(signingKeyID: acme.signingKeyID),
    ] { #expect(found == nil) }
    #expect(try await store.apiKeys(of: acme.id).isEmpty)
    #expect(try await store.deliveryHeads().count == 1)
    #expect(try await store.transaction { try $0.removeTenant(acme.id, now: now) } == nil)
    let late = await #expect(throws: MessagingFailure.self) {
      try await store.mailboxes { transaction in
        for domain in try transaction.domainsBeingRemoved() {
          try DomainRemoval.requireKept(domain, in: transaction)
        }
      }
    }
    #expect(late?.code == .endpointDeregistered)
    // The name is free again, while the rows are still there.
    let next = try await tenant("acme", 1, from: 30_000, in: world)

    var left = try await rows(world).values.reduce(0, +)
    #expect(left > 6 * 2_000)
    var parts = 0
    repeat {
      let rest = try await rows(world).values.reduce(0, +)
      #expect(left - rest <= MailboxUpkeep.rows + 2, "\(left) became \(rest)")
      left = rest
      parts += 1
      if parts % 4 == 1 { world = try await MailboxWorld(over: world) }
    } while try await world.upkeep() != nil
    #expect(parts > 10)
    #expect(try await world.store.tenants().map(\.id).contains(next.id))
    // Everything of the removed one is gone: what it had more than its successor.
    let after = try await rows(world)
    for (table, count) in before {
      let own = ["tenants", "api_keys", "webhooks", "messaging_domains"].contains(table) ? 0 : 2_299
      #expect(after[table] == count - own, "\(table)")
    }
  }

  private let entry = AuditEntry(time: Date(), actor: "test", action: "data.restore", target: "")

  /// The folder of a copy of a store as it is now.
  private func copy(of world: MailboxWorld, _ name: String) async throws -> String {
    let folder = world.folder.path + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try await world.store.backUp(to: folder + "/" + SQLiteMeetingStore.fileName)
    return folder
  }

  @Test("a tenant that is being removed is restored once its domain is gone, and whole")
  func restoredWhole() async throws {
    let world = try await MailboxWorld()
    let acme = try await tenant("acme", 1_500, from: 10_000, in: world)
    let trial = try await copy(of: world, "trial")
    let before = try await rows(world)
    let now = world.now
    _ = try await world.store.transaction { try $0.removeTenant(acme.id, now: now) }
    let begun = try await rows(world)
    let error = await #expect(throws: MeetingStoreError.self) {
      try await world.store.replace(byStoreIn: trial, entry)
    }
    #expect(error.map { "\($0)".contains("still being removed") } == true)
    #expect(try await rows(world) == begun)

    while try await world.upkeep() != nil {}
    try await world.store.replace(byStoreIn: trial, entry)
    while try await world.upkeep() != nil {}
    #expect(try await world.store.tenant(id: acme.id)?.name == "acme")
    // Deliveries aren't restored: their receivers may have them.
    for (table, count) in try await rows(world) where table != "webhook_deliveries" {
      #expect(count == before[table], "\(table)")
    }
    #expect(try await world.store.integrityCheck() == ["ok"])
  }

  @Test("a copy that was made during a tenant's removal doesn't have the tenant")
  func copiedDuringRemoval() async throws {
    let world = try await MailboxWorld()
    let before = try await rows(world)
    let acme = try await tenant("acme", 1_500, from: 10_000, in: world)
    let whole = try await copy(of: world, "whole")
    let now = world.now
    _ = try await world.store.transaction { try $0.removeTenant(acme.id, now: now) }
    let half = try await copy(of: world, "half")
    while try await world.upkeep() != nil {}
    try await world.store.replace(byStoreIn: whole, entry)

    let board = MeetingID(rawValue: "m_board")
    try await world.store.apply([RunningWrite(.runs, of: board, tenant: acme.id)], now: now)
    await #expect(throws: MeetingStoreError.self) { try await world.store.replace(byStoreIn: half, entry) }
    #expect(try await world.store.tenant(id: acme.id) != nil)
    try await world.store.apply([RunningWrite(.end, of: board, tenant: acme.id)], now: now)
    try await world.store.replace(byStoreIn: half, entry)
    #expect(try await world.store.tenant(id: acme.id) == nil)
    #expect(try await world.store.mailboxes { try $0.domainsBeingRemoved() }.count == 1)
    while try await world.upkeep() != nil {}
    #expect(try await rows(world) == before)
    #expect(try await world.store.integrityCheck() == ["ok"])
  }

  @Test("a restored copy removes domains without a tenant, a part at a time")
  func restored() async throws {
    let world = try await MailboxWorld()
    let trial = try await copy(of: world, "trial")
    let before = try await rows(world)
    let acme = try await tenant("acme", 1_500, from: 10_000, in: world)
    for _ in 0..<2 { try await world.store.replace(byStoreIn: trial, entry) }

    #expect(try await world.store.tenant(id: acme.id) == nil)
    #expect(try await world.store.tenants().count == 1)
    #expect(try await world.store.mailboxes { try $0.domainsBeingRemoved() }.count == 1)
    #expect(try await rows(world)["messaging_identities"] == 1_500)
    while try await world.upkeep() != nil {}
    #expect(try await rows(world) == before)
    #expect(try await world.store.integrityCheck() == ["ok"])
  }
}
