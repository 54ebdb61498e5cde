public import Basics
public import FoundationEssentials

/// Tenants and the secrets of their API keys.
public protocol TenantStore: TransactionalStore {
  /// The tenant of requests without credentials; made on first use, which costs a key generation.
  func defaultTenant(now: Date) async throws(MeetingStoreError) -> Tenant
  /// The same if it was made already.
  func knownDefaultTenant() async throws(MeetingStoreError) -> Tenant?
  /// Every tenant, by name.
  func tenants() async throws(MeetingStoreError) -> [Tenant]
  func tenant(id: TenantID) async throws(MeetingStoreError) -> Tenant?
  func tenant(name: String) async throws(MeetingStoreError) -> Tenant?
  func tenant(apiKey: String) async throws(MeetingStoreError) -> Tenant?
  func tenant(signingKeyID: String) async throws(MeetingStoreError) -> Tenant?
  /// Every secret of a tenant, the newest first, including expired and retired ones.
  func apiKeys(of tenant: TenantID) async throws(MeetingStoreError) -> [APIKey]
}
