import Basics
import Crypto
import Foundation
import TestTenants
import Testing

@testable import Meetings

@Suite("Tokens that a tenant's own server signs")
struct SharedTokenTests {
  private let now = TokenWorld.now

  @Test("a JWT with a room opens its tenant's room, with the role and rights it names")
  func parley() async throws {
    let world = try await TokenWorld()
    let text = try world.token(
      "{\(world.head),\"room\":\"Daily\",\"role\":\"subscriber\",\"name\":\"Ann\",\"jti\":\"j1\"}")
    let admission = try await world.admit(text, room: "daily")
    #expect(admission.meeting.room.display == "Daily" && admission.meeting.tenant == world.tenant.id)
    #expect(admission.grant.form == .parley && admission.grant.role == .subscriber && admission.grant.name == "Ann")
    #expect(admission.grant.permissions == .subscribe && admission.grant.id.rawValue == "j1")
    let own = try await world.admit(
      try world.token("{\(world.head),\"room\":\"daily\",\"permissions\":[\"chat\",\"publishAudio\"]}"))
    #expect(own.meeting.id == admission.meeting.id)
    #expect(own.grant.role == .publisher && own.grant.permissions == [.chat, .publishAudio])
    // A participant whom nobody sees must not be heard either, whatever the token says.
    let hidden = try await world.admit(
      try world.token(
        "{\(world.head),\"room\":\"daily\",\"role\":\"hidden\",\"permissions\":[\"subscribe\",\"publishAudio\",\"chat\"]}"
      ))
    #expect(hidden.grant.permissions == .subscribe)
  }

  @Test("threat 24: a token without an end, or outside a sensible time, is refused")
  func times() async throws {
    let world = try await TokenWorld()
    #expect(await world.code(try world.token(#"{"iss":"100200","room":"r"}"#)) == "badToken")
    #expect(await world.code(try world.token(#"{"iss":"100200","exp":"soon","room":"r"}"#)) == "badToken")
    #expect(await world.code(try world.token(#"{"iss":"100200","exp":1e300,"room":"r"}"#)) == "badToken")
    let far = 1_795_251_600 + 31 * 86_400
    #expect(await world.code(try world.token("{\"iss\":\"100200\",\"exp\":\(far),\"room\":\"r\"}")) == "badToken")
    let text = try world.token("{\(world.head),\"nbf\":1795251600,\"room\":\"r\"}")
    #expect(await world.code(text, at: now - 59) == nil)
    #expect(await world.code(text, at: now - 61) == "badToken")
    #expect(await world.code(text, at: now + 3_659) == nil)
    #expect(await world.code(text, at: now + 3_661) == "tokenExpired")
    #expect(await world.code(try world.token("{\(world.head),\"nbf\":1795255200,\"room\":\"r\"}")) == "badToken")
    #expect(await world.code(try world.token(#"{"iss":"100200","exp":1795255200.5,"room":"r"}"#)) == nil)
  }

  @Test(
    "threat 24: a token that says anything twice, in claims or header, is refused"
  )
  func twice() async throws {
    let world = try await TokenWorld()
    let good = try world.token("{\(world.head),\"room\":\"daily\",\"role\":\"subscriber\"}")
    #expect(await world.code(good) == nil)
    for claims in [
      #""room":"daily","role":"subscriber","role":"moderator""#,
      #""room":"daily","role":"moderator","role":"subscriber""#,
      #""room":"daily","exp":1795255200"#, #""room":"daily","r\u006fom":"other""#,
      #""room":"daily","context":{"user":{"id":"a","id":"b"}}"#,
    ] {
      #expect(await world.code(try world.token("{\(world.head),\(claims)}")) == "badToken", "\(claims)")
    }
    let parts = good.split(separator: ".")
    for header in [#"{"alg":"none","alg":"HS256"}"#, #"{"alg":"HS256","alg":"none"}"#] {
      let text = "\(Base64URL.encode(Array(header.utf8))).\(parts[1]).\(parts[2])"
      #expect(CompactJWS(text) == nil, "\(header)")
    }
    #expect(CompactJWS(good) != nil)
  }

