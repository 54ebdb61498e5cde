import Basics
import Crypto
import Foundation
import Meetings
import Signaling
import Testing
import Transport

@testable import MeetingServer

@Suite("Vaults over HTTP", .serialized)
struct VaultEndpointTests {
  private static let path = "/api/v1/vault"

  private static func text(_ value: UInt8, _ count: Int = 32) -> String {
    Base64URL.encode([UInt8](repeating: value, count: count))
  }

  private static func record(_ version: Int, memory: Int = 65_536) -> SealedVault {
    SealedVault(
      version: version, derivation: VaultDerivation(salt: text(1, 16), memory: memory, passes: 3), sealed: text(9, 80))
  }

  /// One request; `body` as JSON.
  private func send(
    _ server: TestServer, _ method: String, _ path: String = "", token: String?, _ body: (any Encodable)? = nil,
    headers: HTTPHeaders = [:]
  ) async throws -> TestAnswer {
    var headers = headers
    if let token { headers["Authorization"] = "Bearer \(token)" }
    if body != nil, headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
    let bytes = try body.map { [UInt8](try JSONEncoder().encode($0)) }
    return try await TestServer.request(method, server.url + Self.path + path, headers, bytes)
  }

  private func expect(_ answer: TestAnswer, _ status: Int, _ code: String) {
    #expect(answer.status == status && answer["code"] as? String == code, "\(answer.status) \(answer.text)")
  }

