import Foundation
import Messaging
import Testing
import Transport

@testable import MeetingServer
@testable import Meetings

@Suite("Users of a domain")
struct DomainAuthenticatorTests {
  private func domain(_ authentication: DomainAuthentication) -> MessagingDomain {
    MessagingDomain(
      id: MessagingDomain.randomID(), tenant: .random(), name: "app",
      settings: .init(environment: .production, authentication: authentication), created: Date())
  }

  private func code(
    _ authenticator: DomainAuthenticator, _ token: String, _ user: String, _ domain: MessagingDomain
  ) async -> MessagingFailure.Code? {
    do throws(MessagingFailure) {
      _ = try await authenticator.user(of: token, named: user, in: domain)
      return nil
    } catch { return error.code }
  }

  @Test("threat 54: a token counts by a key of the JWKS address, also a new one, and only for the user that it names")
  func signed() async throws {
    let provider = try ScriptedProvider()
    let authenticator = DomainAuthenticator(
      client: ProviderClient(fetch: provider.fetch), log: Log(level: .error) { _ in })
    let app = domain(.jwt(.init(jwks: "https://id.example/keys", clientIDs: ["app"])))
    func token(_ key: SigningKey) throws -> String {
      let end = Int(Date().timeIntervalSince1970) + 300
      return try key.sign(Array(#"{"sub":"ann","aud":"app","exp":\#(end)}"#.utf8))
    }
    let old = try token(provider.script.withLock { $0.key })
    #expect(await code(authenticator, old, "ann", app) == nil)
    #expect(await code(authenticator, old, "eve", app) == .tokenRejected)
    #expect(await code(authenticator, TestServer.unsigned("ann"), "ann", app) == .tokenRejected)
    // Disabled authentication in production, whoever has written it into the store.
    #expect(await code(authenticator, TestServer.unsigned("ann"), "ann", domain(.disabled)) == .tokenRejected)
    let fresh = try SigningKey.generate(keyID: "k2")
    #expect(await code(authenticator, try token(fresh), "ann", app) == .tokenRejected)
    provider.change { $0.answers["/keys"] = .text("{}", status: 500) }
    let other = domain(.jwt(.init(jwks: "https://id.example/keys?other", clientIDs: ["app"])))
    #expect(await code(authenticator, old, "ann", other) == .providerUnavailable)
  }

  @Test("an opaque token counts by the provider's two answers about it")
  func opaque() async throws {
    let provider = try ScriptedProvider()
    let authenticator = DomainAuthenticator(
      client: ProviderClient(fetch: provider.fetch), log: Log(level: .error) { _ in })
    let app = domain(
      .oauth(.init(tokenInfo: "https://id.example/info", userInfo: "https://id.example/user", clientIDs: ["app"])))
    provider.change {
      $0.answers["/info"] = .text(#"{"active":true,"client_id":"app","expires_in":60}"#)
      $0.answers["/user"] = .text(#"{"sub":"ann"}"#)
    }
    #expect(await code(authenticator, "opaque", "ann", app) == nil)
    #expect(provider.script.withLock { $0.authorizations["/info"] } == "Bearer opaque")
    // Introspection as RFC 7662 has it: the client's secret, form-encoded as in RFC 6749 section 2.3.1.
    let keyed = domain(
      .oauth(
        .init(
          tokenInfo: "https://id.example/info", userInfo: "https://id.example/user", clientIDs: ["app"],
          clientSecret: "a:b")))
    #expect(await code(authenticator, "opaque", "ann", keyed) == nil)
    #expect(
      provider.script.withLock { $0.authorizations } == ["/info": "Basic YXBwOmElM0Fi", "/user": "Bearer opaque"])
    #expect(await code(authenticator, "opaque", "eve", app) == .tokenRejected)
    #expect(await code(authenticator, "a b", "ann", app) == .tokenRejected)
    provider.change { $0.answers["/info"] = .text(#"{"active":false}"#) }
    #expect(await code(authenticator, "opaque", "ann", app) == .tokenRejected)
    provider.change { $0.answers["/user"] = .text("{}", status: 503) }
    #expect(await code(authenticator, "opaque", "ann", app) == .providerUnavailable)
  }
}