  @Test("threat 24: a token opens only its tenant's room, and a general one needs a room")
  func rooms() async throws {
    let world = try await TokenWorld()
    let bound = try world.token("{\(world.head),\"room\":\"daily\"}")
    #expect(await world.code(bound, room: "other") == "wrongMeeting")
    let open = try world.token("{\(world.head),\"room\":\"*\"}")
    #expect(await world.code(open) == "noSuchMeeting")
    #expect(try await world.admit(open, room: "other").meeting.room.display == "other")
    let stranger = try await TestTenants.makeDefault(in: world.store, now: now)
    let theirs = try await world.store.openMeeting(room: try RoomName("daily"), tenant: stranger, now: now)
    #expect(try await world.admit(bound).meeting.id != theirs.id)
    #expect(await world.code(try world.token("{\(world.head),\"meeting\":\"\(theirs.id)\"}")) == "noSuchMeeting")
    for claims in ["", ",\"room\":\"signal\"", ",\"room\":\"a%b\"", ",\"room\":7", ",\"room\":\"a\",\"meeting\":\"m\""]
    {
      #expect(await world.code(try world.token("{\(world.head)\(claims)}")) == "badToken", "\(claims)")
    }
  }

  @Test("threat 24: only a secret that is good now proves a token, and only by HS256")
  func secrets() async throws {
    let world = try await TokenWorld()
    let claims = "{\(world.head),\"room\":\"r\"}"
    #expect(await world.code(try world.token(claims, secret: "another-secret-of-forty-characters-12345")) == "badToken")
    // The public key as the secret, and the name of another tenant with this one's secret.
    let key = try SigningKey(privateJWK: world.tenant.signingKey, keyID: world.tenant.signingKeyID)
    #expect(await world.code(try world.token(claims, secret: try key.publicJWK())) == "badToken")
    let other = try await TestTenants.makeDefault(in: world.store, now: now)
    #expect(
      await world.code(try world.token("{\"iss\":\"\(other.apiKey)\",\"exp\":1795255200,\"room\":\"r\"}")) == "badToken"
    )
    #expect(await world.code(try world.token(#"{"iss":"nobody","exp":1795255200,"room":"r"}"#)) == "badToken")
    // RS256 by the tenant's key, but in the name of the API key.
    #expect(await world.code(try key.sign(Array(claims.utf8))) == "badToken")