  @Test("a token's person makes, opens and forgets a vault; refusals have code and count")
  func person() async throws {
    try await TestServer.run { server in
      let ann = try await server.token("daily", #","sub":"ann","name":"Ann""#)
      let bob = try await server.token("daily", #","sub":"bob""#)
      let guest = try await server.token("daily")
      expect(try await send(server, "GET", token: nil), 401, "signInRequired")
      expect(try await send(server, "GET", token: "rubbish"), 401, "badToken")
      expect(try await send(server, "GET", token: guest), 403, "noIdentity")
      // Threat 54: the grant of a messaging identity's call names it so.
      let call = try await server.token("daily", #","sub":"messaging 4611686018427387905""#)
      for (method, path) in [("GET", ""), ("DELETE", ""), ("POST", "/open")] {
        let body = method == "POST" ? VaultProof(token: Self.text(1)) : nil
        expect(try await send(server, method, path, token: call, body), 403, "noIdentity")
      }
      expect(
        try await send(server, "GET", token: nil, headers: ["Authorization": "Basic YTpi"]), 401, "badToken")
      expect(
        try await send(server, "GET", token: ann, headers: ["Origin": "https://evil.example"]), 403, "wrongOrigin")
      expect(try await send(server, "POST", token: ann, VaultProof(token: Self.text(1))), 405, "methodNotAllowed")

      let status = try await send(server, "GET", token: ann)
      #expect(status.status == 200 && status["state"] as? String == "none")
      let owner = try #require(status["owner"] as? String)
      #expect(owner.hasSuffix("/ann"))
      expect(try await send(server, "POST", "/open", token: ann, VaultProof(token: Self.text(1))), 404, "noVault")
      expect(try await send(server, "DELETE", token: ann), 404, "noVault")
      // Bad bodies.
      expect(try await send(server, "POST", "/prepare", token: ann), 400, "missingBody")
      expect(try await send(server, "POST", "/prepare", token: ann, ["tokens": "x"]), 400, "unknownField")
      expect(try await send(server, "POST", "/prepare", token: ann, ["token": "?"]), 400, "badField")
      expect(try await send(server, "POST", "/prepare", token: ann, ["token": Self.text(1, 31)]), 422, "badVault")
      expect(try await send(server, "POST", "/open", token: ann, [String: String]()), 400, "missingField")
      expect(
        try await send(
          server, "POST", "/prepare", token: ann, ["token": Self.text(1)], headers: ["Content-Type": "text/plain"]),
        415, "notJSON")

      let request = VaultPreparationRequest(token: Self.text(1))
      let prepared = try SignalingDecoder().decode(
        VaultPreparation.self, from: try await send(server, "POST", "/prepare", token: ann, request).body)
      #expect(prepared.version == 1)
      var store = VaultStoreRequest(
        record: Self.record(1, memory: 8), preparation: prepared.id, token: Self.text(1), recovery: Self.text(3))
      expect(try await send(server, "PUT", token: ann, store), 422, "badVault")
      store.record = Self.record(2)
      expect(try await send(server, "PUT", token: ann, store), 409, "vaultChanged")
      store.record = Self.record(1)
      #expect(try await send(server, "PUT", token: ann, store).status == 204)

      let ready = try await send(server, "GET", token: ann)
      #expect(ready["state"] as? String == "ready" && ready["triesLeft"] as? Int == 10)
      #expect(ready["hasRecoveryKey"] as? Bool == true && ready["version"] as? Int == 1)
      let opened = try SignalingDecoder().decode(
        VaultOpening.self,
        from: try await send(server, "POST", "/open", token: ann, VaultProof(token: Self.text(1))).body)
      #expect(opened.record == Self.record(1) && opened.answer == prepared.answer)
      expect(try await send(server, "POST", "/prepare", token: ann, request), 409, "vaultExists")
      let recovery = VaultProof(recovery: Self.text(4))
      expect(try await send(server, "POST", "/open", token: ann, recovery), 403, "wrongRecoveryKey")
      // Nobody else's vault is touched.
      #expect(try await send(server, "GET", token: bob)["state"] as? String == "none")

      for left in (1...9).reversed() {
        let wrong = try await send(server, "POST", "/open", token: ann, VaultProof(token: Self.text(2)))
        expect(wrong, 403, "wrongPasscode")
        #expect(wrong["triesLeft"] as? Int == left)
      }
      for token in [2, 1] as [UInt8] {
        let locked = try await send(server, "POST", "/open", token: ann, VaultProof(token: Self.text(token)))
        expect(locked, 423, "vaultLocked")
        let seconds = try #require(locked["seconds"] as? Int)
        #expect((86_000...86_400).contains(seconds) && locked.headers["Retry-After"] == "\(seconds)")
      }
      #expect(try await send(server, "GET", token: ann)["state"] as? String == "locked")
      let metrics = try await server.metrics()
      #expect(metrics.contains(#"parley_vault_events_total{event="wrong"} 11"#), "\(metrics)")
      #expect(metrics.contains(#"parley_vault_events_total{event="locked"} 1"#))
      #expect(try await send(server, "DELETE", token: ann).status == 204)
      let gone = try await send(server, "GET", token: ann)
      #expect(gone["state"] as? String == "none" && gone["version"] as? Int == 1)

      for secret in [Self.text(1), Self.text(2), prepared.answer] { #expect(!server.logged.text.contains(secret)) }
      let log = try await server.store()
      let entries = try await log.auditLog(tenant: nil, before: nil, limit: 100).filter {
        $0.action.hasPrefix("vault.")
      }
      #expect(entries.allSatisfy { $0.actor == "person ann Ann" && $0.target == "ann" })
      #expect(entries.filter { $0.action == "vault.try" }.count == 12)
      await log.close()
    }
  }

  @Test("a signed-in person has a vault from this server's own pages only")
  func signedIn() async throws {
    let provider = try ScriptedProvider()
    try await provider.serve {
      try await TestServer.run { server in
        try await server.setPolicy {
          $0.signIn = .oidc
          $0.identityProvider = IdentityProvider(
            issuer: provider.script.withLock { $0.issuer }, clientID: "parley", clientSecret: Secret("s3cret-of-parley")
          )
        }
        var browser = TestBrowser(server: server)
        #expect(try await browser.send(Self.path).status == 401)
        _ = try await browser.signIn(provider)
        let status = try await browser.send(Self.path)
        #expect(status.status == 200 && status.text.contains(#""state":"none""#), "\(status.text)")
        #expect(status.headers["access-control-allow-origin"] == nil)
        let foreign: HTTPHeaders = ["Origin": "https://evil.example"]
        #expect(try await browser.send(Self.path, headers: foreign).status == 401)
        let cross: HTTPHeaders = ["Sec-Fetch-Site": "cross-site"]
        #expect(try await browser.send("DELETE", Self.path, headers: cross).status == 401)
        #expect(try await browser.send("DELETE", Self.path).status == 404)
      }
    }
  }
}
