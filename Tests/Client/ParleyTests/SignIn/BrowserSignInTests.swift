import Basics
import Foundation
import FoundationNetworking
import Synchronization
import Testing
import Transport

@testable import Parley

/// Signing in with a browser, towards a server that gives a token for one code and its verifier, as Parley's does. A
/// real server, provider and browser are in the interop tests.
@Suite(.serialized) struct BrowserSignInTests {
  @Test("an OpenID provider reached by https names endpoints that are, too")
  func endpoints() {
    func isFit(_ address: String, _ issuer: String) -> Bool { OpenIDSignIn.isEndpoint(address, of: issuer) }
    #expect(isFit("https://login.example/token", "https://id.example") && isFit("http://a/t", "http://127.0.0.1:80"))
    #expect(
      !isFit("http://id.example/token", "https://id.example") && !isFit("http://id.example/t", "HTTPS://id.example"))
    #expect(!isFit("file:///etc/passwd", "http://127.0.0.1:80") && !isFit("https:/id.example", "https://id.example"))
  }

  /// A server that records its requests, and how it is reached.
  private final class Desk: Sendable {
    let forms = Mutex<[String]>([])
    let challenge = Mutex("")
    let port = Mutex<UInt16>(0)
    var signIn: String { "http://127.0.0.1:\(port.withLock { $0 })/signin?room=board" }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
      if request.path.hasPrefix("/discover/") {
        let url = request.path.hasSuffix("/elsewhere") ? "https://evil.example/signin?room=board" : signIn
        return .text("{\"Error\":\"Sign in.\",\"code\":\"signInRequired\",\"signIn\":\"\(url)\"}", status: 401)
      }
      let form = String(decoding: request.body, as: UTF8.self)
      forms.withLock { $0.append(form) }
      let verifier = form.split(separator: "=").last.map(String.init) ?? ""
      guard request.method == "POST", request.path == "/signin/token", form.hasPrefix("code=good&code_verifier="),
        ProofKey(verifier: verifier)?.challenge == challenge.withLock({ $0 })
      else { return .text("{\"Error\":\"No.\",\"code\":\"signInExpired\"}", status: 400) }
      return .text("{\"token\":\"psat=t\",\"expires\":\"2030-01-01T00:00:00Z\",\"name\":\"Ada Lovelace\"}")
    }
  }

  private func run(_ body: @MainActor (Desk) async throws -> Void) async throws {
    let desk = Desk()
    let server = try HTTPServer(name: "desk") { desk.answer($0) }
    let port = try server.listen(on: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0)).port
    desk.port.withLock { $0 = port }
    do { try await body(desk) } catch {
      await server.shutdown(grace: .zero)
      throw error
    }
    await server.shutdown(grace: .zero)
  }

  /// The app's address, out of the one to open; the challenge in it is the one that the server checks.
  private func listener(_ signIn: BrowserSignIn, _ desk: Desk) throws -> String {
    let fields = MeetingAddress.pairs(signIn.url.drop { $0 != "?" }.dropFirst(), valueIfNone: nil)
    #expect(fields.first?.0 == "room" && fields.first?.1 == "board" && signIn.url.hasPrefix("\(desk.signIn)&app="))
    let challenge = try #require(fields.first { $0.0 == "challenge" }?.1)
    desk.challenge.withLock { $0 = challenge }
    return try #require(fields.first { $0.0 == "app" }?.1)
  }

  @Test("a verifier's S256 is that of RFC 7636 appendix B, and no two verifiers are equal")
  func proofKey() throws {
    let key = try #require(ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    let some = try (0..<8).map { _ in try #require(ProofKey()) }
    #expect(Set(some.map(\.verifier.value)).count == 8 && some.allSatisfy { $0.verifier.value.utf8.count == 43 })
  }

  @Test("threat 24: only a code that the server takes with the verifier ends the waiting")
  func codes() async throws {
    try await run { desk in
      let signIn = try await BrowserSignIn(desk.signIn)
      let app = try listener(signIn, desk)
      #expect(app.hasPrefix("http://127.0.0.1:"))
      async let pass = signIn.waitForPass(within: .seconds(30))
      #expect(try await HTTPClient.request("GET", url(app, "code=forged")).status == 400)
      let page = try await HTTPClient.request("GET", url(app, "code=good"))
      #expect(page.status == 200 && page.text.contains("You are signed in"))
      #expect(page.headers["cache-control"] == "no-store")
      let known = try await pass
      #expect(known.name == "Ada Lovelace" && known.token.value == "psat=t" && !"\(known)".contains("psat=t"))
      #expect(desk.forms.withLock { $0.count } == 2)
    }
  }

  @Test("threat 28: the listener answers one code to a navigation to it, and nothing else")
  func strangers() async throws {
    try await run { desk in
      let signIn = try await BrowserSignIn(desk.signIn)
      let app = try listener(signIn, desk)
      let tries: [(String, HTTPHeaders, Int)] = [
        ("/?code=good", ["Host": "evil.example"], 403), ("/?code=good", ["Sec-Fetch-Mode": "cors"], 403),
        ("/?code=good", ["Sec-Fetch-Mode": "no-cors"], 403), ("/other?code=good", [:], 404), ("/", [:], 404),
        ("/?code=good&code=good", [:], 404), ("/?code=good&error=denied", [:], 404), ("/?code=", [:], 404),
        ("/?error=" + String(repeating: "x", count: 65), [:], 404),
      ]
      for (path, headers, status) in tries {
        #expect(try await self.status(app + path, headers) == status, "\(path) \(headers.fields.map(\.name))")
      }
      #expect(desk.forms.withLock { $0.isEmpty })
      _ = try await HTTPClient.request("GET", url(app, "error=denied"))
      await #expect(throws: JoinError.self) { try await signIn.waitForPass() }
    }
  }

  private func url(_ app: String, _ query: String) -> String { "\(app)/?\(query)" }

  /// The status of an answer, by Foundation's client, which lets the Host header be chosen.
  private func status(_ address: String, _ headers: HTTPHeaders) async throws -> Int? {
    var request = URLRequest(url: try #require(URL(string: address)), timeoutInterval: 20)
    for (name, value) in headers.fields { request.setValue(value, forHTTPHeaderField: name) }
    return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode
  }

  @Test("an error word of the server, the time or a cancelled task end the waiting")
  func ends() async throws {
    try await run { desk in
      for (word, code) in [("denied", "denied"), ("notAdmitted", "notAdmitted"), ("evil words", "failed")] {
        let signIn = try await BrowserSignIn(desk.signIn)
        let app = try listener(signIn, desk)
        async let pass = signIn.waitForPass()
        let encoded = MeetingAddress.encoded(Substring(word), keepingPercent: false)
        #expect(try await HTTPClient.request("GET", url(app, "error=\(encoded)")).status == 200)
        do {
          _ = try await pass
          Issue.record("it went through")
        } catch { #expect((error as? JoinError)?.code == code && !"\(error)".contains("evil")) }
      }
      let late = try await BrowserSignIn(desk.signIn)
      await #expect(throws: JoinError.timedOut("Nobody signed in within 0 s. Begin again when you are ready.")) {
        try await late.waitForPass(within: .milliseconds(50))
      }
      let cancelled = try await BrowserSignIn(desk.signIn)
      let task = Task { try await cancelled.waitForPass() }
      task.cancel()
      await #expect(throws: JoinError.cancelled) { try await task.value }
      // One that nobody waits for frees its port by itself.
      _ = try await BrowserSignIn(desk.signIn)
      for bad in ["", "ftp://x/signin?room=a", "http://x/signin", "http://x/signin?room=a#b"] {
        await #expect(throws: JoinError.self, "\(bad)") { try await BrowserSignIn(bad) }
      }
    }
  }

  @Test("a sign-in is asked for by a typed error with an address on the same server only")
  func joinError() async throws {
    try await run { desk in
      let origin = desk.signIn.replacingOccurrences(of: "/signin?room=board", with: "")
      let error = await #expect(throws: JoinError.self) { try await Meeting.join("\(origin)/board") }
      #expect(error == .signInRequired(url: desk.signIn) && error?.code == "signInRequired" && error?.isFinal == true)
      let other = await #expect(throws: JoinError.self) { try await Meeting.join("\(origin)/elsewhere") }
      #expect(other?.code == "signInRequired" && other?.description.contains("evil") == false)
    }
  }
}
