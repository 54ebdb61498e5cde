public import FoundationEssentials
public import Basics

/// Tenants and the secrets of their API keys.
extension SQLiteMeetingStore {
  private static let tenantColumns =
    "id, name, api_key, is_default, sign_in, allowed_origins, access_level, capacity, maximum_meetings, "
    + "maximum_participants, waits_for_host, announces, lobby_seconds, identity_provider, chat, maximum_chat_bytes, "
    + "signing_key, signing_key_id, created, stored_meetings, requests, token_expiry, encryption"

  /// The tenant of requests without credentials; made on first use.
  public func defaultTenant(now: Date) async throws(MeetingStoreError) -> Tenant {
    if let tenant = try knownDefaultTenant() { return tenant }
    // One for the server, which asks when it starts, and for its first visitors.
    let making =
      newDefaultTenant
      ?? Task {
        try await SigningKeyMaker().tenant(
          name: Tenant.defaultName, isDefault: true, policy: TenantPolicy(signIn: .open), now: now)
      }
    newDefaultTenant = making
    let fresh: Tenant
    do {
      fresh = try await making.value
    } catch {
      newDefaultTenant = nil
      throw .failed(path: path, reason: "no signing key could be made: \(error)")
    }
    newDefaultTenant = nil
    do {
      try insert(fresh, key: .make(tenant: fresh.id, now: now))
    } catch .tenantExists {
      // Another request, which waited for the same one, or another process on the same folder was quicker.
    }
    guard let tenant = try knownDefaultTenant() else {
      throw .failed(path: path, reason: "the default tenant is missing after it was stored")
    }
    return tenant
  }

  /// The tenant of requests without credentials, if there is one yet.
  public func knownDefaultTenant() throws(MeetingStoreError) -> Tenant? { try tenants("is_default = 1").first }

  public func tenants() throws(MeetingStoreError) -> [Tenant] { try tenants("1 ORDER BY name") }

  /// The tenant with that id.
  public func tenant(id: TenantID) throws(MeetingStoreError) -> Tenant? {
    try tenants("id = ?", [.text(id.rawValue)]).first
  }

  /// The tenant of that name.
  public func tenant(name: String) throws(MeetingStoreError) -> Tenant? {
    try tenants("name = ?", [.text(name)]).first
  }

  /// The tenant with that API key.
  public func tenant(apiKey: String) throws(MeetingStoreError) -> Tenant? {
    try tenants("api_key = ?", [.text(apiKey)]).first
  }

  /// The tenant of a signing key.
  public func tenant(signingKeyID: String) throws(MeetingStoreError) -> Tenant? {
    try tenants("signing_key_id = ?", [.text(signingKeyID)]).first
  }

  /// Keeps a new tenant with its first secret.
  public func insert(_ tenant: Tenant, key: APIKey) throws(MeetingStoreError) {
    let database = try open()
    let policy = tenant.policy
    try database.transaction { () throws(MeetingStoreError) in
      try database.query(
        "INSERT INTO tenants (\(Self.tenantColumns)) "
          + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
          + "ON CONFLICT DO NOTHING",
        [.text(tenant.id.rawValue), .text(tenant.name), .text(tenant.apiKey), .integer(tenant.isDefault ? 1 : 0)]
          + Self.values(policy)
          + [.text(tenant.signingKey.value), .text(tenant.signingKeyID), .time(tenant.created)]
          + Self.quotas(policy))
      if database.changes == 0 { throw .tenantExists(tenant.name) }
      try insert(key, database)
    }
  }

  /// Changes a tenant's rules in one transaction.
  public func changePolicy(
    of id: TenantID, by body: @Sendable (inout TenantPolicy) throws -> Void
  ) throws -> Tenant? {
    let database = try open()
    var found: Tenant?
    var problem: (any Error)?
    try database.transaction { () throws(MeetingStoreError) in
      guard var tenant = try tenant(id: id) else { return }
      let before = tenant.policy
      do { try body(&tenant.policy) } catch {
        problem = error
        return
      }
      if tenant.policy != before { try write(tenant.policy, of: id, database) }
      found = tenant
    }
    if let problem { throw problem }
    return found
  }

