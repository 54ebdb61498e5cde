import Basics
import Crypto
import Signaling
import Synchronization
import Transport

/// Signs a person in at an OpenID Connect provider, with the browser of their computer (OpenID Connect Core 1.0 section
/// 3.1 over RFC 8252, with PKCE), and gives the provider's tokens: for apps whose service verifies those itself.
package final class OpenIDSignIn: Sendable {
  /// The provider, as an app is registered there.
  package struct Provider: Sendable {
    /// Its address, below which `.well-known/openid-configuration` is.
    package var issuer: String
    package var clientID: String
    /// Words between blanks; `openid` has to be one of them.
    package var scope: String
    package var trustsAnyCertificate: Bool

    package init(issuer: String, clientID: String, scope: String, trustsAnyCertificate: Bool = false) {
      self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
      self.clientID = clientID
      self.scope = scope
      self.trustsAnyCertificate = trustsAnyCertificate
    }
  }

  /// A person who has signed in. The claims are the provider's word, received from it directly over TLS, so their
  /// signature isn't checked here (OpenID Connect Core 1.0 section 3.1.3.7 number 6); the service that gets the tokens
  /// checks it.
  package struct Account: Sendable {
    /// The claim `sub` of the id token.
    package let subject: String
    package let name: String?
    package let email: String?
    package let picture: String?
    /// Identifies a person in all apps of a directory, at Microsoft's provider.
    package let objectID: String?
    package let idToken: Secret<String>
    package let accessToken: Secret<String>
    /// Nil when the provider gives none.
    package let refreshToken: Secret<String>?
  }

  /// The address to open in a browser on this computer.
  package let url: String
  private let provider: Provider
  private let listener: RedirectListener
  private let codes: AsyncStream<Result<Account, JoinError>>

  /// Begins to sign in: listens on a free port of `127.0.0.1`, until ``account()`` has returned or this object is let
  /// go.
  package init(_ provider: Provider) async throws(JoinError) {
    let endpoints = try await Self.discover(provider)
    guard let key = ProofKey(), let state = ProofKey()?.verifier.value else {
      throw .unreachable("There is no memory left to sign in with.")
    }
    let (stream, continuation) = AsyncStream.makeStream(of: Result<Account, JoinError>.self)
    let exchange = Exchange(provider: provider, endpoint: endpoints.token_endpoint, key: key)
    let listener = try await RedirectListener(state: state) { [exchange] answer in
      switch answer {
      case .problem(let word):
        continuation.yield(
          .failure(.refused(code: word, message: "The sign-in was cancelled or refused. You can try again.")))
        return true
      case .code(let code):
        guard let account = await exchange.redeem(code) else { return false }
        continuation.yield(.success(account))
        return true
      }
    }
    exchange.redirect.withLock { $0 = listener.origin + "/" }
    let fields = [
      ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", listener.origin + "/"),
      ("scope", provider.scope), ("code_challenge", key.challenge), ("code_challenge_method", "S256"),
      ("state", state),
    ]
    let mark = endpoints.authorization_endpoint.contains("?") ? "&" : "?"
    url = endpoints.authorization_endpoint + mark + Self.form(fields)
    self.provider = provider
    self.listener = listener
    codes = stream
  }

  /// Waits until the person has signed in. May be called once. Cancelling the task ends it.
  package func account() async throws(JoinError) -> Account {
    var result: Result<Account, JoinError> = .failure(.cancelled)
    for await each in codes {
      result = each
      break
    }
    await listener.close()
    return try result.get()
  }

  /// New tokens for a person who has signed in before.
  /// - Throws: ``JoinError/refused(code:message:)`` when the provider wants to see the person again.
  package static func refresh(_ token: Secret<String>, at provider: Provider) async throws(JoinError) -> Account {
    let endpoints = try await discover(provider)
    let fields = [
      ("grant_type", "refresh_token"), ("refresh_token", token.value), ("client_id", provider.clientID),
      ("scope", provider.scope),
    ]
    guard let account = await Exchange.post(fields, endpoints.token_endpoint, provider, refreshToken: token) else {
      throw .refused(code: "expired", message: "The provider asks for signing in again.")
    }
    return account
  }

  /// The members of a discovery document (OpenID Connect Discovery 1.0 section 3) that are needed.
  private struct Endpoints: Decodable {
    var authorization_endpoint: String
    var token_endpoint: String
  }

  private static func discover(_ provider: Provider) async throws(JoinError) -> Endpoints {
    let address = provider.issuer + "/.well-known/openid-configuration"
    guard isWebAddress(address) else {
      throw .badAddress("This is no address of an OpenID Connect provider: \(provider.issuer.prefix(200)).")
    }
    let response = try? await HTTPClient.request(
      url: address, trustsAny: provider.trustsAnyCertificate, method: "GET", headers: [:], body: [])
    guard let response, response.status == 200,
      let endpoints = try? SignalingDecoder().decode(Endpoints.self, from: response.body),
      [endpoints.authorization_endpoint, endpoints.token_endpoint].allSatisfy({ isEndpoint($0, of: provider.issuer) })
    else { throw .unreachable("The sign-in service does not answer at \(address).") }
    return endpoints
  }

  /// Whether an address is fit for an endpoint of an issuer. The system starts other programs for addresses of other
  /// schemes, and a code or token of a protected provider must not go in the clear. The document's `issuer` isn't
  /// compared: that of a provider for many directories is a pattern.
  static func isEndpoint(_ address: String, of issuer: String) -> Bool {
    isWebAddress(address)
      && (address.lowercased().hasPrefix("https://") || !issuer.lowercased().hasPrefix("https://"))
  }

  private static func isWebAddress(_ address: String) -> Bool {
    ["http://", "https://"].contains { address.lowercased().hasPrefix($0) }
  }

  fileprivate static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\($0)=\(MeetingAddress.encoded(Substring($1), keepingPercent: false))" }.joined(separator: "&")
  }
}

