import Basics
import Crypto
import Foundation
import Meetings
import Signaling
import Synchronization
import TestSupport
import Testing
import Transport

@testable import MeetingServer

/// Something that has happened.
private final class Flag: Sendable {
  private let state = Mutex(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}

@Suite("Signing in at a provider", .serialized)
struct SignInTests {
  /// A server whose people sign in at a scripted provider.
  private func run(
    _ change: @escaping (inout IdentityProvider) -> Void = { _ in },
    _ body: (TestServer, ScriptedProvider) async throws -> Void
  ) async throws {
    let provider = try ScriptedProvider()
    try await provider.serve {
      try await TestServer.run { server in
        try await server.setPolicy {
          var identity = IdentityProvider(
            issuer: provider.script.withLock { $0.issuer }, clientID: "parley", clientSecret: Secret("s3cret-of-parley")
          )
          change(&identity)
          $0.signIn = .oidc
          $0.identityProvider = identity
        }
        try await body(server, provider)
      }
    }
  }

  @Test(
    "signing in returns to the room, with the provider's name, as the tenant's person")
  func signsIn() async throws {
    try await run({
      $0.roleClaim = "groups"; $0.moderators = ["hosts"]
    }) { server, provider in
      provider.change { $0.claims = ["groups": "[\"hosts\"]"] }
      var browser = TestBrowser(server: server)
      let first = try await browser.send("/discover/daily")
      #expect(first.status == 401 && first.text.contains("signInRequired"))
      #expect(first.text.contains("\"signIn\":\"\(server.url)/signin?room=daily\""))
      #expect(first.headers["access-control-allow-origin"] == "*")

      let response = try await browser.send("/signin?room=daily")
      let location = response.headers["location"] ?? ""
      let query = FormBody(location.drop { $0 != "?" }.dropFirst())
      #expect(location.contains("/authorize?tenant=a&response_type=code&client_id=parley"))
      #expect(query["redirect_uri"] == server.url + "/signin/callback" && query["scope"] == "openid profile email")
      #expect(query["code_challenge_method"] == "S256" && query["code_challenge"]?.count == 43)
      #expect((query["state"]?.count ?? 0) >= 43 && query["nonce"] != query["state"])
      let cookie = response.headers["set-cookie"] ?? ""
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && !cookie.contains("Secure"))
      #expect(!cookie.contains(query["nonce"] ?? "-") && !cookie.contains("daily"))

      #expect(try await browser.signIn(provider) == server.url + "/daily")
      let form = provider.script.withLock { $0.form }
      let authorization = provider.script.withLock { $0.authorization }
      #expect(form["code"] == "c-1" && form["grant_type"] == "authorization_code" && form["client_secret"] == nil)
      #expect(authorization == "Basic " + Data("parley:s3cret-of-parley".utf8).base64EncodedString())

      let answer = try await browser.send("/discover/daily")
      let document = try SignalingDecoder().decode(DiscoverDocument.self, from: answer.body)
      #expect(answer.status == 200 && document.signedInAs == "Ada Lovelace")
      #expect(answer.headers["access-control-allow-origin"] == nil)
      let store = try await server.store()
      #expect(try await store.meetings(tenant: nil, limit: 1).isEmpty, "asking makes no meeting")
      let token = try #require(document.token)
      let (client, welcome) = try await server.join("daily", "Somebody else", token: token)
      #expect(welcome.permissions?.contains("moderate") == true)
      try client.send(.rename(name: "Eve"))
      #expect(try await client.error().code == .notAllowed)
      await client.close()
      let grant = try await JoinAuthority(store: store).inspect(token: Secret(token), now: Date()).grant
      await store.close()
      #expect(grant.name == "Ada Lovelace" && grant.user == "ada" && !grant.isGuest && grant.role == .moderator)

      // Row 24: no secret that lets anybody in is in the log.
      let log = server.logged.text
      #expect(log.contains("event=signin.done"))
      for secret in [token, "c-1", "s3cret-of-parley", "a-1"] + browser.cookies.values {
        #expect(!log.contains(secret))
      }
    }
  }

