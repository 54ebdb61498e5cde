public import Basics
public import FoundationEssentials
public import Messaging

/// The isolated namespace of one application in the messaging service. Keys, audit log and meetings are its tenant's.
public struct MessagingDomain: Sendable, Hashable {
  public enum Environment: String, Sendable, Codable, CaseIterable {
    case sandbox, production
  }

  public var id: DomainID
  /// The owner. A tenant has at most one domain.
  public var tenant: TenantID
  public var name: String
  public var settings: Settings
  public var created: Date

  /// The part that can be changed.
  public struct Settings: Sendable, Hashable, Codable {
    public var environment: Environment
    public var authentication: DomainAuthentication
    /// Whether sealed keys are kept in vaults; otherwise the app stores keys itself.
    public var hasKeyManagement: Bool
    /// The receiver of pushes for endpoints without a connection.
    public var push: PushTarget?
    /// The most bytes that it stores; nil for those of its environment. See ``StorageUsage``.
    public var maximumStoredBytes: Int?
    /// When the removal of the domain began; nil for all others. See ``DomainRemoval``.
    var removalStarted: Date?
    /// The highest bound that a domain can have: 64 TiB.
    public static let mostStoredBytes = 64 << 40

    public init(
      environment: Environment, authentication: DomainAuthentication, hasKeyManagement: Bool = true,
      push: PushTarget? = nil, maximumStoredBytes: Int? = nil
    ) {
      self.environment = environment
      self.authentication = authentication
      self.hasKeyManagement = hasKeyManagement
      self.push = push
      self.maximumStoredBytes = maximumStoredBytes
    }

    /// The reason why they cannot be, as a sentence; nil when they can.
    public var problem: String? {
      if environment == .production, authentication == .disabled {
        return "Authentication can be disabled in the sandbox only. Give a JWKS address or token information."
      }
      if let push, !IdentityProvider.isProtected(push.url) {
        return "The push address is expected to be https, or on this machine."
      }
      return authentication.problem
    }
  }

  /// The receiver of pushes.
  public struct PushTarget: Sendable, Hashable, Codable {
    public var url: String
    /// The key of the requests' signatures.
    public var secret: String

    public init(url: String, secret: String) {
      self.url = url
      self.secret = secret
    }

    /// The target with another address. Its key is a new one for another origin: the former receiver knows the old one.
    public init(url: String, replacing old: Self?) {
      let isSameReceiver = old.map { WebOrigin($0.url) == WebOrigin(url) } ?? false
      self.init(url: url, secret: isSameReceiver ? old?.secret ?? "" : RandomID.text(characters: 52))
    }
  }

  public init(id: DomainID, tenant: TenantID, name: String, settings: Settings, created: Date) {
    self.id = id
    self.tenant = tenant
    self.name = name
    self.settings = settings
    self.created = created
  }

  /// A random id: a UUID in lower case.
  public static func randomID() -> DomainID { DomainID(UUID().uuidString.lowercased()) }
}

/// How the users of a domain prove who they are.
public enum DomainAuthentication: Sendable, Hashable, Codable {
  /// Unsigned tokens: anybody is who they say. In the sandbox only.
  case disabled
  /// Tokens signed with keys of a JWKS address (RFC 7517).
  case jwt(SignedTokenRules)
  /// Opaque tokens (RFC 6749), which the provider is asked about.
  case oauth(OpaqueTokenRules)

  /// The claims that a signed token must have.
  public struct SignedTokenRules: Sendable, Hashable, Codable {
    public var jwks: String
    /// One of them must be the token's audience.
    public var clientIDs: [String]
    /// The only issuer; nil for any whose keys are at the address.
    public var issuer: String?
    /// All of them must be granted; empty for none.
    public var scopes: [String]
    /// The claim with the user id: `sub`, or `oid` with Azure.
    public var userClaim: String
    /// The claim with the client id.
    public var clientClaim: String
    public var expiryClaim: String
    public var issuerClaim: String

    public init(
      jwks: String, clientIDs: [String], issuer: String? = nil, scopes: [String] = [], userClaim: String = "sub",
      clientClaim: String = "aud", expiryClaim: String = "exp", issuerClaim: String = "iss"
    ) {
      self.jwks = jwks
      self.clientIDs = clientIDs
      self.issuer = issuer
      self.scopes = scopes
      self.userClaim = userClaim
      self.clientClaim = clientClaim
      self.expiryClaim = expiryClaim
      self.issuerClaim = issuerClaim
    }
  }

  /// The addresses that know about an opaque token.
  public struct OpaqueTokenRules: Sendable, Hashable {
    /// Token introspection (RFC 7662), or an address that takes `access_token` in its query.
    public var tokenInfo: String
    public var userInfo: String
    public var clientIDs: [String]
    /// The secret of the first client, with which this server asks for token information (RFC 7662 section 2.1); nil
    /// for providers that take the token itself.
    public var clientSecret: Secret<String>?
    public var scopes: [String]
    /// The claim of the user information with the user id.
    public var userClaim: String

    public init(
      tokenInfo: String, userInfo: String, clientIDs: [String], clientSecret: Secret<String>? = nil,
      scopes: [String] = [],
      userClaim: String = "sub"
    ) {
      self.tokenInfo = tokenInfo
      self.userInfo = userInfo
      self.clientIDs = clientIDs
      self.clientSecret = clientSecret
      self.scopes = scopes
      self.userClaim = userClaim
    }

    /// Drops the secret of rules that were `old`: it is one client's at one provider, and isn't sent elsewhere.
    public mutating func dropSecret(ofOther old: Self) {
      if tokenInfo != old.tokenInfo || clientIDs.first != old.clientIDs.first { clientSecret = nil }
    }
  }

  /// The reason why it cannot be, as a sentence; nil when it can.
  public var problem: String? {
    switch self {
    case .disabled: return nil
    case .jwt(let rules):
      if !IdentityProvider.isProtected(rules.jwks) { return "The JWKS address is expected to be https." }
      return rules.clientIDs.isEmpty ? "At least one client id is needed." : nil
    case .oauth(let rules):
      if ![rules.tokenInfo, rules.userInfo].allSatisfy(IdentityProvider.isProtected) {
        return "The addresses of token and user information are expected to be https."
      }
      return rules.clientIDs.isEmpty ? "At least one client id is needed." : nil
    }
  }
}

extension DomainAuthentication.OpaqueTokenRules: Codable {
  private enum CodingKeys: String, CodingKey {
    case tokenInfo, userInfo, clientIDs, clientSecret, scopes, userClaim
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      tokenInfo: try values.decode(String.self, forKey: .tokenInfo),
      userInfo: try values.decode(String.self, forKey: .userInfo),
      clientIDs: try values.decode([String].self, forKey: .clientIDs),
      clientSecret: try values.decodeIfPresent(String.self, forKey: .clientSecret).map { Secret($0) },
      scopes: try values.decode([String].self, forKey: .scopes),
      userClaim: try values.decode(String.self, forKey: .userClaim))
  }

  /// Writes them for the store, the secret included.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(tokenInfo, forKey: .tokenInfo)
    try values.encode(userInfo, forKey: .userInfo)
    try values.encode(clientIDs, forKey: .clientIDs)
    try values.encodeIfPresent(clientSecret?.value, forKey: .clientSecret)
    try values.encode(scopes, forKey: .scopes)
    try values.encode(userClaim, forKey: .userClaim)
  }
}
