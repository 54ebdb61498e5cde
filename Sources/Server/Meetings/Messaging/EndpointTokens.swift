import Crypto
public import Basics
public import FoundationEssentials
public import Messaging

/// The user of an accepted token of a domain's identity provider, and its end.
public struct ProvenUser: Sendable, Hashable {
  public var userId: String
  public var expires: Date

  public init(userId: String, expires: Date) {
    self.userId = userId
    self.expires = expires
  }
}

/// Reads the tokens that endpoints bring. Asks nobody: keys and answers of the provider come in.
public enum EndpointTokens {
  /// How far the provider's clock may differ.
  static let leeway: TimeInterval = 60
  /// The longest that a token is good for, whatever it says.
  static let longest: TimeInterval = 24 * 3_600
  /// How far an endpoint's clock may differ before the times of its unsigned tokens count as a span alone.
  static let clockTolerance: TimeInterval = 600

  private struct Header: Decodable { var alg: String }
  private struct Unsigned: Decodable {
    var sub: String
    var exp: Double
    var iat: Double?
  }

  /// The user of an unsigned token (`alg` none and an empty signature). Only for domains without authentication.
  /// Seconds and milliseconds are both in use for its times.
  public static func unsigned(_ token: Secret<String>, now: Date) throws(IDTokenProblem) -> ProvenUser {
    let parts = token.value.split(separator: ".", omittingEmptySubsequences: false)
    guard token.value.utf8.count <= MessagingLimits.tokenBytes, parts.count == 3, parts[2].isEmpty,
      let head = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
      TokenText.problem(in: head) == nil, TokenText.problem(in: body) == nil,
      let header = try? JSONDecoder().decode(Header.self, from: Data(head)),
      let claims = try? JSONDecoder().decode(Unsigned.self, from: Data(body))
    else { throw .malformed }
    guard header.alg.lowercased() == "none" else { throw .algorithm }
    try require(user: claims.sub)
    func seconds(_ time: Double) -> Double { time > 100_000_000_000 ? time / 1_000 : time }
    let end = seconds(claims.exp)
    // Nobody vouches for the token, so refusing it because its endpoint's clock is wrong would gain nothing.
    if let start = claims.iat.map(seconds), end > start, abs(start - now.timeIntervalSince1970) > clockTolerance {
      return try proven(claims.sub, expires: now + (end - start), now: now)
    }
    return try proven(claims.sub, expires: Date(timeIntervalSince1970: end), now: now)
  }

  /// The user of a signed token, once one of the provider's keys has proved it.
  public static func signed(
    _ token: Secret<String>, keys: ProviderKeys, rules: DomainAuthentication.SignedTokenRules, now: Date
  ) throws(IDTokenProblem) -> ProvenUser {
    guard token.value.utf8.count <= MessagingLimits.tokenBytes, let signature = CompactJWS(token.value) else {
      throw .malformed
    }
    let bytes = try keys.verify(signature)
    if let problem = TokenText.problem(in: bytes) { throw .claim(problem) }
    guard let values = try? JSONDecoder().decode([String: ClaimValue].self, from: Data(bytes)) else { throw .malformed }
    let claims = IdentityClaims(subject: "", values: values)
    if let issuer = rules.issuer, claims[rules.issuerClaim]?.text != issuer {
      throw .claim("\(rules.issuerClaim) is another issuer than the one that is set")
    }
    guard let audience = claims[rules.clientClaim]?.texts, audience.contains(where: rules.clientIDs.contains) else {
      throw .claim("\(rules.clientClaim) names no client of the domain")
    }
    try require(rules.scopes, in: claims)
    guard case .number(let expiry) = claims[rules.expiryClaim] else { throw .claim("\(rules.expiryClaim) is missing") }
    if case .number(let start) = claims["nbf"], start > now.timeIntervalSince1970 + leeway {
      throw .claim("its time has not come yet; the clocks may differ")
    }
    guard let user = claims[rules.userClaim]?.text else { throw .claim("\(rules.userClaim) is missing") }
    try require(user: user)
    return try proven(user, expires: Date(timeIntervalSince1970: expiry), now: now)
  }