  @Test(
    "threat 24: a tampered, foreign, stale or wrongly signed ID token signs nobody in"
  )
  func badTokens() async throws {
    try await run { server, provider in
      let stranger = try SigningKey.generate(keyID: "k1")
      let scripts: [(String, (inout ScriptedProvider.Script) -> Void)] = [
        ("aud", { $0.claims = ["aud": "\"other\""] }), ("iss", { $0.claims = ["iss": "\"https://evil.example\""] }),
        ("nonce", { $0.claims = ["nonce": "\"another\""] }), ("no nonce", { $0.claims = ["nonce": nil] }),
        ("expired", { $0.claims = ["exp": "1000"] }), ("no sub", { $0.claims = ["sub": nil] }),
        ("none", { $0.token = "eyJhbGciOiJub25lIn0.e30." }), ("no JWT", { $0.token = "x" }),
        ("another key", { $0.key = stranger }),
      ]
      let good = provider.script.withLock { $0.key }
      for (name, change) in scripts {
        provider.change(change)
        var browser = TestBrowser(server: server)
        #expect(try await browser.signIn(provider) == server.url + "/daily#signin=failed", "\(name)")
        #expect(browser.cookies.isEmpty, "\(name)")
        #expect(try await browser.send("/discover/daily").status == 401, "\(name)")
        provider.change {
          $0.claims = [:]
          $0.token = nil
          $0.key = good
        }
      }
      var browser = TestBrowser(server: server)
      #expect(try await browser.signIn(provider) == server.url + "/daily")
    }
  }

  @Test("threat 24: a state counts once, unchanged, with the cookie of its browser")
  func states() async throws {
    try await run { server, provider in
      var browser = TestBrowser(server: server)
      let back = try await browser.begin("/signin?room=daily", provider)
      let cookies = browser.cookies
      var other = TestBrowser(server: server)
      let without = try await other.send(back)
      #expect(without.status == 400 && without.text.contains("signInExpired"))
      _ = try await other.begin("/signin?room=daily", provider)
      #expect(try await other.send(back).status == 400)
      for (name, value) in cookies {
        var changed = TestBrowser(server: server)
        changed.cookies = [name: String(value.dropLast(6)) + "AAAAAA"]
        #expect(try await changed.send(back).status == 400)
      }
      #expect(try await browser.send("/signin/callback?code=c-1&state=other").status == 400)
      #expect(try await browser.send("/signin/callback?code=c-1").status == 400)
      #expect(provider.count("/token") == 0)

      let again = try await browser.begin("/signin?room=daily", provider)
      let kept = browser.cookies
      #expect(try await browser.send(again).headers["location"] == server.url + "/daily")
      // The cookie is gone, and of no use to who kept it.
      var thief = TestBrowser(server: server)
      thief.cookies = kept.filter { $0.key.contains("signin") }
      #expect(try await thief.send(again).headers["location"] == server.url + "/daily#signin=expired")
      #expect(thief.cookies["parley-session"] == nil)
    }
  }

  @Test("threat 24: an answer works once, neither during the first nor after it failed")
  func replay() async throws {
    try await run { server, provider in
      let (asked, answer) = (Flag(), Flag())
      provider.change {
        $0.before = { path in
          guard path == "/token" else { return }
          asked.raise()
          while !answer.isRaised { try? await Task.sleep(for: .milliseconds(2)) }
        }
      }
      defer { answer.raise() }
      let browser = TestBrowser(server: server)
      var first = browser
      let back = try await first.begin("/signin?room=daily", provider)
      let begun = first
      let signingIn = Task {
        var browser = begun
        return try await browser.send(back).headers["location"]
      }
      try await eventually { asked.isRaised ? nil : "the provider was not asked" }
      var thief = begun
      #expect(try await thief.send(back).headers["location"] == server.url + "/daily#signin=expired")
      #expect(thief.cookies["parley-session"] == nil)
      answer.raise()
      #expect(try await signingIn.value == server.url + "/daily")
      #expect(provider.count("/token") == 1)

      provider.change { $0.claims = ["nonce": "\"another\""] }
      var second = browser
      let failing = try await second.begin("/signin?room=daily", provider)
      let kept = second
      #expect(try await second.send(failing).headers["location"] == server.url + "/daily#signin=failed")
      provider.change { $0.claims = [:] }
      thief = kept
      #expect(try await thief.send(failing).headers["location"] == server.url + "/daily#signin=expired")
      #expect(thief.cookies["parley-session"] == nil && provider.count("/token") == 2)
    }
  }

  @Test("a refused sign-in is reported in the room, and makes no session")
  func refusals() async throws {
    try await run({ $0.emailDomains = ["example.com"] }) { server, provider in
      var browser = TestBrowser(server: server)
      let back = try await browser.begin("/signin?room=daily", provider)
      let state = back.split(separator: "=").last ?? ""
      let denied = try await browser.send("/signin/callback?error=access_denied&state=\(state)")
      #expect(denied.headers["location"] == server.url + "/daily#signin=denied")
      #expect(try await browser.signIn(provider) == server.url + "/daily#signin=notAdmitted")
      provider.change { $0.claims = ["email": "\"ada@example.com\"", "email_verified": "false"] }
      #expect(try await browser.signIn(provider) == server.url + "/daily#signin=notAdmitted")
      provider.change { $0.claims = ["email": "\"ada@example.com\"", "email_verified": "true"] }
      #expect(try await browser.signIn(provider) == server.url + "/daily")
      // An answer that names another issuer is not this provider's.
      let mixed = try await browser.begin("/signin?room=daily", provider) + "&iss=https%3A%2F%2Fevil.example"
      #expect(try await browser.send(mixed).headers["location"] == server.url + "/daily#signin=failed")
    }
  }

