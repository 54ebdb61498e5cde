import Basics
import FoundationEssentials
import Meetings

extension TestServer {
  /// One key pair for every server of a run: making one costs more than most tests do otherwise. Tenants, API keys and
  /// secrets differ all the same.
  private static let signing = Result {
    let key = try SigningKey.generate(keyID: "shared-by-tests")
    return (id: key.keyID, jwk: try key.privateJWK())
  }

  /// Gives a new data folder its default tenant before a server does, by the rules that the server has for it.
  static func makeDefaultTenant(in folder: String) async throws {
    let key = try signing.get()
    let store = try await MeetingStores.open(folder: folder)
    guard try await store.knownDefaultTenant() == nil else { return await store.close() }
    let now = Date()
    let tenant = Tenant(
      id: .random(), name: Tenant.defaultName, apiKey: String(Int.random(in: 100_000_000...999_999_999)),
      isDefault: true, policy: TenantPolicy(signIn: .open), signingKey: key.jwk, signingKeyID: key.id, created: now)
    try await store.transaction { try $0.insert(tenant, key: .make(tenant: tenant.id, now: now)) }
    await store.close()
  }
}
