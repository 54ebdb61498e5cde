import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("Tokens to come back with")
struct RefreshedTokenTests {
  private let now = TokenWorld.now

  @Test("threat 24: it grants the first one's rights in one meeting, for ten minutes")
  func grant() async throws {
    let world = try await TokenWorld()
    let claims =
      #"{\#(world.head),"room":"*","jti":"one","role":"recorder","permissions":["subscribe","chat"],"name":"Ada","sub":"ada","devices":["camera"],"guest":true,"data":"user=7","ao":"https://app.example"}"#
    let admission = try await world.admit(try world.token(claims), room: "Daily")
    let fresh = try #require(try await world.authority.refreshed(admission, now: now + 3_590))
    #expect(fresh.expires == now + 4_190)
    let grant = try await world.admit(fresh.token.value, origin: "https://app.example", at: now + 4_189).grant
    #expect(
      grant.target == .meeting(admission.meeting.id) && grant.id == TokenID(rawValue: "one") && grant.form == .signed)
    #expect(
      grant.role == .recorder && grant.permissions == [.subscribe, .chat] && grant.isSameHolder(as: admission.grant))
    #expect(grant.name == "Ada" && grant.user == "ada" && grant.isGuest && grant.connectionData == "user=7")
    #expect(grant.linkDevices == [.camera])
    #expect(await world.code(fresh.token.value, room: "other", at: now + 3_600) == "wrongMeeting")
    #expect(await world.code(fresh.token.value, at: now + 4_190) == "tokenExpired")
    #expect(await world.code(fresh.token.value, origin: "https://evil.example", at: now + 3_600) == "wrongOrigin")
    await world.store.close()
  }

  @Test("threat 24: revoking or banning the first one holds for it, and ends renewal")
  func revoked() async throws {
    let world = try await TokenWorld()
    let text = try world.token(#"{\#(world.head),"room":"daily","jti":"one"}"#)
    let admission = try await world.admit(text)
    let fresh = try #require(try await world.authority.refreshed(admission, now: now + 3_590))
    try await world.authority.revoke(admission.grant, now: now + 3_595)
    // The store forgets what it needs no more; the first token is over then, and this one isn't.
    _ = try await world.store.purge(now: now + 3_700)
    #expect(await world.code(fresh.token.value, at: now + 4_100) == "badToken")
    #expect(try await world.authority.refreshed(admission, now: now + 3_600) == nil)
    // Its holder may stay in the meeting for hours, and be asked for another one: the note is there still.
    _ = try await world.store.purge(now: now + 50_000)
    #expect(try await world.authority.refreshed(admission, now: now + 50_001) == nil)
    // A shorter note does not take the place of a longer one, nor the other way about.
    try await world.store.revoke(admission.grant.id, tenant: admission.grant.tenant, expires: now + 60_000)
    _ = try await world.store.purge(now: now + 70_000)
    #expect(try await world.authority.refreshed(admission, now: now + 70_001) == nil)

    let other = try await world.admit(try world.token(#"{\#(world.head),"room":"daily","sub":"eve"}"#))
    let kept = try #require(try await world.authority.refreshed(other, now: now))
    try await world.authority.ban(other.grant, from: other.meeting, now: now)
    #expect(await world.code(kept.token.value) == "banned")
    #expect(try await world.authority.refreshed(other, now: now) == nil)
    await world.store.close()
  }

  @Test("threat 24: it ends with the secret of the first one, as does what came from it")
  func retiredSecret() async throws {
    let world = try await TokenWorld()
    let admission = try await world.admit(try world.token(#"{\#(world.head),"room":"daily","parleyKey":"k_9"}"#))
    #expect(admission.grant.key == "k_1")
    let fresh = try #require(try await world.authority.refreshed(admission, now: now))
    let second = try await world.admit(fresh.token.value)
    #expect(second.grant.key == "k_1")
    let third = try #require(try await world.authority.refreshed(second, now: now))
    _ = try await world.store.rotateKey(of: world.tenant.id, others: nil, now: now)
    #expect(try await world.store.retireKey("k_1", of: world.tenant.id, now: now + 1))
    #expect(try await world.authority.refreshed(admission, now: now + 2) == nil)
    #expect(try await world.authority.refreshed(second, now: now + 2) == nil)
    for token in [fresh, third] { #expect(await world.code(token.token.value, at: now + 2) == "badToken") }
    await world.store.close()
  }

  @Test("it keeps the layout classes of its holder's streams")
  func layoutClasses() async throws {
    let world = try await TokenWorld()
    var admission = try await world.admit(try world.token(#"{\#(world.head),"room":"daily"}"#))
    admission.grant.layoutClasses = ["full", "focus"]
    let fresh = try #require(try await world.authority.refreshed(admission, now: now))
    #expect(try await world.admit(fresh.token.value).grant.layoutClasses == ["full", "focus"])
    await world.store.close()
  }

  @Test("it does not outlive its meeting")
  func meetingEnd() async throws {
    let world = try await TokenWorld()
    let meeting = MeetingRecord(
      tenant: world.tenant.id, room: try RoomName("short"), kind: .adHoc, subject: "s", created: now,
      expires: now + 120)
    try await world.store.insert(meeting)
    let admission = try await world.admit(try world.token(#"{\#(world.head),"room":"short"}"#))
    #expect(try await world.authority.refreshed(admission, now: now)?.expires == now + 120)
    #expect(try await world.authority.refreshed(admission, now: now + 120) == nil)
    await world.store.close()
  }

  @Test("a token says at most 1,024 characters about its holder")
  func data() async throws {
    let world = try await TokenWorld()
    func code(_ count: Int) async throws -> String? {
      let data = String(repeating: "é", count: count)
      return await world.code(try world.token(#"{\#(world.head),"room":"daily","data":"\#(data)"}"#))
    }
    #expect(try await code(1_024) == nil)
    #expect(try await code(1_025) == "badToken")
    await world.store.close()
  }
}
