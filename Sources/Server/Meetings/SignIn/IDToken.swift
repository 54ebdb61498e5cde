public import Basics
public import FoundationEssentials

/// Checks ID tokens (OpenID Connect Core 1.0 section 3.1.3.7).
public struct IDTokenRules: Sendable {
  public var issuer: String
  /// For whom it must be.
  public var clientID: String
  /// The random text that the request for it named.
  public var nonce: String

  /// The rules of one request.
  public init(issuer: String, clientID: String, nonce: String) {
    self.issuer = issuer
    self.clientID = clientID
    self.nonce = nonce
  }

  /// The longest token looked at, in bytes.
  public static let maximumLength = 32_768
  /// How far the provider's clock may differ.
  static let leeway: TimeInterval = 60
  /// How old a token may be: it comes straight from the provider, which has just made it.
  static let oldest: TimeInterval = 3_600

  private struct Times: Decodable {
    var iss: String
    var sub: String
    var aud: Audience
    var exp: NumericDate
    var iat: NumericDate
    var nbf: NumericDate?
    var azp: String?
    var nonce: String?
  }

  /// The token's claims, once it is proved to be the provider's, for this server, for this request, and current.
  public func claims(
    of token: Secret<String>, keys: ProviderKeys, now: Date
  ) throws(IDTokenProblem) -> IdentityClaims {
    guard token.value.utf8.count <= Self.maximumLength, let signature = CompactJWS(token.value) else {
      throw .malformed
    }
    let bytes = try keys.verify(signature)
    if let problem = TokenText.problem(in: bytes) { throw .claim(problem) }
    let payload = Data(bytes)
    let decoder = JSONDecoder()
    let known: Times
    do {
      known = try decoder.decode(Times.self, from: payload)
    } catch DecodingError.keyNotFound(let key, _) {
      throw .claim("\(key.stringValue.prefix(40)) is missing")
    } catch {
      throw .claim("a claim is not of the type that it is expected to have")
    }
    guard known.iss == issuer else { throw .claim("iss is another issuer than the one that is set") }
    guard known.aud.names.contains(clientID) else { throw .claim("aud names another client") }
    guard known.azp.map({ $0 == clientID }) ?? (known.aud.names.count == 1) else {
      throw .claim("azp is expected to be this client where there are several audiences")
    }
    guard (1...255).contains(known.sub.utf8.count) else { throw .claim("sub is expected to have 1 to 255 bytes") }
    guard known.nonce == nonce else { throw .nonce }
    guard now < known.exp.date + Self.leeway else { throw .expired }
    guard known.iat.date <= now + Self.leeway, known.nbf.map({ $0.date <= now + Self.leeway }) ?? true else {
      throw .claim("its time has not come yet; the clocks may differ")
    }
    guard now - Self.oldest < known.iat.date else { throw .expired }
    guard let values = try? decoder.decode([String: ClaimValue].self, from: payload) else { throw .malformed }
    return IdentityClaims(subject: known.sub, values: values)
  }
}

/// Why an ID token is not believed. For the log; people see that signing in didn't work.
public enum IDTokenProblem: Error, Sendable, Hashable {
  /// It isn't a compact JWS with JSON in it, or it is too long.
  case malformed
  /// It is signed neither with RS256 nor with ES256, or demands extensions.
  case algorithm
  /// The provider has no such key: it may have changed them.
  case unknownKey
  /// The signature is not the key's.
  case signature
  /// A claim is missing or wrong: which.
  case claim(String)
  /// It was made for another request.
  case nonce
  /// Its time is over.
  case expired
}

extension IDTokenProblem: CustomStringConvertible {
  /// The error, as the end of a sentence.
  public var description: String {
    switch self {
    case .malformed: "it is no ID token that can be read"
    case .algorithm: "its algorithm is neither RS256 nor ES256"
    case .unknownKey: "the provider publishes no key that could have signed it"
    case .signature: "its signature is not that of the provider's key"
    case .claim(let which): which
    case .nonce: "its nonce is that of another request"
    case .expired: "its time is over"
    }
  }
}
