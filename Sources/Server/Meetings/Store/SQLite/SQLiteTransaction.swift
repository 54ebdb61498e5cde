import Basics
import FoundationEssentials

/// The reads and writes of one transaction of a ``SQLiteMeetingStore``, whose thread it runs on.
struct SQLiteTransaction: StoreTransaction {
  let store: SQLiteMeetingStore

  /// A transaction's closure runs on the store's executor, so this never traps.
  private func run<Answer: Sendable>(
    _ body: @Sendable (isolated SQLiteMeetingStore) throws(MeetingStoreError) -> Answer
  ) throws(MeetingStoreError) -> Answer {
    let result: Result<Answer, MeetingStoreError> = store.assumeIsolated { store in
      do throws(MeetingStoreError) {
        return .success(try body(store))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func append(_ entry: AuditEntry) throws(MeetingStoreError) {
    try run { store throws(MeetingStoreError) in try store.append(entry) }
  }

  func withMailboxes<Answer: Sendable>(_ body: @Sendable (any MailboxTransaction) throws -> Answer) throws -> Answer {
    try store.assumeIsolated { try body(SQLiteMailboxTransaction(database: try $0.open())) }
  }

  func insert(_ meeting: MeetingRecord) throws(MeetingStoreError) {
    try run { store throws(MeetingStoreError) in try store.insert(meeting) }
  }

  func change(_ id: MeetingID, by body: @Sendable (inout MeetingRecord) throws -> Void) throws -> MeetingRecord? {
    try store.assumeIsolated { try $0.change(id, by: body) }
  }

  func removeMeeting(_ id: MeetingID) throws(MeetingStoreError) -> Bool {
    try run { store throws(MeetingStoreError) in try store.removeMeeting(id) }
  }

  func tenant(id: TenantID) throws(MeetingStoreError) -> Tenant? {
    try run { store throws(MeetingStoreError) in try store.tenant(id: id) }
  }

  func insert(_ tenant: Tenant, key: APIKey) throws(MeetingStoreError) {
    try run { store throws(MeetingStoreError) in try store.insert(tenant, key: key) }
  }

  func changePolicy(of tenant: TenantID, by body: @Sendable (inout TenantPolicy) throws -> Void) throws -> Tenant? {
    try store.assumeIsolated { try $0.changePolicy(of: tenant, by: body) }
  }

  func removeTenant(_ id: TenantID, now: Date) throws(MeetingStoreError) -> RemovedTenant? {
    try run { store throws(MeetingStoreError) in try store.removeTenant(id, now: now) }
  }

  func apiKeys(of tenant: TenantID) throws(MeetingStoreError) -> [APIKey] {
    try run { store throws(MeetingStoreError) in try store.apiKeys(of: tenant) }
  }

  func rotateKey(of tenant: TenantID, others: Date?, now: Date) throws(MeetingStoreError) -> APIKey {
    try run { store throws(MeetingStoreError) in try store.rotateKey(of: tenant, others: others, now: now) }
  }

  func retireKey(_ id: String, of tenant: TenantID, now: Date) throws(MeetingStoreError) -> Bool {
    try run { store throws(MeetingStoreError) in try store.retireKey(id, of: tenant, now: now) }
  }

  func record(_ tokens: [TokenRecord]) throws(MeetingStoreError) {
    try run { store throws(MeetingStoreError) in try store.record(tokens) }
  }

  func revoke(_ token: TokenID, tenant: TenantID, expires: Date) throws(MeetingStoreError) {
    try run { store throws(MeetingStoreError) in try store.revoke(token, tenant: tenant, expires: expires) }
  }

  func isRevoked(_ token: TokenID, tenant: TenantID) throws(MeetingStoreError) -> Bool {
    try run { store throws(MeetingStoreError) in try store.isRevoked(token, tenant: tenant) }
  }

  func vault(of owner: VaultOwner) throws(MeetingStoreError) -> StoredVault? {
    try run { store throws(MeetingStoreError) in try store.vault(of: owner) }
  }

  func set(_ vault: StoredVault) throws(MeetingStoreError) {
    try run { store throws(MeetingStoreError) in try store.set(vault) }
  }

  func removeVault(of owner: VaultOwner) throws(MeetingStoreError) -> Bool {
    try run { store throws(MeetingStoreError) in try store.removeVault(of: owner) }
  }

  func insert(_ webhook: Webhook) throws(MeetingStoreError) -> Bool {
    try run { store throws(MeetingStoreError) in try store.insert(webhook) }
  }

  func change(_ id: WebhookID, by body: @Sendable (inout Webhook) -> Void) throws(MeetingStoreError) -> Webhook? {
    try run { store throws(MeetingStoreError) in try store.change(id, by: body) }
  }

  func removeWebhook(_ id: WebhookID) throws(MeetingStoreError) -> Bool {
    try run { store throws(MeetingStoreError) in try store.removeWebhook(id) }
  }

  func enqueue(_ deliveries: [WebhookDelivery]) throws(MeetingStoreError) {
    try run { store throws(MeetingStoreError) in try store.enqueue(deliveries) }
  }

  func replay(id: String, webhook: WebhookID, now: Date) throws(MeetingStoreError) -> WebhookDelivery? {
    try run { store throws(MeetingStoreError) in try store.replay(id: id, webhook: webhook, now: now) }
  }

  func apply(_ changes: [OpenEventChange]) throws(MeetingStoreError) {
    try run { store throws(MeetingStoreError) in try store.apply(changes) }
  }
}
