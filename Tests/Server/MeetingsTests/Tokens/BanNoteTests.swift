import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("How long bans are kept")
struct BanNoteTests {
  private let hour: TimeInterval = 3_600
  private let day: TimeInterval = 24 * 3_600

  /// The verdict on a guest at an address when unneeded records were purged at `time`.
  private func isBanned(
    _ world: TokenWorld, _ grant: JoinGrant, _ meeting: MeetingRecord, from address: IPAddress? = nil, at time: Date
  ) async throws -> Bool {
    _ = try await world.store.purge(now: time)
    return try await world.authority.isBanned(grant, from: meeting, address: address)
  }

  @Test(
    "threat 33: a ban outlasts token and meeting, and holds for the user years later"
  )
  func user() async throws {
    let world = try await TokenWorld()
    let now = TokenWorld.now
    let meeting = MeetingRecord(
      tenant: world.tenant.id, room: try RoomName("board"), kind: .named, subject: "b", created: now,
      expires: now + hour)
    try await world.store.insert(meeting)
    let first = try await world.admit(
      try world.token("{\(world.head)" + #","sub":"eve","room":"board"}"#))
    try await world.authority.ban(first.grant, from: meeting, now: now)
    // The meeting goes on for longer than was planned.
    _ = try await world.store.change(meeting.id) { $0.expires = nil }
    for later in [hour * 2, day * 400, day * 365 * 9] {
      #expect(try await isBanned(world, first.grant, meeting, at: now + later))
    }
    let end = Int((now + day * 400 + hour).timeIntervalSince1970)
    let again = try world.token(#"{"iss":"100200","exp":\#(end),"sub":"eve","room":"board"}"#)
    #expect(await world.code(again, at: now + day * 400) == "banned")
    let other = try world.token(#"{"iss":"100200","exp":\#(end),"sub":"bob","room":"board"}"#)
    #expect(await world.code(other, at: now + day * 400) == nil)
    // Not for ever: nobody is to be kept in a file for longer than anybody remembers why.
    #expect(try await !isBanned(world, first.grant, meeting, at: now + day * 366 * 10))
  }

  @Test("an address's ban ends after a day, that of the token used with it doesn't")
  func address() async throws {
    let world = try await TokenWorld()
    let now = TokenWorld.now
    let meeting = MeetingRecord(
      tenant: world.tenant.id, room: try RoomName("board"), kind: .named, subject: "b", created: now)
    try await world.store.insert(meeting)
    func guest() -> JoinGrant {
      JoinGrant(
        form: .signed, tenant: world.tenant.id, id: .random(), target: .meeting(meeting.id), role: .publisher,
        expires: now + hour, isGuest: true)
    }
    let (eve, neighbour) = (guest(), guest())
    let home = try #require(IPAddress("2001:db8:0:1::7"))
    let (same, other) = (try #require(IPAddress("2001:db8:0:1::8")), try #require(IPAddress("2001:db8:0:2::7")))
    try await world.authority.ban(eve, from: meeting, address: home, now: now)
    #expect(try await isBanned(world, neighbour, meeting, from: same, at: now + day - 1))
    #expect(try await !isBanned(world, neighbour, meeting, from: other, at: now + day - 1))
    #expect(try await !isBanned(world, neighbour, meeting, from: same, at: now + day + 1))
    #expect(try await isBanned(world, eve, meeting, from: other, at: now + day + 1))
  }
}
