import Basics
import Foundation
import Messaging
import Synchronization
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

  @Test("threat 55: a hanging provider uses its own domain's slots, and others get in")
  func slowProvider() async throws {
    let provider = try ScriptedProvider()
    let fetch = provider.fetch
    let gate = Mutex(true)
    let client = ProviderClient(fetch: { call in
      while call.url.hasSuffix("slow"), gate.withLock({ $0 }) { await Task.yield() }
      return try await fetch(call)
    })
    let authenticator = DomainAuthenticator(client: client, log: Log(level: .error) { _ in })
    provider.change {
      for path in ["/slow", "/info"] {
        $0.answers[path] = .text(#"{"active":true,"client_id":"app","expires_in":60}"#)
      }
      $0.answers["/user"] = .text(#"{"sub":"ann"}"#)
    }
    func app(_ path: String) -> MessagingDomain {
      domain(
        .oauth(
          .init(tokenInfo: "https://id.example/\(path)", userInfo: "https://id.example/user", clientIDs: ["app"])))
    }
    let slow = app("slow")
    let codes = await withTaskGroup(of: MessagingFailure.Code?.self) { group in
      for _ in 0..<20 { group.addTask { await code(authenticator, "opaque", "ann", slow) } }
      // The first to come back are those who were refused at once.
      var codes: [MessagingFailure.Code?] = []
      for _ in 0..<20 - ProviderClient.maximumOwnAnswers { if let code = await group.next() { codes.append(code) } }
      codes.append(await code(authenticator, "opaque", "ann", app("info")))
      gate.withLock { $0 = false }
      for await code in group { codes.append(code) }
      return codes
    }
    #expect(codes.count { $0 == .unavailable } == 20 - ProviderClient.maximumOwnAnswers)
    #expect(codes.count { $0 == nil } == ProviderClient.maximumOwnAnswers + 1)
  }

  @Test("threat 55: many other providers' keys leave the limit on invented key ids")
  func manyProviders() async throws {
    let provider = try ScriptedProvider()
    let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let client = ProviderClient(clock: { clock.withLock { $0 } }, fetch: provider.fetch)
    func fetches(_ path: String, _ issuer: String, unfit: Bool) async throws -> Int {
      let before = provider.count(path)
      _ = try await client.keys(at: "https://id.example" + path, of: issuer, unfit: unfit)
      clock.withLock { $0 += 0.001 }
      return provider.count(path) - before
    }
    #expect(try await fetches("/keys", "first", unfit: false) == 1)
    #expect(try await fetches("/keys", "first", unfit: true) == 1)
    for index in 1..<ProviderClient.maximumProviders { _ = try await fetches("/keys", "\(index)", unfit: false) }
    #expect(try await fetches("/keys", "first", unfit: true) == 0)
    // One more takes the place of the oldest alone.
    #expect(try await fetches("/keys", "another", unfit: false) == 1)
    #expect(try await fetches("/keys", "2", unfit: false) == 0)
    #expect(try await fetches("/keys", "first", unfit: false) == 1)
  }

  @Test("threat 54: a token counts by a key of the JWKS address, for its user only")
  func signed() async throws {
    let provider = try ScriptedProvider()
    let clock = Mutex(Date())
    let authenticator = DomainAuthenticator(
      client: ProviderClient(clock: { clock.withLock { $0 } }, fetch: provider.fetch), log: Log(level: .error) { _ in })
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
    provider.change { $0.published.append(fresh) }
    // Tokens with invented key ids don't make the provider be asked more often.
    #expect(await code(authenticator, try token(fresh), "ann", app) == .tokenRejected)
    clock.withLock { $0 += ProviderClient.keyPause }
    #expect(await code(authenticator, try token(fresh), "ann", app) == nil)
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
          clientSecret: Secret("a:b"))))
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
