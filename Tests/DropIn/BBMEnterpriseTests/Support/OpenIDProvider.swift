import Basics
import Crypto
import Foundation
import Synchronization
import Transport

/// An OpenID Connect provider in this process, with one user and one client, and the browser in which the user signs
/// in. It checks what a provider has to: client, redirect address, challenge and verifier.
final class OpenIDProvider: Sendable {
  struct Script: Sendable {
    /// The parameters that the browser brings back besides `state`; those of a code that is issued where nil.
    var answer: [String: String]?
    /// A `state` in place of the app's; "" leaves it out.
    var state: String?
    /// The answer to requests for tokens, in place of a good one.
    var tokens: HTTPResponse?
    /// Members of the discovery document in place of the good ones.
    var discovery: [String: String] = [:]
  }

  private struct Issued: Sendable {
    var code: String
    var challenge: String
    var redirect: String
  }

  let script = Mutex(Script())
  private let port = Mutex<UInt16>(0)
  private let issued = Mutex<[Issued]>([])
  /// The requests for tokens.
  private let forms = Mutex<[[String: String]]>([])

  var issuer: String { "http://127.0.0.1:\(port.withLock { $0 })" }
  var grants: [String] { forms.withLock { $0.map { $0["grant_type"] ?? "" } } }

  /// Serves while `body` runs.
  @MainActor static func run(_ body: @MainActor (OpenIDProvider) async throws -> Void) async throws {
    let provider = OpenIDProvider()
    let server = try HTTPServer(name: "provider") { provider.answer($0) }
    let port = try server.listen(on: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0)).port
    provider.port.withLock { $0 = port }
    do {
      try await body(provider)
    } catch {
      await server.shutdown(grace: .zero)
      throw error
    }
    await server.shutdown(grace: .zero)
  }

  // MARK: The browser

  /// Opens the app's address, signs in, and goes to the address of the redirection. Returns the status of the page that
  /// the user sees at the end.
  func browse(_ url: String) async throws -> Int {
    let response = try await HTTPClient.request("GET", url)
    guard response.status == 302, let location = response.headers["location"] else { return response.status }
    return try await HTTPClient.request("GET", location).status
  }

  // MARK: The provider

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    switch request.path {
    case "/.well-known/openid-configuration": discovery()
    case "/authorize": authorize(Self.fields(request.query ?? ""))
    case "/token": token(Self.fields(String(decoding: request.body, as: UTF8.self)))
    default: .text("", status: 404)
    }
  }

  private static func fields(_ query: String) -> [String: String] {
    let items = URLComponents(string: "?" + query)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }

  private static func json(_ object: [String: String]) -> HTTPResponse {
    let body = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
    return HTTPResponse(headers: ["Content-Type": "application/json"], body: Array(body))
  }

  private func discovery() -> HTTPResponse {
    let document = [
      "issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
    ]
    return Self.json(document.merging(script.withLock { $0.discovery }) { $1 })
  }

  private func authorize(_ fields: [String: String]) -> HTTPResponse {
    guard fields["client_id"] == "app", fields["response_type"] == "code", fields["code_challenge_method"] == "S256",
      let challenge = fields["code_challenge"], let redirect = fields["redirect_uri"], let state = fields["state"],
      redirect.hasPrefix("http://127.0.0.1:"), state.utf8.count > 20,
      fields["scope"]?.split(separator: " ").contains("openid") == true
    else { return .text("bad request", status: 400) }
    let script = script.withLock { $0 }
    let code = "code-\(issued.withLock { $0.count })"
    if script.answer == nil {
      issued.withLock { $0.append(Issued(code: code, challenge: challenge, redirect: redirect)) }
    }
    var answer = script.answer ?? ["code": code]
    answer["state"] = script.state ?? state
    if script.state == "" { answer["state"] = nil }
    let query = answer.map { "\($0)=\($1)" }.joined(separator: "&")
    return HTTPResponse(status: 302, headers: ["Location": "\(redirect)?\(query)"])
  }

  private func token(_ fields: [String: String]) -> HTTPResponse {
    forms.withLock { $0.append(fields) }
    if let answer = script.withLock({ $0.tokens }) { return answer }
    guard fields["client_id"] == "app" else { return .text("{}", status: 401) }
    switch fields["grant_type"] {
    case "authorization_code":
      let known = issued.withLock { issued in
        let index = issued.firstIndex { $0.code == fields["code"] }
        return index.map { issued.remove(at: $0) }
      }
      guard let known, known.redirect == fields["redirect_uri"], let verifier = fields["code_verifier"],
        let digest = try? Digest.sha256(Array(verifier.utf8)), Base64URL.encode(digest) == known.challenge
      else { return .text(#"{"error":"invalid_grant"}"#, status: 400) }
      return tokens("access-1")
    case "refresh_token" where fields["refresh_token"] == "refresh-1": return tokens("access-2")
    default: return .text(#"{"error":"invalid_grant"}"#, status: 400)
    }
  }

  private func tokens(_ access: String) -> HTTPResponse {
    let claims = #"{"sub":"ada","oid":"o-1","name":"Ada Lovelace","email":"ada@example.com","aud":"app"}"#
    let parts = [#"{"alg":"RS256"}"#, claims, "signature"].map { Base64URL.encode(Array($0.utf8)) }
    return Self.json([
      "access_token": access, "id_token": parts.joined(separator: "."), "refresh_token": "refresh-1",
      "token_type": "Bearer",
    ])
  }
}