  /// The user of an opaque token, from the provider's two answers about it.
  public static func opaque(
    tokenInfo: [UInt8], userInfo: [UInt8], rules: DomainAuthentication.OpaqueTokenRules, now: Date
  ) throws(IDTokenProblem) -> ProvenUser {
    guard let info = claims(tokenInfo), let about = claims(userInfo) else { throw .malformed }
    if case .truth(false) = info["active"] { throw .expired }
    let clients = ["client_id", "aud", "azp", "issued_to"].flatMap { info[$0]?.texts ?? [] }
    guard clients.contains(where: rules.clientIDs.contains) else { throw .claim("it is another client's") }
    try require(rules.scopes, in: info)
    guard let user = about[rules.userClaim]?.text else { throw .claim("\(rules.userClaim) is missing") }
    try require(user: user)
    if let subject = info["sub"]?.text, let other = about["sub"]?.text, subject != other {
      throw .claim("user information is about somebody else")
    }
    let expires: Date =
      if let moment = number(info["exp"]) {
        Date(timeIntervalSince1970: moment)
      } else if let seconds = number(info["expires_in"]) {
        now + seconds
      } else {
        now + 3_600
      }
    return try proven(user, expires: expires, now: now)
  }

  private static func claims(_ json: [UInt8]) -> IdentityClaims? {
    guard TokenText.problem(in: json) == nil,
      let values = try? JSONDecoder().decode([String: ClaimValue].self, from: Data(json))
    else { return nil }
    return IdentityClaims(subject: "", values: values)
  }

  private static func number(_ value: ClaimValue?) -> Double? {
    if case .number(let number) = value { return number }
    return Double(value?.text ?? "")
  }

  private static func require(_ scopes: [String], in claims: IdentityClaims) throws(IDTokenProblem) {
    if scopes.isEmpty { return }
    let granted = Set(
      ["scope", "scp"].flatMap { claims[$0]?.texts ?? [] }.flatMap { $0.split(separator: " ").map { String($0) } })
    guard granted.isSuperset(of: scopes) else { throw .claim("a scope of the domain is not granted") }
  }

  private static func require(user: String) throws(IDTokenProblem) {
    guard (1...MessagingLimits.userIdBytes).contains(user.utf8.count) else {
      throw .claim("the user id is expected to have 1 to \(MessagingLimits.userIdBytes) bytes")
    }
    // Others read it as it is: a provider's id can't be cleaned.
    guard !user.unicodeScalars.contains(where: disguises), DisplayName.clean(user, most: user.utf8.count) != nil else {
      throw .claim("the user id has invisible or control characters")
    }
  }

  /// Whether a character breaks the line, or changes the direction of those around it.
  private static func disguises(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: return properties.isBidiControl
    }
  }

  private static func proven(_ user: String, expires: Date, now: Date) throws(IDTokenProblem) -> ProvenUser {
    guard expires.timeIntervalSince1970.isFinite, now < expires + leeway else { throw .expired }
    return ProvenUser(userId: user, expires: min(max(expires, now + leeway), now + longest))
  }
}

/// The signed statement that a user id of a domain has a number.
public enum RegistrationToken {
  private struct Claims: Encodable {
    var aud: String
    var sub: String
    var regId: RegID
    var pin: String
    var iat: Int
    var exp: Int
  }

  /// How long one is good.
  static let lifetime: TimeInterval = 30 * 24 * 3_600

  /// Signs a statement with the key of the domain's tenant. Costs about 1 ms of CPU.
  public static func sign(_ identity: MessagingIdentity, domain: DomainID, tenant: Tenant, now: Date) throws -> String {
    let claims = Claims(
      aud: domain.text, sub: identity.userId, regId: identity.regId, pin: identity.pin,
      iat: Int(now.timeIntervalSince1970), exp: Int((now + lifetime).timeIntervalSince1970))
    return try SigningKey.cached(tenant).sign(Array(try JSONEncoder().encode(claims)))
  }

  private struct PublicKey: Codable {
    var kty: String
    var n: String
    var e: String
    var kid: String?
    var use: String?
    var alg: String?
  }

  /// The JWK Set (RFC 7517) that proves them.
  public static func keySet(of tenant: Tenant) throws -> [UInt8] {
    let json = try SigningKey.cached(tenant).publicJWK()
    var key = try JSONDecoder().decode(PublicKey.self, from: Data(json.utf8))
    key.kid = tenant.signingKeyID
    key.use = "sig"
    key.alg = "RS256"
    return Array(try JSONEncoder().encode(["keys": [key]]))
  }
}
