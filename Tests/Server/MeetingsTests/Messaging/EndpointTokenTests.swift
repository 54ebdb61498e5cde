import Basics
import Crypto
import Foundation
import Messaging
import Testing

@testable import Meetings

@Suite("Tokens of endpoints")
struct EndpointTokenTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let key = TestProviderKey("k1", .es256)
  private let rules = DomainAuthentication.SignedTokenRules(
    jwks: "https://id.example/keys", clientIDs: ["app"], issuer: "https://id.example", scopes: ["chat"],
    userClaim: "oid")

  private func unsigned(_ header: String, _ body: String, signature: String = "") -> Secret<String> {
    Secret("\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(body.utf8))).\(signature)")
  }

  private func problem(_ body: () throws -> ProvenUser) -> IDTokenProblem? {
    do { _ = try body() } catch { return error as? IDTokenProblem }
    return nil
  }

  @Test("an unsigned token needs an empty signature; its times are in s or ms")
  func unsignedTokens() throws {
    for (start, end) in [("1800000000", "1800003600"), ("1800000000000", "1800003600000")] {
      let token = unsigned(#"{"alg":"none"}"#, #"{"jti":"x","sub":"ann","iat":\#(start),"exp":\#(end)}"#)
      let user = try EndpointTokens.unsigned(token, now: now)
      #expect(user == ProvenUser(userId: "ann", expires: now + 3_600))
    }
    let body = #"{"sub":"ann","exp":1800003600}"#
    #expect(problem { try EndpointTokens.unsigned(unsigned(#"{"alg":"HS256"}"#, body), now: now) } == .algorithm)
    for token in [
      unsigned(#"{"alg":"none"}"#, body, signature: "AAAA"), Secret("a.b"), Secret(""),
      unsigned(#"{"alg":"none","alg":"HS256"}"#, body), unsigned(#"{"alg":"none"}"#, #"{"exp":1800003600}"#),
    ] { #expect(problem { try EndpointTokens.unsigned(token, now: now) } == .malformed) }
    for (user, isTaken) in [
      ("\u{202e}ann", false), (#"a\nb"#, false), ("\u{200b}", false), ("\u{3164} ", false), (#"a\u0000"#, false),
      ("an\u{200d}n\u{e9} \u{1f44d}\u{1f3fd}", true), ("\u{622}\u{646}\u{651}\u{627}", true),
    ] {
      let token = unsigned(#"{"alg":"none"}"#, #"{"sub":"\#(user)","exp":1800003600}"#)
      #expect((problem { try EndpointTokens.unsigned(token, now: now) } == nil) == isTaken, "\(user)")
    }
    let most = MessagingLimits.userIdBytes
    for (user, isTaken) in [
      (String(repeating: "a", count: most), true), (String(repeating: "a", count: most + 1), false),
      (String(repeating: "\u{e9}", count: most / 2 + 1), false), ("", false),
    ] {
      let token = unsigned(#"{"alg":"none"}"#, #"{"sub":"\#(user)","exp":1800003600}"#)
      #expect((problem { try EndpointTokens.unsigned(token, now: now) } == nil) == isTaken, "\(user)")
    }
    let old = unsigned(#"{"alg":"none"}"#, #"{"sub":"ann","exp":1700000000}"#)
    #expect(problem { try EndpointTokens.unsigned(old, now: now) } == .expired)
  }

  @Test("an unsigned token of an endpoint with a wrong clock is good for its span")
  func wrongClock() throws {
    for days in [-5, 5] {
      let start = 1_800_000_000 + days * 86_400
      for (begin, end) in [(start, start + 3_600), (start * 1_000, (start + 3_600) * 1_000)] {
        let token = unsigned(#"{"alg":"none"}"#, #"{"sub":"ann","iat":\#(begin),"exp":\#(end)}"#)
        #expect(try EndpointTokens.unsigned(token, now: now).expires == now + 3_600)
      }
    }
    // One that has ended, by a clock that is right; and one that ends before it begins.
    for (begin, end) in [(1_799_999_500, 1_799_999_900), (1_700_003_600, 1_700_000_000)] {
      let token = unsigned(#"{"alg":"none"}"#, #"{"sub":"ann","iat":\#(begin),"exp":\#(end)}"#)
      #expect(problem { try EndpointTokens.unsigned(token, now: now) } == .expired)
    }
    let endless = unsigned(#"{"alg":"none"}"#, #"{"sub":"ann","iat":1,"exp":1e300}"#)
    #expect(try EndpointTokens.unsigned(endless, now: now).expires == now + EndpointTokens.longest)
  }

  @Test(
    "threat 54: a token needs a signature by the domain's keys, its client and scopes"
  )
  func signedTokens() throws {
    let keys = try #require(ProviderKeys(json: key.set))
    func claims(_ changes: [String: String?] = [:]) -> String {
      var all: [String: String] = [
        "iss": "\"https://id.example\"", "oid": "\"ann\"", "sub": "\"x\"", "aud": "[\"app\"]", "exp": "1800000300",
        "scp": "\"chat other\"",
      ]
      for (name, value) in changes { all[name] = value }
      return "{" + all.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
    func read(_ token: Secret<String>) throws -> ProvenUser {
      try EndpointTokens.signed(token, keys: keys, rules: rules, now: now)
    }
    #expect(try read(key.sign(claims())) == ProvenUser(userId: "ann", expires: now + 300))
    for changes: [String: String?] in [
      ["iss": "\"https://other.example\""], ["aud": "\"other\""], ["aud": nil], ["scp": "\"other\""], ["oid": nil],
      ["oid": "\"\""], ["exp": nil], ["nbf": "1800009999"],
    ] {
      guard case .claim? = problem({ try read(try key.sign(claims(changes))) }) else {
        Issue.record("\(changes) is taken")
        continue
      }
    }
    #expect(problem { try read(try key.sign(claims(["exp": "1700000000"]))) } == .expired)
    #expect(problem { try read(unsigned(#"{"alg":"none"}"#, claims())) } != nil)
    let shared = try SharedKey(Secret(key.member())).sign(Array(claims().utf8))
    #expect(problem { try read(Secret(shared)) } == .algorithm)
    #expect(problem { try read(try TestProviderKey("k1", .es256).sign(claims())) } == .signature)
  }

  @Test("an opaque token's user needs the domain's client, and one user in both answers")
  func opaqueTokens() throws {
    let rules = DomainAuthentication.OpaqueTokenRules(
      tokenInfo: "https://id.example/i", userInfo: "https://id.example/u", clientIDs: ["app"], scopes: ["chat"])
    func read(_ info: String, _ about: String = #"{"sub":"ann"}"#) throws -> ProvenUser {
      try EndpointTokens.opaque(tokenInfo: Array(info.utf8), userInfo: Array(about.utf8), rules: rules, now: now)
    }
    let good = #"{"active":true,"client_id":"app","scope":"chat","exp":1800000600,"sub":"ann"}"#
    #expect(try read(good) == ProvenUser(userId: "ann", expires: now + 600))
    #expect(try read(#"{"aud":"app","scope":"chat","expires_in":"120"}"#).expires == now + 120)
    for info in [
      good.replacing("true", with: "false"), good.replacing(#""app""#, with: #""other""#),
      good.replacing(#""chat""#, with: #""mail""#), good.replacing(#""sub":"ann""#, with: #""sub":"eve""#), "[]",
    ] { #expect(problem { try read(info) } != nil, "\(info)") }
    #expect(problem { try read(good, "{}") } != nil)
  }

  @Test("disabled authentication is for the sandbox, and provider addresses are protected")
  func settings() {
    func problem(_ environment: MessagingDomain.Environment, _ authentication: DomainAuthentication) -> String? {
      MessagingDomain.Settings(environment: environment, authentication: authentication).problem
    }
    #expect(problem(.sandbox, .disabled) == nil && problem(.production, .disabled) != nil)
    #expect(problem(.production, .jwt(rules)) == nil)
    #expect(problem(.sandbox, .jwt(.init(jwks: "http://id.example/keys", clientIDs: ["app"]))) != nil)
    #expect(problem(.sandbox, .jwt(.init(jwks: "https://id.example/keys", clientIDs: []))) != nil)
    #expect(problem(.sandbox, .oauth(.init(tokenInfo: "ftp://x", userInfo: "https://x", clientIDs: ["a"]))) != nil)
  }
}
