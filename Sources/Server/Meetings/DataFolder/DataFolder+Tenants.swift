public import Basics
public import FoundationEssentials

/// Tenants and their secrets.
extension DataFolder {
  /// Every tenant, by name; among them the default one, which is made if necessary.
  public func tenants() async throws(MeetingStoreError) -> [Tenant] {
    _ = try await store.defaultTenant(now: now)
    return try await store.tenants()
  }

  /// The names of the tenants that there are.
  public func tenantNames() async throws(MeetingStoreError) -> [TenantID: String] {
    Dictionary(try await store.tenants().map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// The name of a tenant; empty when it was removed.
  public func name(of tenant: TenantID) async throws(MeetingStoreError) -> String {
    try await store.tenant(id: tenant)?.name ?? ""
  }

  /// The tenant of that name or API key, the default one without a name. Nil when there is none.
  public func tenant(_ name: String?) async throws(MeetingStoreError) -> Tenant? {
    guard let name else { return try await store.defaultTenant(now: now) }
    if let tenant = try await store.tenant(name: name) { return tenant }
    if let tenant = try await store.tenant(apiKey: name) { return tenant }
    // The default tenant can be named before a server ran, too.
    return name == Tenant.defaultName ? try await store.defaultTenant(now: now) : nil
  }

  /// Every secret of a tenant, the newest first, including expired and retired ones.
  public func secrets(of tenant: Tenant) async throws(MeetingStoreError) -> [APIKey] {
    try await store.apiKeys(of: tenant.id)
  }

  /// Inserts a new tenant with its first secret.
  public func create(_ tenant: Tenant, secret: APIKey, _ entry: AuditEntry) async throws {
    // The default tenant goes first, so that nobody takes its name.
    _ = try await store.defaultTenant(now: now)
    _ = try await commit(entry) { try $0.insert(tenant, key: secret) }
  }

  /// Changes a tenant's policy. Nil when the tenant was removed.
  public func changePolicy(
    of tenant: Tenant, _ entry: AuditEntry, by body: @Sendable (inout TenantPolicy) throws -> Void
  ) async throws -> Tenant? {
    try await commit(entry) { try $0.changePolicy(of: tenant.id, by: body) }
  }

  /// Makes a further secret; the others expire at `others`, if that isn't nil.
  public func rotateSecret(
    of tenant: Tenant, others: Date?, _ entry: @Sendable (APIKey) -> AuditEntry
  ) async throws -> APIKey {
    let now = now
    return try await store.transaction { transaction in
      let key = try transaction.rotateKey(of: tenant.id, others: others, now: now)
      try transaction.append(entry(key))
      return key
    }
  }

  /// Takes a secret out of use at once. False when the tenant has no such secret in use.
  public func retireSecret(_ id: String, of tenant: Tenant, _ entry: AuditEntry) async throws -> Bool {
    let now = now
    return try await commit(entry) { try $0.retireKey(id, of: tenant.id, now: now) ? true : nil } ?? false
  }

  /// Removes a tenant with everything but its audit entries, in parts like ``removeDomain(_:_:)``. False when it was
  /// removed before.
  public func remove(_ tenant: Tenant, _ entry: AuditEntry) async throws -> Bool {
    let now = now
    let removed = try await commit(entry) { try $0.removeTenant(tenant.id, now: now) }
    guard removed != nil else { return false }
    try await purge { try $0.purge(tenant: tenant.id, limit: MailboxUpkeep.rows) }
    return true
  }
}
