import Foundation
import Meetings
import Signaling
import Testing

@testable import MeetingServer

@Suite("People with changed roles, and their return", .serialized)
struct ReturnTests {
  private func leave(_ client: TestClient) async throws {
    try client.send(.leave)
    while try await client.next() != nil {}
  }

  @Test(
    "threat 33: a demoted host stays so on return, with any token of the same user")
  func demoted() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      let same = try await server.token("daily", #","role":"moderator","jti":"one""#)
      let users = [
        try await server.token("daily", #","role":"moderator","sub":"eve","jti":"two""#),
        try await server.token("daily", #","role":"moderator","sub":"eve","jti":"three""#),
      ]
      for (first, second) in [(same, same), (users[0], users[1])] {
        let (eve, hello) = try await server.join("daily", "Eve", token: first)
        try await ann.ask(.setRole(hello.participant, role: "subscriber"))
        try await leave(eve)
        let (back, welcome) = try await server.join("daily", "Eve", token: second)
        #expect(welcome.permissions == ["subscribe"])
        #expect(welcome.participants.first { $0.id == welcome.participant }?.role == "subscriber")
        // A permission that a host gives back is there again, with the next visit too.
        try await ann.ask(.setRole(welcome.participant, role: "presenter"))
        try await leave(back)
        let (last, end) = try await server.join("daily", "Eve", token: second)
        #expect(end.permissions?.contains("moderate") == true)
        try await leave(last)
      }
      await ann.close()
    }
  }

  @Test("threat 33: a demoted host doesn't pass a lock by the host's role in their token")
  func locked() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      let token = try await server.token("daily", #","role":"moderator","jti":"one""#)
      let (eve, hello) = try await server.join("daily", "Eve", token: token)
      try await ann.ask(.setRole(hello.participant, role: "guest"))
      try await leave(eve)
      try ann.send(.lock(true))
      _ = try await ann.drain()
      #expect(try await server.refused("daily", token) == .meetingLocked)
      await ann.close()
    }
  }

  @Test("a permission that a host gave returns with the token's user alone")
  func given() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      for (claims, keeps) in [(#","sub":"bob""#, true), (#","jti":"shared""#, false)] {
        let token = try await server.token("daily", claims)
        let (bob, hello) = try await server.join("daily", "Bob", token: token)
        try await ann.ask(.setRole(hello.participant, role: "presenter"))
        try await leave(bob)
        let (back, welcome) = try await server.join("daily", "Bob", token: token)
        #expect((welcome.permissions?.contains("moderate") == true) == keeps, "\(claims)")
        #expect(welcome.permissions?.contains("publishAudio") == true)
        try await leave(back)
      }
      await ann.close()
    }
  }

  @Test("threat 25: a role without the permission to moderate isn't admitted as a host")
  func roleAlone() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked, passcode: "1234")
      let token = try await server.token("board", #","role":"moderator","permissions":["subscribe"]"#)
      #expect(try await server.refused("board", token) == .passcodeRequired)
      let (client, answer) = try await server.knock("board", "Mo", token: token, passcode: "1234")
      #expect(answer == .waiting(reason: .lobby, seconds: 1_800))
      await client.close()
    }
  }
}
