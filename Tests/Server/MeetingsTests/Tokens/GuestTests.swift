import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("The tenants of tokens' holders")
struct GuestTests {
  @Test(
    "guests come by the open endpoint or the tenant's word; hosts pass every level")
  func guests() async throws {
    let world = try await TokenWorld()
    func grant(_ claims: String, room: String? = nil) async throws -> JoinGrant {
      try await world.admit(try world.token("{\(world.head),\(claims)}"), room: room).grant
    }
    let invited = try await grant(#""room":"daily""#)
    let company = try await grant(#""room":"*""#, room: "daily")
    let guest = try await grant(#""room":"daily","guest":true"#)
    let host = try await grant(#""room":"*","role":"moderator","guest":true"#, room: "daily")
    let jitsi = try await grant(#""room":"daily","context":{"user":{"moderator":true}}"#)
    #expect(!invited.isGuest && !company.isGuest && guest.isGuest)
    #expect(!invited.isHost && !guest.isHost && host.isHost && jitsi.isHost)
    let passes = [invited, company, guest, host].map { grant in AccessLevel.allCases.filter { $0.passes(grant) } }
    #expect(
      passes == [
        [.invited, .sameEnterprise, .everyone], [.sameEnterprise, .everyone], [.everyone], AccessLevel.allCases,
      ])
    for claim in [#""guest":"yes""#, #""guest":1"#] {
      #expect(
        await world.code(try world.token(#"{\#(world.head),"room":"daily",\#(claim)}"#)) == "badToken", "\(claim)")
    }
  }

  @Test("the open endpoint's token is a guest's, a closed meeting's requester's a host's")
  func anonymousJoin() async throws {
    let store = try await SQLiteMeetingStore.open(folder: TemporaryFolder().path)
    let authority = JoinAuthority(store: store)
    let anonymousJoin = AnonymousJoin(store: store, authority: authority)
    let now = TokenWorld.now
    let (meeting, tenant) = try await anonymousJoin.newMeeting(
      subject: "s", summary: "", accessLevel: .locked, now: now)
    try await store.insert(meeting)
    let base = try #require(WebOrigin("https://meet.example"))
    let guest = try anonymousJoin.token(for: meeting, tenant: tenant, session: "s", origins: [], base: base, now: now)
      .text
    let organizer = try anonymousJoin.organizerToken(for: meeting, tenant: tenant, now: now).text
    func grant(_ token: Secret<String>) async throws -> JoinGrant {
      try await authority.admit(token: token, origin: nil, ownOrigin: base, now: now).grant
    }
    let others = try await grant(guest)
    #expect(others.isGuest && !others.isHost)
    let own = try await grant(organizer)
    #expect(own.isHost && own.role == .organizer && own.target == .meeting(meeting.id))
  }
}
