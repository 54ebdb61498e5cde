import Basics
import Crypto
import Foundation
import Synchronization

@testable import MeetingServer
@testable import Meetings
@testable import Transport

/// A provider that says what the test wants, good or bad; what a real one says is tested with browsers.
final class ScriptedProvider: Sendable {
  struct Script: Sendable {
    var key: SigningKey
    /// The keys of the key set; those that sign need not be among them.
    var published: [SigningKey]
    /// Claims instead of the good ones, as JSON; nil leaves one out.
    var claims: [String: String?] = [:]
    /// The ID token instead of a good one.
    var token: String?
    var issuer = ""
    /// Answers instead of the good ones, by path.
    var answers: [String: HTTPResponse] = [:]
    /// The Authorization header of the last request for each path.
    var authorizations: [String: String] = [:]
    /// How often each path was asked for.
    var counts: [String: Int] = [:]
    /// The form and the Authorization header of the last request for tokens.
    var form = FormBody("")
    var authorization: String?
    var challenge: String?
    var nonce = ""
    /// Awaited before a request of that path is looked at.
    var before: @Sendable (String) async -> Void = { _ in }
    var clock: @Sendable () -> Date = { Date() }
  }

  let script: Mutex<Script>

  init() throws {
    let key = try SigningKey.generate(keyID: "k1")
    script = Mutex(Script(key: key, published: [key]))
  }

  func change(_ body: (inout Script) -> Void) { script.withLock { body(&$0) } }
  func count(_ path: String) -> Int { script.withLock { $0.counts[path] ?? 0 } }

  func answer(_ method: String, _ path: String, authorization: String? = nil, body: [UInt8] = []) throws -> HTTPResponse
  {
    try script.withLock { script in
      script.counts[path, default: 0] += 1
      script.authorizations[path] = authorization
      if let answer = script.answers[path] { return answer }
      let issuer = script.issuer
      switch path {
      case "/.well-known/openid-configuration":
        return .text(
          """
          {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize?tenant=a","token_endpoint":"\(issuer)/token",
          "jwks_uri":"\(issuer)/keys","userinfo_endpoint":"\(issuer)/userinfo"}
          """)
      case "/keys":
        let members = try script.published.map { key in
          "{\"kid\":\"\(key.keyID)\",\"use\":\"sig\"," + (try key.publicJWK()).dropFirst()
        }
        return .text("{\"keys\":[\(members.joined(separator: ","))]}")
      case "/token":
        script.form = FormBody(bytes: body) ?? FormBody("")
        script.authorization = authorization
        // As a provider does: the code goes with the challenge of the request that it was made for.
        let verifier = script.form["code_verifier"] ?? ""
        guard method == "POST", Base64URL.challenge(verifier) == script.challenge else {
          return .text("{\"error\":\"invalid_grant\"}", status: 400)
        }
        let now = Int(script.clock().timeIntervalSince1970)
        var claims: [String: String] = [
          "iss": "\"\(issuer)\"", "sub": "\"ada\"", "aud": "\"parley\"", "exp": "\(now + 300)", "iat": "\(now)",
          "nonce": "\"\(script.nonce)\"", "name": "\"Ada Lovelace\"",
        ]
        for (name, value) in script.claims { claims[name] = value }
        let text = "{" + claims.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        let token = try script.token ?? script.key.sign(Array(text.utf8))
        return .text("{\"access_token\":\"a-1\",\"token_type\":\"Bearer\",\"id_token\":\"\(token)\"}")
      default: return .text("{}", status: 404)
      }
    }
  }

  /// Serves it on loopback while `body` runs.
  func serve(_ body: () async throws -> Void) async throws {
    let server = try HTTPServer(name: "provider") { request in
      await self.script.withLock { $0.before }(request.path)
      return
        (try? self.answer(
          request.method, request.path, authorization: request.headers["authorization"], body: request.body))
        ?? .text("", status: 500)
    }
    let port = try server.listen(on: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0)).port
    change { $0.issuer = "http://127.0.0.1:\(port)" }
    do {
      try await body()
    } catch {
      await server.shutdown(grace: .zero)
      throw error
    }
    await server.shutdown(grace: .zero)
  }

  /// The same without sockets.
  var fetch: ProviderClient.Fetch {
    { call in
      let path = "/" + call.url.dropFirst("https://id.example/".count)
      let answer = try self.answer(
        call.method, path, authorization: call.headers["authorization"], body: call.body)
      guard case .bytes(let bytes) = answer.body else { throw TransportError.stopped }
      return HTTPClient.Response(status: answer.status, headers: answer.headers, body: bytes)
    }
  }
}

/// A browser that keeps cookies and follows nothing by itself.
struct TestBrowser {
  let server: TestServer
  var cookies: [String: String] = [:]

  mutating func send(_ path: String, headers: HTTPHeaders = [:]) async throws -> HTTPClient.Response {
    try await send("GET", path, headers: headers)
  }

  mutating func send(
    _ method: String, _ path: String, headers: HTTPHeaders = [:], body: String = ""
  ) async throws -> HTTPClient.Response {
    var headers = headers
    if !cookies.isEmpty { headers["Cookie"] = cookies.map { "\($0)=\($1)" }.joined(separator: "; ") }
    let url = path.hasPrefix("http") ? path : server.url + path
    let response = try await HTTPClient.request(method, url, headers: headers, body: Array(body.utf8))
    for cookie in (response.headers["set-cookie"] ?? "").split(separator: ",") {
      let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = pair[0].filter { $0 != " " }
      cookies[name] = pair.count == 2 && !pair[1].isEmpty ? String(pair[1]) : nil
    }
    return response
  }

  /// Goes to the provider, and returns the address that the provider would send it back to.
  mutating func begin(_ path: String, _ provider: ScriptedProvider) async throws -> String {
    let response = try await send(path)
    guard response.status == 302, let location = response.headers["location"] else {
      throw Unexpected(text: "no redirection but \(response.status): \(response.text)")
    }
    let query = FormBody(location.drop { $0 != "?" }.dropFirst())
    provider.change {
      $0.nonce = query["nonce"] ?? ""
      $0.challenge = query["code_challenge"]
    }
    return "/signin/callback?code=c-1&state=\(query["state"] ?? "")"
  }

  /// Signs in, and returns where it ends.
  mutating func signIn(_ provider: ScriptedProvider, room: String = "daily") async throws -> String {
    let back = try await begin("/signin?room=\(room)", provider)
    return try await send(back).headers["location"] ?? ""
  }
}