    let old = try world.token(claims)
    let second = try await world.store.rotateKey(of: world.tenant.id, others: now + 60, now: now)
    let new = try world.token(claims, secret: second.secret.value)
    #expect(await world.code(old) == nil)
    #expect(await world.code(new) == nil)
    #expect(await world.code(old, at: now + 60) == "badToken")
    #expect(await world.code(new, at: now + 60) == nil)
    #expect(try await world.store.retireKey(second.id, of: world.tenant.id, now: now))
    #expect(await world.code(new) == "badToken")
  }

  @Test("threat 24: a revoked token is refused without a jti too, in any spelling")
  func revocation() async throws {
    let world = try await TokenWorld()
    let text = try world.token("{\(world.head),\"room\":\"r\"}")
    let other = try world.token("{\(world.head),\"room\":\"r\",\"name\":\"Bob\"}")
    try await world.authority.revoke(try await world.admit(text).grant)
    #expect(await world.code(text) == "badToken")
    #expect(await world.code("psat=" + text) == "badToken")
    #expect(await world.code(other) == nil)
    // A note of one tenant does not touch another's token of the same name.
    let named = try world.token("{\(world.head),\"room\":\"r\",\"jti\":\"1\"}")
    try await world.store.revoke(TokenID(rawValue: "1"), tenant: .random(), expires: now + 9_999)
    #expect(await world.code(named) == nil)
  }

  @Test("threat 24: a token of two forms, or with unknown grants, is refused")
  func ambiguous() async throws {
    let world = try await TokenWorld()
    for claims in [
      #","room":"r","context":{},"role":"moderator""#,
      #","room":"r","session_id":"\#(TokenWorld.session)","ist":"project""#,
      #","room":"r","context":{},"ist":"project""#, #","room":"r","permissions":["fly"]"#,
      #","room":"r","role":"king""#,
      #","room":"r","aud":"https://other.example""#, #","room":"r","ao":"nonsense""#,
    ] {
      #expect(await world.code(try world.token("{\(world.head)\(claims)}")) == "badToken", "\(claims)")
    }
  }

  @Test("threat 28: pages that the tenant allows may use its tokens, others may not")
  func origins() async throws {
    let policy = TenantPolicy(signIn: .token, allowedOrigins: WebOrigin.list("https://app.example") ?? [])
    let world = try await TokenWorld(policy: policy)
    let text = try world.token("{\(world.head),\"room\":\"r\"}")
    for origin in ["https://app.example", "https://meet.example"] {
      #expect(await world.code(text, origin: origin) == nil)
    }
    #expect(await world.code(text, origin: "https://evil.example") == "wrongOrigin")
    #expect(await world.code(text, origin: "null") == "wrongOrigin")
    let named = try world.token("{\(world.head),\"room\":\"r\",\"ao\":\"https://named.example\"}")
    #expect(await world.code(named, origin: "https://named.example") == nil)
  }

  @Test("a Jitsi Meet token's room, name and moderator count, if meant for this server")
  func jitsi() async throws {
    let world = try await TokenWorld()
    let context = #""context":{"user":{"name":"Ann","moderator":true,"id":"7","email":"a@b"},"features":{}}"#
    let admission = try await world.admit(
      try world.token("{\(world.head),\"aud\":\"jitsi\",\"sub\":\"meet.example\",\"room\":\"*\",\(context)}"),
      room: "MyRoom")
    #expect(admission.meeting.room.key == "myroom" && admission.grant.form == .jitsi)
    #expect(admission.grant.role == .moderator && admission.grant.name == "Ann")
    let guest = try await world.admit(
      try world.token(
        "{\(world.head),\"aud\":[\"x\",\"100200\"],\"sub\":\"*\",\"room\":\"myroom\",\"context\":{\"user\":{\"moderator\":\"false\"}}}"
      ))
    #expect(guest.grant.role == .publisher && guest.grant.name == nil)
    for claims in [
      #""aud":"other","room":"r""#, #""sub":"other.example","room":"r""#, #""sub":"*""#, #""room":"a%b""#,
    ] {
      #expect(await world.code(try world.token("{\(world.head),\(claims),\"context\":{}}")) == "badToken", "\(claims)")
    }
  }

  @Test("every way in which Jitsi tokens name a moderator makes one")
  func jitsiModerators() async throws {
    let world = try await TokenWorld()
    for (claims, role) in [
      (#""moderator":true,"context":{}"#, Role.moderator), (#""moderator":"true","context":{"user":{}}"#, .moderator),
      (#""context":{"user":{"affiliation":"owner"}}"#, .moderator),
      (#""context":{"user":{"affiliation":"moderator","moderator":false}}"#, .moderator),
      (#""context":{"user":{"affiliation":"member"}}"#, .publisher), (#""moderator":false,"context":{}"#, .publisher),
    ] {
      let grant = try await world.admit(try world.token("{\(world.head),\"room\":\"r\",\(claims)}")).grant
      #expect(grant.role == role && grant.form == .jitsi, "\(claims)")
    }
    await world.store.close()
  }

  @Test("a token for a host name can be shown and revoked where the name isn't known")
  func inspection() async throws {
    let world = try await TokenWorld()
    let text = try world.token("{\(world.head),\"sub\":\"meet.example\",\"room\":\"r\",\"context\":{}}")
    #expect(await world.code(text) == nil)
    let grant = try await world.authority.inspect(token: Secret(text), now: now).grant
    try await world.authority.revoke(grant)
    #expect(await world.code(text) == "badToken")
    await #expect(throws: TokenProblem.revoked) { try await world.authority.inspect(token: Secret(text), now: now) }
  }

  @Test("the words of samples open rooms in development only")
  func development() async throws {
    let closed = try await TokenWorld()
    #expect(await closed.code("devtoken", room: "r") == "badToken")
    #expect(await closed.code("moderator_token", room: "r") == "badToken")
    let world = try await TokenWorld(isDevelopment: true)
    #expect(try await world.admit("devtoken", room: "r").grant.role == .publisher)
    let moderator = try await world.admit("psat=moderator_token", room: "r")
    #expect(moderator.grant.role == .moderator && moderator.tenant.isDefault)
    #expect(await world.code("devtoken") == "noSuchMeeting")
  }
}
