public import Basics
public import FoundationEssentials

/// One customer of a server: its keys, the rules of its meetings, and the name they are organised under.
///
/// Each tenant has room names of its own: `daily` of one is another meeting than `daily` of the next.
public struct Tenant: Sendable, Hashable {
  public var id: TenantID
  /// A name for people; also the user part of its SIP addresses, so ``isName(_:)`` holds for it.
  public var name: String
  /// Names the tenant towards server-side interfaces: the issuer of tokens that its ``APIKey``s sign. Public.
  public var apiKey: String
  /// Whether it is the tenant of requests without credentials.
  public var isDefault: Bool
  public var policy: TenantPolicy
  /// The RS256 key pair for join tokens, as a private JWK (RFC 7517).
  public var signingKey: Secret<String>
  /// The key's `kid`, so that a token says which key signed it.
  public var signingKeyID: String
  /// When the tenant was made.
  public var created: Date

  public init(
    id: TenantID, name: String, apiKey: String, isDefault: Bool, policy: TenantPolicy, signingKey: Secret<String>,
    signingKeyID: String, created: Date
  ) {
    self.id = id
    self.name = name
    self.apiKey = apiKey
    self.isDefault = isDefault
    self.policy = policy
    self.signingKey = signingKey
    self.signingKeyID = signingKeyID
    self.created = created
  }

  /// The name of the tenant that is made on first use.
  public static let defaultName = "parley"

  /// A new tenant with random keys. Costs a key generation: about 100 ms of CPU, sometimes a second. A server has
  /// ``SigningKeyMaker`` do it.
  public static func make(name: String, isDefault: Bool = false, policy: TenantPolicy, now: Date) throws -> Tenant {
    let keyID = RandomID.text(characters: 16)
    let key = try SigningKey.generate(keyID: keyID)
    return Tenant(
      id: .random(), name: name,
      // Some server SDKs keep API keys as 32-bit numbers.
      apiKey: String(Int.random(in: 100_000_000...999_999_999)), isDefault: isDefault, policy: policy,
      signingKey: try key.privateJWK(), signingKeyID: keyID, created: now)
  }

  /// Whether `text` is fit for a name: 1 to 64 lower-case letters of ASCII, digits and `-`.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-") }
  }
}