/// Exchanges codes for tokens.
private final class Exchange: Sendable {
  let redirect = Mutex("")
  private let provider: OpenIDSignIn.Provider
  private let endpoint: String
  private let key: ProofKey

  init(provider: OpenIDSignIn.Provider, endpoint: String, key: ProofKey) {
    self.provider = provider
    self.endpoint = endpoint
    self.key = key
  }

  private struct Answer: Decodable {
    var access_token: String
    var id_token: String?
    var refresh_token: String?
  }

  private struct Claims: Decodable {
    var sub: String
    var name: String?
    var email: String?
    var picture: String?
    var oid: String?
  }

  /// Nil when the provider does not take the code: it was not made for this sign-in.
  func redeem(_ code: Secret<String>) async -> OpenIDSignIn.Account? {
    let fields = [
      ("grant_type", "authorization_code"), ("code", code.value), ("redirect_uri", redirect.withLock { $0 }),
      ("client_id", provider.clientID), ("code_verifier", key.verifier.value),
    ]
    return await Self.post(fields, endpoint, provider, refreshToken: nil)
  }

  static func post(
    _ fields: [(String, String)], _ endpoint: String, _ provider: OpenIDSignIn.Provider, refreshToken: Secret<String>?
  ) async -> OpenIDSignIn.Account? {
    let response = try? await HTTPClient.request(
      url: endpoint, trustsAny: provider.trustsAnyCertificate, method: "POST",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(OpenIDSignIn.form(fields).utf8))
    guard let response, response.status == 200,
      let answer = try? SignalingDecoder().decode(Answer.self, from: response.body),
      let token = answer.id_token, let claims = claims(token)
    else { return nil }
    return OpenIDSignIn.Account(
      subject: claims.sub, name: claims.name, email: claims.email, picture: claims.picture, objectID: claims.oid,
      idToken: Secret(token), accessToken: Secret(answer.access_token),
      refreshToken: answer.refresh_token.map { Secret($0) } ?? refreshToken)
  }

  private static func claims(_ token: String) -> Claims? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return nil }
    return try? SignalingDecoder().decode(Claims.self, from: bytes)
  }
}

extension HTTPClient {
  /// A request of signing in: bounded, and with the words of its kind.
  fileprivate static func request(
    url: String, trustsAny: Bool, method: String, headers: HTTPHeaders, body: [UInt8]
  ) async throws(TransportError) -> Response {
    try await request(method, url, headers: headers, body: body, limit: 64 << 10, allowsSelfSigned: trustsAny)
  }
}