  private func write(
    _ policy: TenantPolicy, of tenant: TenantID, _ database: SQLiteDatabase
  ) throws(MeetingStoreError) {
    try database.query(
      "UPDATE tenants SET sign_in = ?, allowed_origins = ?, access_level = ?, capacity = ?, maximum_meetings = ?, "
        + "maximum_participants = ?, waits_for_host = ?, announces = ?, lobby_seconds = ?, identity_provider = ?, chat = ?, "
        + "maximum_chat_bytes = ?, stored_meetings = ?, requests = ?, token_expiry = ?, encryption = ? WHERE id = ?",
      Self.values(policy) + Self.quotas(policy) + [.text(tenant.rawValue)])
  }

  private static func values(_ policy: TenantPolicy) -> [SQLiteValue] {
    [
      .text(policy.signIn.rawValue), .text(policy.allowedOrigins.map(\.description).joined(separator: ";")),
      .text(policy.accessLevel.rawValue), .number(policy.capacity), .number(policy.maximumMeetings),
      .number(policy.maximumParticipants),
    ] + values(policy.lobby)
      + [text(policy.identityProvider), .text(policy.chat.stored), .number(policy.maximumChatBytes)]
  }

  private static func text(_ provider: IdentityProvider?) -> SQLiteValue {
    guard let provider, let json = try? JSONEncoder().encode(provider) else { return .null }
    return .text(String(decoding: json, as: UTF8.self))
  }

  private static func provider(_ text: String) -> IdentityProvider? {
    try? JSONDecoder().decode(IdentityProvider.self, from: Data(text.utf8))
  }

  private static func quotas(_ policy: TenantPolicy) -> [SQLiteValue] {
    [
      .number(policy.maximumStoredMeetings), .number(policy.maximumRequests),
      policy.tokenExpiry.map { .text($0.rawValue) } ?? .null,
      policy.encryption.map { .text($0.rawValue) } ?? .null,
    ]
  }

  /// The three columns that tenants and meetings have for it.
  static func values(_ lobby: LobbySettings) -> [SQLiteValue] {
    [
      .integer(lobby.waitsForHost ? 1 : 0), .integer(lobby.announces ? 1 : 0),
      .number(lobby.timeout.map { Int($0.nanoseconds / 1_000_000_000) }),
    ]
  }

  /// Tenants that are being removed are found by nobody.
  private func tenants(_ condition: String, _ values: [SQLiteValue] = []) throws(MeetingStoreError) -> [Tenant] {
    var tenants: [Tenant] = []
    try open().query("SELECT \(Self.tenantColumns) FROM tenants WHERE removed = 0 AND \(condition)", values) { row in
      let policy = TenantPolicy(
        // Values of later versions count as the strictest.
        signIn: SignInMode(rawValue: row.text(4)) ?? .token, allowedOrigins: WebOrigin.list(row.text(5)) ?? [],
        accessLevel: AccessLevel(rawValue: row.text(6)) ?? .locked, capacity: row.optionalNumber(7),
        maximumMeetings: row.optionalNumber(8), maximumParticipants: row.optionalNumber(9),
        maximumStoredMeetings: row.optionalNumber(19), maximumRequests: row.optionalNumber(20), lobby: row.lobby(10),
        identityProvider: Self.provider(row.text(13)), chat: ChatPolicy(stored: row.text(14)),
        maximumChatBytes: row.optionalNumber(15),
        tokenExpiry: row.isNull(21) ? nil : TokenExpiry(rawValue: row.text(21)) ?? .leave,
        encryption: row.isNull(22) ? nil : EncryptionPolicy(rawValue: row.text(22)) ?? .required)
      tenants.append(
        Tenant(
          id: TenantID(rawValue: row.text(0)), name: row.text(1), apiKey: row.text(2), isDefault: row.integer(3) == 1,
          policy: policy, signingKey: Secret(row.text(16)), signingKeyID: row.text(17), created: row.time(18)))
    }
    return tenants
  }
}
