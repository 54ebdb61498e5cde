import Foundation
import Meetings
import Signaling
import TestSupport
import Testing

@testable import MeetingServer

@Suite("Rights in a running meeting, for who asks from outside of it", .serialized)
struct OutsideRightsTests {
  /// The rights of a token's holder over REST.
  private struct Rights: Equatable {
    var change: Int
    var seesRules: Bool

    static let host = Rights(change: 200, seesRules: true)
    static let other = Rights(change: 403, seesRules: false)
  }

  private func rights(_ token: String, _ server: TestServer, room: String = "daily") async throws -> Rights {
    let (address, bearer) = (server.url + "/api/v1/meetings/" + room, "Bearer " + token)
    let read = try await TestServer.request("GET", address, ["Authorization": bearer])
    let change = try await TestServer.request(
      "PATCH", address, ["Content-Type": "application/json", "Authorization": bearer],
      Array(#"{"subject":"Theirs","chatWriters":"nobody"}"#.utf8))
    #expect(read.status == 200)
    return Rights(change: change.status, seesRules: read.text.contains("\"rules\""))
  }

  private func cancel(_ token: String, _ server: TestServer) async throws -> Int {
    try await TestServer.request(
      "DELETE", server.url + "/api/v1/meetings/daily", ["Authorization": "Bearer " + token]
    ).status
  }

  private func id(_ server: TestServer) async throws -> String {
    let store = try await server.store()
    let tenant = try await store.defaultTenant(now: Date())
    let meeting = try #require(try await store.meeting(room: try RoomName("daily"), tenant: tenant.id))
    await store.close()
    return meeting.id.rawValue
  }

  private func leave(_ client: TestClient) async throws {
    try client.send(.leave)
    while try await client.next() != nil {}
  }

  @Test("threat 33: a demoted host changes nothing over REST until a host restores them")
  func demoted() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      let first = try await server.token("daily", #","role":"moderator","jti":"one""#)
      let user = try await server.token("daily", #","role":"moderator","sub":"eve","jti":"two""#)
      let other = try await server.token("daily", #","role":"moderator","sub":"eve","jti":"three""#)
      for (came, asks) in [(first, first), (user, other)] {
        let (eve, hello) = try await server.join("daily", "Eve", token: came)
        #expect(try await rights(asks, server) == .host)
        try await ann.ask(.setRole(hello.participant, role: "subscriber"))
        #expect(try await rights(asks, server) == .other)
        #expect(try await cancel(asks, server) == 403)
        try await leave(eve)
        #expect(try await rights(asks, server) == .other)
        let (back, welcome) = try await server.join("daily", "Eve", token: came)
        try await ann.ask(.setRole(welcome.participant, role: "presenter"))
        #expect(try await rights(asks, server) == .host)
        try await ann.ask(.setPermissions(welcome.participant, permissions: ["subscribe"]))
        #expect(try await rights(asks, server) == .other)
        try await leave(back)
      }
      await ann.close()
    }
  }

  @Test("threat 33: demoting or banning a user covers their other open sessions")
  func otherSessions() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      let one = try await server.token("daily", #","role":"moderator","sub":"eve","jti":"one""#)
      let two = try await server.token("daily", #","role":"moderator","sub":"eve","jti":"two""#)
      let (tab, hello) = try await server.join("daily", "Eve", token: one)
      let (other, _) = try await server.join("daily", "Eve", token: two)
      try await ann.ask(.setRole(hello.participant, role: "subscriber"))
      let rest = try await other.first {
        if case .room(.permissions(_, let permissions)) = $0 { permissions } else { nil }
      }
      #expect(rest == ["subscribe"])
      try other.send(.room(.setRole(hello.participant, role: "presenter")))
      #expect(try await other.error().code == .notAllowed)
      #expect(try await rights(two, server) == .other)
      try await ann.ask(.removeParticipant(hello.participant, ban: true))
      for client in [tab, other] {
        let reason = try await client.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
        #expect(reason == .removed)
      }
      await ann.close()
    }
  }

  @Test("threat 33: a second session shields an organizer from moderators alone")
  func organizersSession() async throws {
    try await TestServer.run { server in
      let (mod, own) = try await server.host("daily", "Mod", claims: #","sub":"mod""#)
      let organizer = try await server.token("daily", #","role":"organizer","sub":"ann","jti":"one""#)
      let plain = try await server.token("daily", #","sub":"ann","jti":"two""#)
      let (ann, _) = try await server.join("daily", "Ann", token: organizer)
      let (phone, hello) = try await server.join("daily", "Ann", token: plain)
      for request in [
        RoomRequest.setRole(hello.participant, role: "subscriber"),
        .setPermissions(hello.participant, permissions: ["subscribe"]),
        .changePermissions(hello.participant, adding: [], removing: ["chat"]),
        .removeParticipant(hello.participant, ban: true),
      ] {
        try mod.send(.room(request))
        #expect(try await mod.error().code == .notAllowed)
      }
      // Nobody bans themselves by their other session.
      let (tablet, second) = try await server.host("daily", "Mod", claims: #","sub":"mod","jti":"three""#)
      try tablet.send(.room(.removeParticipant(own.participant, ban: true)))
      #expect(try await tablet.error().code == .badMessage)
      try await mod.ask(.removeParticipant(second.participant, ban: false))
      for client in [mod, ann, phone, tablet] { await client.close() }
    }
  }

  @Test("threat 33: a host removed without a ban has REST rights again after their return")
  func removed() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      for claims in [#","jti":"one""#, #","sub":"eve""#] {
        let token = try await server.token("daily", #","role":"moderator"\#(claims)"#)
        let (eve, hello) = try await server.join("daily", "Eve", token: token)
        try await ann.ask(.removeParticipant(hello.participant, ban: false))
        await eve.close()
        #expect(try await rights(token, server) == .other)
        let (back, welcome) = try await server.join("daily", "Eve", token: token)
        #expect(welcome.permissions?.contains("moderate") == true)
        #expect(try await rights(token, server) == .host)
        try await leave(back)
        #expect(try await rights(token, server) == .host)
      }
      // A second device of the same user is nobody who was removed.
      let token = try await server.token("daily", #","role":"moderator","sub":"max""#)
      let (phone, old) = try await server.join("daily", "Max", token: token)
      let (laptop, _) = try await server.join("daily", "Max", token: token)
      try await ann.ask(.removeParticipant(old.participant, ban: false))
      #expect(try await rights(token, server) == .host)
      try await leave(laptop)
      #expect(try await rights(token, server) == .other)
      for client in [phone, ann] { await client.close() }
    }
  }

  @Test("threat 33: a host whom the administration removes has no REST rights either")
  func removedByAdministration() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      let token = try await server.token("daily", #","role":"moderator","jti":"one""#)
      let (eve, hello) = try await server.join("daily", "Eve", token: token)
      let id = try await id(server)
      let gone = try await TestServer.request(
        "DELETE",
        "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/meetings/\(id)/participants/"
          + hello.participant)
      #expect(gone.status == 204, "\(gone.text)")
      #expect(try await rights(token, server) == .other)
      for client in [eve, ann] { await client.close() }
    }
  }

  @Test("a person whom a host made a host is one over REST, by the token's user")
  func promoted() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      for (claims, expected) in [(#","sub":"bob""#, Rights.host), (#","jti":"shared""#, Rights.other)] {
        let token = try await server.token("daily", claims)
        let (bob, hello) = try await server.join("daily", "Bob", token: token)
        #expect(try await rights(token, server) == .other)
        try await ann.ask(.setRole(hello.participant, role: "presenter"))
        #expect(try await rights(token, server) == expected, "\(claims)")
        await bob.close()
      }
      await ann.close()
    }
  }

  @Test("threat 33: after kill -9 demoted and removed hosts still have no REST rights")
  func restart() async throws {
    var (ann, eve, max) = ("", "", "")
    try await TestServer.kill(after: { server in
      ann = try await server.token("daily", #","sub":"ann","role":"organizer""#)
      eve = try await server.token("daily", #","jti":"eve","role":"moderator""#)
      max = try await server.token("daily", #","sub":"max","role":"moderator""#)
      let (host, _) = try await server.join("daily", "Ann", token: ann)
      let (_, demoted) = try await server.join("daily", "Eve", token: eve)
      let (_, removed) = try await server.join("daily", "Max", token: max)
      try await host.ask(.setRole(demoted.participant, role: "guest"))
      try await host.ask(.removeParticipant(removed.participant, ban: false))
    }) { server in
      #expect(try await rights(ann, server) == .host)
      #expect(try await rights(eve, server) == .other)
      #expect(try await rights(max, server) == .other)
      let (host, _) = try await server.join("daily", "Ann", token: ann)
      #expect(try await rights(eve, server) == .other)
      #expect(try await rights(max, server) == .other)
      let (back, _) = try await server.join("daily", "Max", token: max)
      #expect(try await rights(max, server) == .host)
      for client in [host, back] { await client.close() }
    }
  }

  @Test("a meeting that is over takes what hosts have decided in it with it")
  func over() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      let token = try await server.token("daily", #","role":"moderator","jti":"one""#)
      let (eve, hello) = try await server.join("daily", "Eve", token: token)
      try await ann.ask(.setRole(hello.participant, role: "guest"))
      try await leave(eve)
      #expect(try await rights(token, server) == .other)
      try await ann.ask(.endMeeting)
      await ann.close()
      try await wait(for: "the end of the meeting") { try await rights(token, server) == .host }
    }
  }

  @Test("threat 25: a demoted host needs the passcode to come in")
  func passcode() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", passcode: "1234")
      let (ann, _) = try await server.host("board", "Ann", role: "organizer")
      let token = try await server.token("board", #","role":"moderator","jti":"one""#)
      let (eve, hello) = try await server.join("board", "Eve", token: token)
      try await ann.ask(.setRole(hello.participant, role: "guest"))
      try await leave(eve)
      #expect(try await server.refused("board", token) == .passcodeRequired)
      let (back, answer) = try await server.knock("board", "Eve", token: token, passcode: "1234")
      guard case .welcome? = answer else { throw Unexpected(answer) }
      for client in [back, ann] { await client.close() }
    }
  }
}
