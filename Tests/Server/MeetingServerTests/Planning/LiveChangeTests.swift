import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Meetings that are changed while they run", .serialized)
struct LiveChangeTests {
  private func patch(_ server: TestServer, _ id: String, _ body: String) async throws -> (status: Int, text: String) {
    let answer = try await TestServer.request(
      "PATCH", "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/meetings/\(id)",
      ["Content-Type": "application/json"], Array(body.utf8))
    return (answer.status, answer.text)
  }

  private func id(_ server: TestServer, _ room: String) async throws -> String {
    let store = try await server.store()
    let tenant = try await store.defaultTenant(now: Date())
    let meeting = try #require(try await store.meeting(room: try RoomName(room), tenant: tenant.id))
    await store.close()
    return meeting.id.rawValue
  }

  @Test(
    "threat 25: a new access level holds at once for the lobby and for joins"
  )
  func accessLevel() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let id = try await id(server, "board")
      let (host, _) = try await server.lobbyHost("board")
      let (bob, first) = try await server.knock("board", "Bob")
      guard case .waiting(.lobby, _)? = first else { throw Unexpected(first) }
      try await host.lobby(of: ["Bob"])
      #expect(try await patch(server, id, #"{"accessLevel":"Everyone"}"#).status == 200)
      _ = try await bob.welcome()
      try await host.lobby(of: [])
      _ = try await server.join("board", "Eve")
      #expect(try await patch(server, id, #"{"accessLevel":"Locked"}"#).status == 200)
      let (late, second) = try await server.knock("board", "Late")
      guard case .waiting(.lobby, _)? = second else { throw Unexpected(second) }
      // A participant stays in.
      #expect(try await bob.drain().allSatisfy { if case .ended = $0 { false } else { true } })
      await late.close()
    }
  }

  @Test("participants wait for a host only while the meeting's rule says so")
  func waitForHost() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("hall", lobby: LobbySettings(waitsForHost: true))
      let id = try await id(server, "hall")
      let (bob, first) = try await server.knock("hall", "Bob")
      guard case .waiting(.host, _)? = first else { throw Unexpected(first) }
      #expect(try await patch(server, id, #"{"waitForHost":false}"#).status == 200)
      _ = try await bob.welcome()
      #expect(try await patch(server, id, #"{"waitForHost":true,"lobbySeconds":77}"#).status == 200)
      let (eve, second) = try await server.knock("hall", "Eve")
      #expect(second == .waiting(reason: .host, seconds: 77))
      // A host lets nobody in who has to be let in by now.
      #expect(try await patch(server, id, #"{"accessLevel":"Locked"}"#).status == 200)
      let (host, _) = try await server.lobbyHost("hall")
      guard case .waiting(.lobby, _)? = try await eve.next() else { throw Unexpected(text: "Eve is not in the lobby") }
      for client in [bob, eve, host] { await client.close() }
    }
  }

  @Test(
    "threat 25: a passcode set, changed or removed holds for the next who come")
  func passcode() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.host("daily", "Ann")
      let id = try await id(server, "daily")
      func code(_ passcode: String?) async throws -> SignalingErrorCode? {
        let (client, answer) = try await server.knock("daily", "Eve", passcode: passcode)
        await client.close()
        if case .error(let code, _, true, _)? = answer { return code }
        return nil
      }
      #expect(try await code(nil) == nil)
      let made = try await patch(server, id, #"{"passcode":"Open 1"}"#)
      #expect(made.status == 200 && made.text.contains("\"passcode\":true") && !made.text.contains("Open 1"))
      #expect(try await code(nil) == .passcodeRequired)
      #expect(try await code("Open 1") == nil)
      let token = try await server.token("daily", #","role":"moderator""#)
      let answer = try await TestServer.request(
        "PATCH", server.url + "/api/v1/meetings/daily",
        ["Content-Type": "application/json", "Authorization": "Bearer \(token)"], Array(#"{"passcode":"Open 2"}"#.utf8))
      #expect(answer.status == 200)
      #expect(try await code("Open 1") == .wrongPasscode)
      #expect(try await code("Open 2") == nil)
      #expect(try await patch(server, id, #"{"passcode":null}"#).status == 200)
      #expect(try await code(nil) == nil)
      let short = try await patch(server, id, #"{"passcode":"  1  "}"#)
      #expect(short.status == 422 && short.text.contains("badPasscode"))
      #expect(!server.logged.text.contains("Open 1"))
      await ann.close()
    }
  }

  @Test("threat 25: people waiting for a host are asked for a passcode set by any process")
  func passcodeWhileWaiting() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("hall", lobby: LobbySettings(waitsForHost: true))
      let id = try await id(server, "hall")
      let (bob, first) = try await server.knock("hall", "Bob")
      guard case .waiting(.host, _)? = first else { throw Unexpected(first) }
      #expect(try await patch(server, id, #"{"passcode":"Open 1"}"#).status == 200)
      #expect(try await bob.error() == (.passcodeRequired, true))
      let (again, second) = try await server.knock("hall", "Bob", passcode: "Open 1")
      guard case .waiting(.host, _)? = second else { throw Unexpected(second) }
      // A change by the command line is read when the host comes, and before anybody comes in for that.
      let hash = try PasscodeHash(Secret("Open 2"))
      let store = try await server.store()
      _ = try await store.transaction { try $0.change(MeetingID(rawValue: id)) { $0.passcode = hash } }
      await store.close()
      let (host, _) = try await server.lobbyHost("hall")
      #expect(try await again.error() == (.passcodeRequired, true))
      let (third, answer) = try await server.knock("hall", "Bob", passcode: "Open 2")
      guard case .welcome? = answer else { throw Unexpected(answer) }
      for client in [third, host] { await client.close() }
    }
  }

  @Test("threat 25: no older passcode admits people who wait for the meeting's time")
  func passcodeBeforeTheStart() async throws {
    try await TestServer.run { server in
      let hash = try PasscodeHash(Secret("Open 1"))
      for seconds in [3.0, 9, 27] {
        let room = "plan\(Int(seconds))"
        let start = CivilTime(seconds: Int((Date().timeIntervalSince1970 + seconds).rounded(.up))).text
        let made = try await TestServer.request(
          "POST", "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/meetings",
          ["Content-Type": "application/json"],
          Array(#"{"room":"\#(room)","schedule":{"start":"\#(start)","opensBefore":0}}"#.utf8))
        #expect(made.status == 201, "\(made.text)")
        let (bob, first) = try await server.knock(room, "Bob")
        // On a machine that is too busy to come in time, the start is later.
        guard case .waiting(.start, _)? = first else { continue }
        let id = MeetingID(rawValue: try await id(server, room))
        let store = try await server.store()
        let isInTime = try await store.transaction { try $0.change(id) { $0.passcode = hash } }?.schedule?.phase(
          at: Date())
        await store.close()
        guard case .before? = isInTime else { continue }
        var told: SignalingErrorCode?
        try await eventually {
          if case .error(let code, _, true, _)? = try? await bob.next() { told = code }
          return told == nil ? "Bob is told nothing" : nil
        }
        #expect(told == .passcodeRequired)
        return
      }
      Issue.record("the machine was too busy for a start in 27 s")
    }
  }

  @Test(
    "the administration shows the command line's change before the room hears of it"
  )
  func shownToTheAdministration() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let id = try await id(server, "daily")
      let store = try await server.store()
      _ = try await store.transaction { try $0.change(MeetingID(rawValue: id)) { $0.subject = "New title" } }
      for path in ["meetings/\(id)", "meetings?running=true", "meetings"] {
        let answer = try await TestServer.request(
          "GET", "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/\(path)")
        #expect(answer.status == 200 && answer.text.contains("New title"), "\(path): \(answer.text)")
        #expect(answer.text.contains(#""participants":1"#), "\(path): \(answer.text)")
      }
      // A removed meeting that still runs is known to its room only.
      #expect(try await store.transaction { try $0.removeMeeting(MeetingID(rawValue: id)) })
      await store.close()
      for path in ["meetings/\(id)", "meetings?running=true"] {
        let answer = try await TestServer.request(
          "GET", "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/\(path)")
        #expect(answer.status == 200 && answer.text.contains(id), "\(path): \(answer.text)")
      }
      await ann.close()
    }
  }

  @Test("threat 33: new chat rules change rights at once, and hosts' decisions stay")
  func chat() async throws {
    try await TestServer.run { server in
      let (host, _) = try await server.host("daily", "Ann")
      let (ben, welcome) = try await server.join("daily", "Ben")
      let id = try await id(server, "daily")
      func permissions() async throws -> [String] {
        try await ben.notice { if case .permissions(_, let names) = $0 { names } else { nil } }
      }
      for text in ["one", "two", "three"] {
        try host.send(.chat(text: text, to: nil))
        _ = try await ben.first { if case .chat(let entry) = $0, entry.text == text { entry } else { nil } }
      }
      #expect(try await patch(server, id, #"{"chatWriters":"hosts","chatMessages":2}"#).status == 200)
      #expect(try await permissions().contains("chat") == false)
      try ben.send(.chat(text: "hello", to: nil, id: 5))
      #expect(try await ben.refusal().text.contains("not open to everybody"))
      #expect(try await server.look("daily").chat.map(\.text) == ["two", "three"])
      #expect(try await patch(server, id, #"{"chatWriters":"everyone","chatHistory":false}"#).status == 200)
      #expect(try await permissions().contains("chat"))
      #expect(try await server.look("daily").chat.isEmpty)
      let rest = (welcome.permissions ?? []).filter { $0 != "chat" }
      try await host.ask(.setPermissions(welcome.participant, permissions: rest))
      #expect(try await permissions() == rest)
      for writers in ["nobody", "everyone"] {
        #expect(try await patch(server, id, #"{"chatWriters":"\#(writers)"}"#).status == 200)
      }
      try ben.send(.chat(text: "hello", to: nil, id: 6))
      #expect(try await ben.refusal().text.contains("a host has taken that right back"))
    }
  }

  @Test(
    "participants are told a new title, end and file limit, also after being away"
  )
  func told() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (ben, _) = try await server.join("daily", "Ben")
      let id = try await id(server, "daily")
      func info(_ client: TestClient) async throws -> MeetingInfo {
        try await client.notice { if case .meeting(let info) = $0 { info } else { nil } }
      }
      // Nothing of this is for everybody to know.
      #expect(try await patch(server, id, #"{"passcode":"1234","lobbySeconds":77}"#).status == 200)
      #expect(
        try await ben.drain().allSatisfy { if case .room(.meeting) = $0 { false } else { true } })
      #expect(try await patch(server, id, #"{"subject":"Crew","expiresIn":3600}"#).status == 200)
      for client in [ann, ben] {
        let info = try await info(client)
        #expect(info.subject == "Crew" && info.expires != nil && info.id == id)
      }
      #expect(try await patch(server, id, #"{"chatFileLimit":5}"#).status == 200)
      #expect(try await info(ben).chat?.fileLimit == 5)
      await ann.close()
      #expect(try await patch(server, id, #"{"subject":"Team","expiresIn":null}"#).status == 200)
      let back = try await server.connect()
      try back.send(.resume(token: hello.resumeToken))
      let last = try await info(back)
      #expect(last.subject == "Team" && last.expires == nil && last.chat?.fileLimit == 5)
      // Once is enough.
      await back.close()
      let again = try await server.connect()
      try again.send(.resume(token: hello.resumeToken))
      _ = try await again.first { if case .resumed = $0 { true } else { nil } }
      #expect(
        try await again.drain().allSatisfy { if case .room(.meeting) = $0 { false } else { true } })
      for client in [again, ben] { await client.close() }
    }
  }

  @Test("threat 33: chat rules that change during a join hold for it from the start")
  func chatWhileJoining() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let id = try await id(server, "daily")
      await server.media.hold()
      let ben = try await server.connect()
      let token = try await server.discover("daily").token ?? ""
      try ben.send(.join(.init(token: token, name: "Ben", offer: "", tracks: [])))
      try await eventually { await server.media.isWaiting ? nil : "Ben is not on the way in" }
      #expect(try await patch(server, id, #"{"chatWriters":"hosts","subject":"Crew"}"#).status == 200)
      await server.media.release()
      let welcome = try await ben.welcome()
      #expect(welcome.permissions?.contains("chat") == false && welcome.meeting.subject == "Crew")
      try ben.send(.chat(text: "hello", to: nil, id: 5))
      #expect(try await ben.refusal().code == .notAllowed)
      for client in [ann, ben] { await client.close() }
    }
  }

  @Test("an end that is set ends a running meeting, and one that is removed doesn't")
  func expiry() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let id = try await id(server, "daily")
      #expect(try await patch(server, id, #"{"expiresIn":60}"#).status == 200)
      #expect(try await server.look("daily").meeting.expires != nil)
      #expect(try await patch(server, id, #"{"expiresIn":null}"#).status == 200)
      #expect(try await server.look("daily").meeting.expires == nil)
      // No time that the interface takes is short enough for a test, so another process sets it; it is heard of when
      // the next one comes.
      let store = try await server.store()
      for seconds in [2.0, 4, 8] {
        _ = try await store.transaction { try $0.change(MeetingID(rawValue: id)) { $0.expires = Date() + seconds } }
        // On a machine that is too busy to come in time, the end is later.
        let (late, answer) = try await server.knock("daily", "Late")
        await late.close()
        if case .welcome = answer { break }
      }
      await store.close()
      let reason = try await ann.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
      #expect(reason == .expired)
    }
  }

  @Test("people who wait for a planned time learn of a change, or come in")
  func time() async throws {
    try await TestServer.run { server in
      func time(in seconds: Double) -> String {
        CivilTime(seconds: Int((Date().timeIntervalSince1970 + seconds).rounded(.up))).text
      }
      let made = try await TestServer.request(
        "POST", "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/meetings",
        ["Content-Type": "application/json"],
        Array(#"{"room":"plan","schedule":{"start":"\#(time(in: 1_500))","opensBefore":0}}"#.utf8))
      #expect(made.status == 201, "\(made.text)")
      let id = try await id(server, "plan")
      let (bob, first) = try await server.knock("plan", "Bob")
      guard case .waiting(.start, _)? = first else { throw Unexpected(first) }
      #expect(try await patch(server, id, #"{"schedule":{"start":"\#(time(in: -5))"}}"#).status == 200)
      _ = try await bob.welcome()
      await bob.close()
      #expect(try await patch(server, id, #"{"schedule":{"start":"\#(time(in: 1_500))"}}"#).status == 200)
      let (eve, second) = try await server.knock("plan", "Eve")
      guard case .waiting(.start, _)? = second else { throw Unexpected(second) }
      #expect(try await patch(server, id, #"{"schedule":{"start":"\#(time(in: 90_000))"}}"#).status == 200)
      let told = try await eve.error()
      #expect(told.code == .notStarted && told.fatal)
    }
  }
}