  @Test("redirects go only to this server's rooms, the provider and this machine's apps")
  func noOpenRedirect() async throws {
    try await run { server, provider in
      var browser = TestBrowser(server: server)
      for room in ["", "%2F%2F", "..%2F", "a%5Eb", "sign%2Fin", "%5Cevil"] {
        #expect(try await browser.send("/signin?room=\(room)").status == 404, "\(room)")
      }
      let challenge = Base64URL.challenge("v")
      for app in [
        "https%3A%2F%2Fevil.example", "http%3A%2F%2Fevil.example%3A80", "http%3A%2F%2F127.0.0.1.evil.example%3A9000",
        "http%3A%2F%2F127.0.0.1", "http%3A%2F%2F127.0.0.1%3A9000%2F..", "http%3A%2F%2Flocalhost%3A9000",
        "http%3A%2F%2F127.0.0.1%3A9000%40evil.example", "javascript%3Aalert(1)",
      ] {
        let answer = try await browser.send("/signin?room=daily&app=\(app)&challenge=\(challenge)")
        #expect(answer.status == 400, "\(app)")
      }
      #expect(
        try await browser.send("/signin?room=daily&app=http%3A%2F%2F127.0.0.1%3A9000&challenge=short").status == 400)
      #expect(browser.cookies.isEmpty && provider.count("/token") == 0)
      #expect(try await browser.send("POST", "/signin?room=daily").status == 405)
      #expect(try await browser.send("/signout").status == 405)
    }
  }

  @Test(
    "signing in and out are audited; without an entry neither happens"
  )
  func audited() async throws {
    try await run({
      $0.roleClaim = "groups"; $0.moderators = ["hosts"]
    }) { server, provider in
      provider.change { $0.claims = ["groups": "[\"hosts\"]"] }
      var browser = TestBrowser(server: server)
      _ = try await browser.signIn(provider)
      #expect(try await browser.send("POST", "/signout", headers: ["Origin": server.url]).status == 204)
      // An ended session ends no more, and a person who never signed in isn't signed out.
      #expect(try await browser.send("POST", "/signout", headers: ["Origin": server.url]).status == 204)
      let store = try await server.store()
      let entries = try await store.auditLog(tenant: nil, before: nil, limit: 9).reversed().map(\.self)
      #expect(entries.map(\.action) == ["person.signIn", "person.signOut"])
      #expect(entries.allSatisfy { $0.actor == "person ada Ada Lovelace" && $0.tenant == "parley" })
      #expect(entries.allSatisfy { $0.detail == "moderator" && $0.target.hasPrefix("s_") })
      #expect(Set(entries.map(\.target)).count == 1)

      _ = try await browser.signIn(provider)
      let kept = browser
      try await store.refuseAuditEntries()
      #expect(try await browser.send("POST", "/signout", headers: ["Origin": server.url]).status == 500)
      browser = kept
      #expect(try await browser.send("/discover/daily").status == 200)
      var other = TestBrowser(server: server)
      #expect(try await other.signIn(provider) == server.url + "/daily#signin=failed")
      #expect(try await other.send("/discover/daily").status == 401)
      await store.close()
    }
  }

  @Test("threat 28: a session is for the server's own pages, and signing out ends it")
  func sessions() async throws {
    try await run { server, provider in
      var browser = TestBrowser(server: server)
      _ = try await browser.signIn(provider)
      for headers in [
        ["Origin": "https://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "same-site"],
        ["Sec-Fetch-Site": "cross-site"],
      ] as [HTTPHeaders] {
        #expect(try await browser.send("/discover/daily", headers: headers).status == 401)
        #expect(try await browser.send("POST", "/signout", headers: headers).status == 403)
      }
      #expect(try await browser.send("/discover/daily", headers: ["Sec-Fetch-Site": "same-origin"]).status == 200)
      var changed = browser
      changed.cookies = browser.cookies.mapValues { String($0.dropLast(6)) + "AAAAAA" }
      #expect(try await changed.send("/discover/daily").status == 401)
      let kept = browser
      #expect(try await browser.send("POST", "/signout", headers: ["Origin": server.url]).status == 204)
      #expect(browser.cookies.isEmpty)
      var thief = kept
      #expect(try await thief.send("/discover/daily").status == 401)
      // A person for whom another provider vouched is unknown to this one; so are those whom other rules have let in or
      // made a host.
      let changes: [@Sendable (inout IdentityProvider) -> Void] = [
        { $0.emailDomains = ["example.com"] }, { $0.roleClaim = "groups" }, { $0.organizers = ["a", "b"] },
        { $0.moderators = ["a"] }, { $0.clientID = "another" },
      ]
      for change in changes {
        try await server.setPolicy { $0.identityProvider?.emailDomains = [] }
        browser.cookies = [:]
        _ = try await browser.signIn(provider)
        try await server.setPolicy { $0.identityProvider?.scopes = ["openid", "email"] }
        #expect(try await browser.send("/discover/daily").status == 200)
        try await server.setPolicy { policy in
          _ = policy.identityProvider.map {
            var provider = $0; change(&provider); policy.identityProvider = provider
          }
        }
        #expect(try await browser.send("/discover/daily").status == 401)
      }
    }
  }

  @Test("an absent provider, or a bad discovery document, is reported in the room")
  func provider() async throws {
    for answer in [
      HTTPResponse.text(String(repeating: " ", count: 300 << 10) + "{}"), .text("", status: 500), .text("[]"),
      .text("{\"issuer\":\"https://evil.example\"}"),
      .text(
        "{\"issuer\":\"https://evil.example\",\"authorization_endpoint\":\"https://evil.example\",\"token_endpoint\":"
          + "\"https://evil.example\",\"jwks_uri\":\"https://evil.example\"}"),
    ] {
      try await run { server, provider in
        provider.change { $0.answers["/.well-known/openid-configuration"] = answer }
        var browser = TestBrowser(server: server)
        let location = try await browser.send("/signin?room=daily").headers["location"] ?? ""
        #expect(location.hasPrefix(server.url + "/daily#signin="))
        _ = try await browser.send("/signin?room=daily")
        // A provider that fails is left alone for a moment.
        #expect(provider.count("/.well-known/openid-configuration") == 1)
        #expect(server.logged.text.contains("event=signin.failed"))
      }
    }
  }

  @Test("an app gets a code on its machine after consent, and one token by its verifier")
  func apps() async throws {
    try await run { server, provider in
      let verifier = Base64URL.random()
      let begin =
        "/signin?room=daily&app=http%3A%2F%2F127.0.0.1%3A9000&challenge=\(Base64URL.challenge(verifier))"
      var browser = TestBrowser(server: server)
      let page = try await browser.send(try await browser.begin(begin, provider))
      #expect(page.status == 200 && page.text.contains("Ada Lovelace") && page.text.contains("daily"))
      #expect(HTTPResponse.notice(title: "", text: "", actions: []).headers["X-Frame-Options"] == "DENY")
      // The app gets a token; the browser does not get a session.
      #expect(browser.cookies.isEmpty)
      let link = page.text.split(separator: "\"").first { $0.hasPrefix("http://127.0.0.1:9000/?code=") } ?? ""
      let code = String(link.drop { $0 != "=" }.dropFirst())
      for form in [
        "", "code=\(code)", "code=\(code)&code_verifier=\(Base64URL.random())", "code=AAAA&code_verifier=\(verifier)",
      ] {
        #expect(try await browser.send("POST", "/signin/token", body: form).status == 400, "\(form.count)")
      }
      let form = "code=\(code)&code_verifier=\(verifier)"
      let answer = try await browser.send("POST", "/signin/token", body: form)
      #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
      struct Answer: Decodable { var token: String; var name: String }
      let found = try JSONDecoder().decode(Answer.self, from: Data(answer.body))
      let (client, _) = try await server.join("daily", "x", token: found.token)
      await client.close()
      #expect(found.name == "Ada Lovelace" && !server.logged.text.contains(code))
      #expect(try await browser.send("POST", "/signin/token", body: form).status == 400)
    }
  }

  @Test("over HTTPS the cookies are for this host alone and never sent without it")
  func secureCookies() throws {
    let cookies = SignInCookies(base: try #require(WebOrigin("https://meet.example")))
    #expect(
      cookies.setSession("x", seconds: 9)
        == "__Host-parley-session=x; Path=/; Max-Age=9; HttpOnly; SameSite=Lax; Secure")
  }

  @Test("sign-in addresses exist only with sign-in; then no endpoint gives tokens away")
  func modes() async throws {
    try await TestServer.run { server in
      var browser = TestBrowser(server: server)
      let answer = try await browser.send("/signin?room=daily")
      #expect(answer.status == 404)
      #expect(try await browser.send("/discover/daily").status == 200)
    }
    try await run { server, _ in
      for (path, body) in [
        ("/GetAdhocMeetingJob", "Subject=s"),
        ("/GetAnonTokenJob", "ApplicationSessionId=a&AllowedOrigins=http://localhost&MeetingUrl=\(server.url)/daily"),
      ] {
        let answer = try await server.post(path, body)
        #expect(answer.status == 401 && answer.text.contains("signInRequired"), "\(path)")
      }
    }
  }
}
