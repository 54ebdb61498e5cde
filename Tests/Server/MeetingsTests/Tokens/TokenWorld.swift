import Basics
import Foundation
import TestTenants

@testable import Meetings

/// A store with the tenant whose key and secret the vectors were made with, and the authority over it.
struct TokenWorld {
  static let now = Date(timeIntervalSince1970: 1_795_251_600)
  static let secret = "0123456789abcdef0123456789abcdef01234567"
  static let session = "2_MX4xMDAyMDB-fjE3MDAwMDAwMDAwMDB-c2VsZmhvc3R-"

  let folder = TemporaryFolder()
  let store: SQLiteMeetingStore
  let authority: JoinAuthority
  let tenant: Tenant

  init(policy: TenantPolicy = TenantPolicy(signIn: .token), isDevelopment: Bool = false) async throws {
    store = try await SQLiteMeetingStore.open(folder: folder.path)
    authority = JoinAuthority(store: store, isDevelopment: isDevelopment)
    var tenant = try TestTenants.make(name: "acme", policy: policy, now: Self.now)
    tenant.apiKey = "100200"
    self.tenant = tenant
    try await store.insert(
      tenant, key: APIKey(id: "k_1", tenant: tenant.id, secret: Secret(Self.secret), created: Self.now))
  }

  /// A JWT with these claims, signed with a secret.
  func token(_ claims: String, secret: String = TokenWorld.secret) throws -> String {
    try SharedKey(Secret(secret)).sign(Array(claims.utf8))
  }

  /// `"iss"` and an end in an hour, for claims.
  var head: String { #""iss":"100200","exp":1795255200"# }

  func admit(
    _ token: String, room: String? = nil, origin: String? = nil, at now: Date = TokenWorld.now
  ) async throws -> Admission {
    try await authority.admit(
      token: Secret(token), room: try room.map { try RoomName($0) }, origin: origin,
      ownOrigin: WebOrigin("https://meet.example"), now: now)
  }

  /// The code of the refusal; nil when the token is admitted.
  func code(_ token: String, room: String? = nil, origin: String? = nil, at now: Date = TokenWorld.now) async -> String?
  {
    do {
      _ = try await admit(token, room: room, origin: origin, at: now)
      return nil
    } catch {
      return (error as? JoinRefusal)?.code ?? "\(error)"
    }
  }
}
