import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("The addresses of a meeting")
struct MeetingAddressesTests {
  @Test("a room's conference address is always the same, before its meeting and after")
  func conference() async throws {
    let world = try await TokenWorld()
    let base = try #require(WebOrigin("https://meet.example"))
    func address(_ room: String, opening: Bool) async throws -> String {
      let token = try world.token("{\(world.head)" + #","room":"*"}"#)
      let admission = try await world.authority.admit(
        token: Secret(token), room: try RoomName(room), origin: nil, ownOrigin: base, opening: opening,
        now: TokenWorld.now)
      return MeetingAddresses(base: base, meeting: admission.meeting, tenant: admission.tenant).conference
    }
    let first = try await address("Daily", opening: false)
    #expect(try await address("daily", opening: false) == first)
    #expect(try await address("daily", opening: true) == first)
    #expect(try await address("daily", opening: false) == first)
    #expect(try await address("weekly", opening: false) != first)
    var other = world.tenant
    other.id = .random()
    let elsewhere = MeetingRecord(opening: try RoomName("daily"), of: other, now: TokenWorld.now)
    #expect(MeetingAddresses(base: base, meeting: elsewhere, tenant: world.tenant).conference != first)
  }
}
