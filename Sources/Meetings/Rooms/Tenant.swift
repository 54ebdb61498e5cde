public import Basics
public import FoundationEssentials

/// One customer of a server: its keys, and the name its meetings are organised under.
public struct Tenant: Sendable, Hashable {
  /// Names the tenant.
  public var id: TenantID
  /// A name for people; also the user part of its SIP addresses, so letters, digits and `-` only.
  public var name: String
  /// Names the tenant towards server-side interfaces.
  public var apiKey: String
  /// Proves that a caller may act for the tenant.
  public var apiSecret: Secret<String>
  /// The RS256 key pair for join tokens, as a private JWK (RFC 7517).
  public var signingKey: Secret<String>
  /// The key's `kid`, so that a token says which key signed it.
  public var signingKeyID: String
  /// When the tenant was made.
  public var created: Date

  /// A tenant.
  public init(
    id: TenantID, name: String, apiKey: String, apiSecret: Secret<String>, signingKey: Secret<String>,
    signingKeyID: String, created: Date
  ) {
    self.id = id
    self.name = name
    self.apiKey = apiKey
    self.apiSecret = apiSecret
    self.signingKey = signingKey
    self.signingKeyID = signingKeyID
    self.created = created
  }

  /// A new tenant with random keys. Costs a key generation: about 100 ms of CPU.
  public static func make(name: String, now: Date) throws -> Tenant {
    let keyID = RandomID.text(characters: 16)
    let key = try SigningKey.generate(keyID: keyID)
    return Tenant(
      id: .random(), name: name, apiKey: RandomID.text(characters: 16),
      apiSecret: Secret(RandomID.text(characters: 40)), signingKey: try key.privateJWK(), signingKeyID: keyID,
      created: now)
  }
}
