public import Basics
public import FoundationEssentials
public import Meetings
import Synchronization

/// Tenants for tests, with key pairs that are used again: making one costs more than most tests do otherwise.
public enum TestTenants {
  /// As many as tests compare with each other.
  private static let size = 3
  private static let keys = Mutex<[Secret<String>]>([])
  private static let next = Atomic(0)

  /// As ``Tenant/make(name:isDefault:policy:now:)``. Tenants that are made one after the other have different key
  /// pairs; ids, API keys and ids of keys always differ.
  public static func make(
    name: String, isDefault: Bool = false, policy: TenantPolicy, now: Date
  ) throws -> Tenant {
    Tenant(
      id: .random(), name: name, apiKey: String(Int.random(in: 100_000_000...999_999_999)), isDefault: isDefault,
      policy: policy, signingKey: try key(), signingKeyID: RandomID.text(characters: 16), created: now)
  }

  /// Gives a new data folder its default tenant before a server does, by the rules that the server has for it.
  public static func makeDefault(in folder: String) async throws {
    let store = try await MeetingStores.open(folder: folder)
    _ = try await makeDefault(in: store, now: Date())
    await store.close()
  }

  /// As the store's `defaultTenant(now:)`.
  public static func makeDefault(in store: some TenantStore, now: Date) async throws -> Tenant {
    if let known = try await store.knownDefaultTenant() { return known }
    let tenant = try make(name: Tenant.defaultName, isDefault: true, policy: TenantPolicy(signIn: .open), now: now)
    try await store.transaction { try $0.insert(tenant, key: .make(tenant: tenant.id, now: now)) }
    return tenant
  }

  private static func key() throws -> Secret<String> {
    let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue % size
    return try keys.withLock { keys in
      if turn < keys.count { return keys[turn] }
      let made = try SigningKey.generate(keyID: "").privateJWK()
      keys.append(made)
      return made
    }
  }
}
