public import Basics
import Crypto
import FoundationEssentials

/// The OpenID Connect provider at which a tenant's people sign in, and what its claims make of them.
public struct IdentityProvider: Sendable, Hashable {
  /// The provider's issuer identifier, exactly as its discovery document and its ID tokens spell it.
  public var issuer: String
  /// The provider's name for this server.
  public var clientID: String
  /// The password that goes with it; nil for a public client, which PKCE alone protects.
  public var clientSecret: Secret<String>?
  /// The requested scopes; `openid` always is one.
  public var scopes: [String]
  /// The claim that says what somebody is, `groups` for instance; a dot goes into an object: `realm_access.roles`.
  public var roleClaim: String?
  /// The values of that claim whose bearers are organizers.
  public var organizers: [String]
  /// The values of that claim whose bearers are moderators.
  public var moderators: [String]
  /// The domains of the email addresses that may sign in, in lower case; empty for everybody whom the provider knows.
  public var emailDomains: [String]

  public init(
    issuer: String, clientID: String, clientSecret: Secret<String>? = nil, scopes: [String] = Self.standardScopes,
    roleClaim: String? = nil, organizers: [String] = [], moderators: [String] = [], emailDomains: [String] = []
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.scopes = scopes
    self.roleClaim = roleClaim
    self.organizers = organizers
    self.moderators = moderators
    self.emailDomains = emailDomains
  }

  /// The scopes that are requested by default.
  public static let standardScopes = ["openid", "profile", "email"]

  /// Names the provider, the client and the rules in sessions, so that those of another provider do not count, nor
  /// those that other rules have let in or made hosts.
  public var identity: String {
    let rules = [[roleClaim ?? ""], organizers.sorted(), moderators.sorted(), emailDomains.sorted()]
    let text = rules.map { $0.joined(separator: "\u{1}") }.joined(separator: "\u{2}")
    return "\(issuer) \(clientID) \(Base64URL.challenge(text))"
  }

  /// Whether secrets may be sent to `address` and keys be believed from there: over HTTPS, or within this machine.
  public static func isProtected(_ address: String) -> Bool {
    guard address.utf8.count <= 2_048, let origin = WebOrigin(address) else { return false }
    return origin.scheme == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(origin.host)
  }

  /// Whether `text` is fit for an issuer: a protected address without a query or a fragment (OpenID Connect Discovery
  /// 1.0 section 3).
  public static func isIssuer(_ text: String) -> Bool {
    isProtected(text) && !text.contains { $0 == "?" || $0 == "#" || $0.isWhitespace }
  }
}

extension IdentityProvider: Codable {
  private enum CodingKeys: String, CodingKey {
    case issuer, clientID, clientSecret, scopes, roleClaim, organizers, moderators, emailDomains
  }

  /// Reads what the store keeps.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      issuer: try values.decode(String.self, forKey: .issuer),
      clientID: try values.decode(String.self, forKey: .clientID),
      clientSecret: try values.decodeIfPresent(String.self, forKey: .clientSecret).map { Secret($0) },
      scopes: try values.decode([String].self, forKey: .scopes),
      roleClaim: try values.decodeIfPresent(String.self, forKey: .roleClaim),
      organizers: try values.decode([String].self, forKey: .organizers),
      moderators: try values.decode([String].self, forKey: .moderators),
      emailDomains: try values.decode([String].self, forKey: .emailDomains))
  }

  /// Writes it for the store, the secret included.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(issuer, forKey: .issuer)
    try values.encode(clientID, forKey: .clientID)
    try values.encodeIfPresent(clientSecret?.value, forKey: .clientSecret)
    try values.encode(scopes, forKey: .scopes)
    try values.encodeIfPresent(roleClaim, forKey: .roleClaim)
    try values.encode(organizers, forKey: .organizers)
    try values.encode(moderators, forKey: .moderators)
    try values.encode(emailDomains, forKey: .emailDomains)
  }
}
