public import FoundationEssentials

/// The usage log of tokens, and revocations.
extension DataFolder {
  /// The tokens of all tenants or of one, and of one room (`*` stands for tokens of every room), the newest first.
  public func tokens(
    of tenant: Tenant?, room: String?, limit: Int
  ) async throws(MeetingStoreError) -> [TokenRecord] {
    try await store.tokens(tenant: tenant?.id, room: room, before: nil, limit: limit)
  }

  /// Records that a token was made.
  public func record(_ token: TokenRecord, _ entry: AuditEntry) async throws {
    _ = try await commit(entry) { try $0.record([token]) }
  }

  /// Refuses a token from now on; the entry is purged after `end`.
  public func revoke(_ token: TokenID, of tenant: Tenant, until end: Date, _ entry: AuditEntry) async throws {
    _ = try await commit(entry) { try $0.revoke(token, tenant: tenant.id, expires: end) }
  }
}
