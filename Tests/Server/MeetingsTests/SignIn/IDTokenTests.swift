import Basics
import Crypto
import Foundation
import TestTenants
import Testing

@testable import Meetings

@Suite("ID tokens of a provider")
struct IDTokenTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let rules = IDTokenRules(issuer: "https://id.example", clientID: "parley", nonce: "n-1")
  private let key = TestProviderKey("k1")

  /// The claims of a good token, with those of `changes` instead; nil leaves one out.
  private func claims(_ changes: [String: String?] = [:]) -> String {
    var all: [String: String] = [
      "iss": "\"https://id.example\"", "sub": "\"ada\"", "aud": "\"parley\"", "exp": "1800000300",
      "iat": "1800000000", "nonce": "\"n-1\"", "name": "\"Ada Lovelace\"",
    ]
    for (name, value) in changes { all[name] = value }
    return "{" + all.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
  }

  private func problem(_ token: Secret<String>, keys: [UInt8]? = nil, at time: Date? = nil) throws -> IDTokenProblem? {
    let keys = try #require(ProviderKeys(json: keys ?? key.set))
    do throws(IDTokenProblem) {
      _ = try rules.claims(of: token, keys: keys, now: time ?? now)
      return nil
    } catch { return error }
  }

  @Test("a token signed with RS256 or with ES256 is believed, and says who somebody is")
  func good() throws {
    for algorithm in [CompactJWS.Algorithm.rs256, .es256] {
      let key = TestProviderKey("k", algorithm)
      let keys = try #require(ProviderKeys(json: key.set))
      let found = try rules.claims(of: try key.sign(claims()), keys: keys, now: now)
      #expect(found.subject == "ada" && found.name == "Ada Lovelace")
    }
  }

  @Test("threat 24: a token with a changed byte or another key's signature is refused")
  func tampered() throws {
    let token = try key.sign(claims()).value
    let parts = token.split(separator: ".").map(String.init)
    let other = Base64URL.encode(Array(claims(["sub": "\"eve\""]).utf8))
    #expect(try problem(Secret("\(parts[0]).\(other).\(parts[2])")) == .signature)
    #expect(try problem(try TestProviderKey("k1").sign(claims())) == .signature)
    #expect(try problem(try TestProviderKey("k2").sign(claims())) == .unknownKey)
    for broken in ["", "a", "a.b.c", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", String(token.dropLast(40))]
    {
      #expect(try problem(Secret(broken)) != nil, "\(broken.prefix(20))")
    }
    #expect(try problem(Secret(String(repeating: "a", count: 40_000))) == .malformed)
  }

  @Test("threat 24: a token that says something twice is refused, whichever is good")
  func twice() throws {
    let good = claims()
    for claim in [#""sub":"eve""#, #""nonce":"another""#, #""email":"a@example.com","email":"b@example.com""#] {
      for text in ["{\(claim)," + String(good.dropFirst()), String(good.dropLast()) + ",\(claim)}"] {
        guard case .claim(let which)? = try problem(try key.sign(text)) else {
          Issue.record("\(claim) is taken twice")
          continue
        }
        #expect(which.hasSuffix("is there twice"))
      }
    }
  }

  @Test("threat 24: only RS256 and ES256 count, not none or HS256 with the public key")
  func algorithms() throws {
    let body = Base64URL.encode(Array(claims().utf8))
    let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
    #expect(try problem(Secret("\(none).\(body).")) != nil)
    let shared = try SharedKey(Secret(key.member())).sign(Array(claims().utf8))
    #expect(try problem(Secret(shared)) == .algorithm)
    // A key of one kind proves nothing that names the other kind's algorithm.
    let elliptic = TestProviderKey("k1", .es256)
    #expect(try problem(try key.sign(claims()), keys: elliptic.set) == .unknownKey)
    #expect(
      try problem(try key.sign(claims()), keys: Array("{\"keys\":[\(key.member(",\"use\":\"enc\""))]}".utf8))
        == .unknownKey)
  }

  @Test(
    "threat 24: another issuer, client, request or time is refused with the reason"
  )
  func wrongClaims() throws {
    for (name, value) in [
      ("iss", "\"https://evil.example\""), ("iss", "\"https://id.example/\""), ("aud", "\"other\""),
      ("aud", "[\"other\"]"),
      ("aud", "[\"parley\",\"other\"]"), ("azp", "\"other\""), ("sub", "\"\""), ("iat", "1800000100"),
      ("nbf", "1800000100"), ("exp", "\"soon\""), ("iss", nil), ("sub", nil), ("aud", nil), ("exp", nil), ("iat", nil),
    ] as [(String, String?)] {
      let found = try problem(try key.sign(claims([name: value])))
      guard case .claim = found else {
        Issue.record("\(name) \(value ?? "missing"): \(found.map { "\($0)" } ?? "believed")")
        continue
      }
    }
    #expect(try problem(try key.sign(claims(["nonce": "\"n-2\""]))) == .nonce)
    #expect(try problem(try key.sign(claims(["nonce": nil]))) == .nonce)
    #expect(try problem(try key.sign(claims(["aud": "[\"parley\",\"other\"]", "azp": "\"parley\""]))) == nil)
    #expect(try problem(try key.sign(claims()), at: now + 359) == nil)
    #expect(try problem(try key.sign(claims()), at: now + 361) == .expired)
    // One that ends late is refused all the same when it was made long ago.
    #expect(try problem(try key.sign(claims(["exp": "1900000000"])), at: now + 3_601) == .expired)
  }

  @Test("of a key set, what is no good key is left out, and the rest still counts")
  func keySets() throws {
    #expect(ProviderKeys(json: Array("[]".utf8)) == nil)
    #expect(ProviderKeys(json: Array("{\"keys\":{}}".utf8)) == nil)
    let strange = [
      "7", "{}", "{\"kty\":\"oct\",\"k\":\"c2VjcmV0\",\"kid\":\"k1\"}",
      "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}",
      "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"}", "{\"kty\":\"RSA\",\"n\":7}",
    ].joined(separator: ",")
    let keys = try #require(ProviderKeys(json: Array("{\"keys\":[\(strange),\(key.member())]}".utf8)))
    #expect(keys.count == 1)
    // A token need not name its key.
    #expect(try problem(try key.sign(claims(), keyID: .some(nil))) == nil)
  }

  @Test("a sealed text opens for one purpose and tenant, and not with a changed letter")
  func sealed() throws {
    let tenant = try TestTenants.make(name: "a", policy: TenantPolicy(signIn: .oidc), now: now)
    let other = try TestTenants.make(name: "b", policy: TenantPolicy(signIn: .oidc), now: now)
    let text = try #require(SealedBox(tenant, purpose: "session").seal(["name": "Ada"]))
    #expect(!text.contains("Ada"))
    #expect(SealedBox(tenant, purpose: "session").open(text, as: [String: String].self) == ["name": "Ada"])
    #expect(SealedBox(tenant, purpose: "attempt").open(text, as: [String: String].self) == nil)
    #expect(SealedBox(other, purpose: "session").open(text, as: [String: String].self) == nil)
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      // The last letter of a text has bits that stand for nothing.
      if changed.dropLast() == text.dropLast() { continue }
      #expect(SealedBox(tenant, purpose: "session").open(changed, as: [String: String].self) == nil)
    }
    #expect(SealedBox(tenant, purpose: "session").open("", as: [String: String].self) == nil)
  }

  @Test("roles come from the set claim, and sign-in needs verified, allowed addresses")
  func providerRules() throws {
    var provider = IdentityProvider(
      issuer: "https://id.example", clientID: "parley", roleClaim: "realm_access.roles", organizers: ["host"],
      moderators: ["helper"], emailDomains: ["example.com"])
    func claims(_ json: String) throws -> IdentityClaims {
      IdentityClaims(
        subject: "ada", values: try JSONDecoder().decode([String: ClaimValue].self, from: Data(json.utf8)))
    }
    #expect(provider.role(of: try claims(#"{"realm_access":{"roles":["x","host","helper"]}}"#)) == .organizer)
    #expect(provider.role(of: try claims(#"{"realm_access":{"roles":"helper"}}"#)) == .moderator)
    #expect(provider.role(of: try claims(#"{"realm_access.roles":["helper"]}"#)) == .moderator)
    #expect(provider.role(of: try claims(#"{"roles":["host"]}"#)) == .publisher)
    #expect(provider.admits(try claims(#"{"email":"ada@Example.com","email_verified":true}"#)))
    for refused in [
      "{}", #"{"email":"ada@example.com"}"#, #"{"email":"ada@example.com","email_verified":false}"#,
      #"{"email":"ada@evil.com","email_verified":true}"#,
      #"{"email":"ada@example.com@evil.com","email_verified":true}"#,
      #"{"email":"ada@sub.example.com","email_verified":true}"#, #"{"email":"example.com","email_verified":true}"#,
    ] {
      #expect(!provider.admits(try claims(refused)), "\(refused)")
    }
    provider.emailDomains = []
    #expect(provider.admits(try claims("{}")))
  }

  @Test("an issuer is an https address, or one of this machine")
  func issuers() {
    for good in ["https://id.example", "https://id.example/realm/a", "http://localhost:9400", "http://127.0.0.1:1/"] {
      #expect(IdentityProvider.isIssuer(good), "\(good)")
    }
    for bad in [
      "http://id.example", "ftp://id.example", "id.example", "https://id.example?a=b", "https://id.example#a", "",
    ] {
      #expect(!IdentityProvider.isIssuer(bad), "\(bad)")
    }
  }
}
