import Basics
import Foundation
import Meetings
import SFU
import Signaling
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer

@Suite("The lobby", .serialized)
struct LobbyTests {
  @Test(
    "threat 25: the access level decides who goes in or waits, at every endpoint",
    arguments: AccessLevel.allCases)
  func levels(level: AccessLevel) async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", level)
      let straight: [(String, String, [AccessLevel])] = [
        ("organizer", try await server.token("board", #","role":"organizer""#), AccessLevel.allCases),
        ("moderator", try await server.token("board", #","role":"moderator""#), AccessLevel.allCases),
        ("host by permission", try await server.token("board", #","permissions":["moderate"]"#), AccessLevel.allCases),
        ("host of every room", try await server.token("*", #","role":"moderator""#), AccessLevel.allCases),
        ("invited", try await server.token("board"), [.everyone, .sameEnterprise, .invited]),
        ("company", try await server.token("*"), [.everyone, .sameEnterprise]),
        ("recorder", try await server.token("board", #","role":"recorder""#), [.everyone, .sameEnterprise, .invited]),
        ("guest by claim", try await server.token("board", #","guest":true"#), [.everyone]),
        ("guest by the open door", try await server.discover("board").token ?? "", [.everyone]),
      ]
      for (name, token, levels) in straight {
        let (client, answer) = try await server.knock("board", name, token: token, enters: "board")
        switch answer {
        case .welcome: #expect(levels.contains(level), "\(name) went straight in")
        case .waiting(.lobby, 1_800): #expect(!levels.contains(level), "\(name) had to wait")
        default: Issue.record("\(name): \(Unexpected(answer))")
        }
        try client.send(.leave)
        while try await client.next() != nil {}
      }
    }
  }

  @Test("threat 25: nothing of the meeting reaches the lobby, whatever happens or is sent")
  func silence() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked, capacity: 3)
      let (ann, annID) = try await server.lobbyHost("board", "Ann", offer: "send:0 video:v")
      let company = try await server.token("board", #","role":"organizer""#)
      let (bob, hello) = try await server.join(
        "board", "Bob", offer: "send:1 video:v", tracks: [.init(mid: "1", source: .camera)], token: company)
      let token = try await server.discover("board").token ?? ""
      let eve = try await server.connect()
      try eve.send(
        .join(.init(token: token, name: "Eve", offer: "send:1 video:v", tracks: [.init(mid: "1", source: .camera)])))
      var heard = [try #require(try await eve.text())]
      let id = try #require(try await ann.lobby(of: ["Eve"]).waiting.first?.id)

      // Everything that can happen in a meeting.
      try ann.send(.chat(text: "the secret", to: nil))
      try bob.send(.chat(text: "for Eve", to: id, id: 1))
      try bob.send(.rename(name: "Robert"))
      try bob.send(.mute(mid: "1", muted: true))
      await server.media.report(speakers: [.init(participant: hello.participant, level: 0.5)])
      await server.media.report(quality: [hello.participant: .poor, id: .poor])
      await server.media.report(paused: ["t_1"], for: id)
      await server.media.receive(
        try DataMessage(header: ClientDataHeader(), payload: [1]).encoded(), .reliable, from: annID)
      await server.media.receive(
        try DataMessage(header: ClientDataHeader(to: [id]), payload: [1]).encoded(), .reliable, from: annID)
      let (cem, _) = try await server.join(
        "board", "Cem", offer: "send:1", tracks: [.init(mid: "1", source: .camera)], token: company)
      try await eventually { await server.media.sentData.isEmpty ? "no data was sent" : nil }
      try ann.send(.lock(true))
      try bob.send(.leave)
      while try await bob.next() != nil {}
      _ = try await ann.drain()

      // Everything that can be sent.
      let attempts: [ClientMessage] = [
        .offer(.init(id: 3, offer: "send:1", tracks: [])), .chat(text: "let me in", to: nil, id: 4),
        .rename(name: "Ann"),
        .mute(mid: "1", muted: true), .view([SlotView(mid: "v", width: 1, height: 1)]), .admit(.all),
        .admit(.some([id])), .deny(.all), .lock(false), .resume(token: id), .resume(token: ""),
        .join(.init(token: token, name: "Eve", offer: "", tracks: [])),
      ]
      for attempt in attempts { try eve.send(attempt) }
      try eve.send(.ping(time: 7))
      while let text = try await eve.text() {
        heard.append(text)
        if text.contains(#""pong""#) { break }
      }
      #expect(heard.count == attempts.count + 2, "\(heard)")
      #expect(heard.count { $0.contains(#""code":"notAllowed""#) } == attempts.count, "\(heard)")
      let waiting = try JSONSerialization.jsonObject(with: Data(heard[0].utf8)) as? [String: Any]
      #expect(waiting.map { Set($0.keys) } == ["type", "reason", "seconds"], "\(heard[0])")
      let secrets = [
        "Ann", "Bob", "Robert", "Cem", "secret", "plans", "p_", "t_", "m_", "resumeToken", "participants", "chat",
        "slots",
      ]
      for text in heard { for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(text)") } }
      for call in await server.media.calls {
        #expect(!"\(call)".contains(id), "the media plane heard of who waits: \(call)")
      }
      #expect(await server.media.sentData.allSatisfy { !$0.to.contains(id) })
      // A refusal doesn't disclose the number of people either: there is no room, and they wait all the same. Without
      // the token, whose letters are drawn by lot and may spell anything.
      let document = try await server.get("/discover/board").text.replacing(/"token":"[^"]*"/, with: "")
      for secret in ["Ann", "Bob", "Cem", "p_", "participants"] { #expect(!document.contains(secret), "\(document)") }
      for client in [ann, cem, eve] { await client.close() }
    }
  }

  @Test("threat 25: a second socket, token or return doesn't pass the lobby; each knocks")
  func detours() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .invited)
      // Early, before anybody is there.
      let (early, first) = try await server.knock("board", "Eve")
      #expect(first == .waiting(reason: .lobby, seconds: 1_800))
      let token = try await server.discover("board").token ?? ""
      let (again, second) = try await server.knock("board", "Eve", token: token)
      let (twice, third) = try await server.knock("board", "Eve", token: token)
      for answer in [second, third] { #expect(answer == .waiting(reason: .lobby, seconds: 1_800)) }
      let (ann, _) = try await server.lobbyHost("board")
      try ann.send(.ping(time: nil))
      await early.close()
      let lobby = try await ann.lobby(of: ["Eve", "Eve"])
      try ann.send(.admit(.some([lobby.waiting[0].id])))
      let welcome = try await again.welcome()
      // A person who was admitted and left is a stranger again, also with the same token.
      try again.send(.leave)
      while try await again.next() != nil {}
      let (back, fourth) = try await server.knock("board", "Eve", token: token)
      #expect(fourth == .waiting(reason: .lobby, seconds: 1_800))
      try await server.connect().send(.resume(token: welcome.resumeToken))
      let thief = try await server.connect()
      try thief.send(.resume(token: welcome.resumeToken))
      #expect(try await thief.error() == (.resumeExpired, true))
      for client in [ann, twice, back] { await client.close() }
    }
  }

  @Test("an admitted person joins with their first offer, and is seen from then on")
  func admission() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let (ann, _) = try await server.lobbyHost("board", "Ann", offer: "video:v")
      let (eve, _) = try await server.knock(
        "board", "Eve", offer: "send:1 video:v", tracks: [.init(mid: "1", source: .camera)])
      let knock = try #require(try await ann.lobby(of: ["Eve"]).waiting.first)
      try ann.send(.admit(.some([knock.id])))
      let welcome = try await eve.welcome()
      #expect(welcome.participant == knock.id && welcome.answer == "answer to send:1 video:v")
      #expect(welcome.participants.map(\.name) == ["Ann", "Eve"])
      let joined = try await ann.first { if case .participantJoined(let who) = $0 { who } else { nil } }
      #expect(joined.name == "Eve" && joined.publications.map(\.source) == [.camera])
      // As everybody else from now on: the socket is that of a participant.
      try eve.send(.chat(text: "thank you", to: nil))
      _ = try await ann.first { if case .chat(let entry) = $0 { entry } else { nil } }
      await eve.close()
      let back = try await server.connect()
      try back.send(.resume(token: welcome.resumeToken))
      _ = try await back.first { if case .resumed = $0 { true } else { nil } }
      #expect(try await back.drain().allSatisfy { if case .lobby = $0 { false } else { true } })
      for client in [ann, back] { await client.close() }
    }
  }

  @Test("everybody waiting is let in at once, or sent away, and each is told the outcome")
  func admitAllAndDeny() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let (ann, _) = try await server.lobbyHost("board")
      var guests: [TestClient] = []
      for name in ["Bob", "Cem", "Dan"] { guests.append(try await server.knock("board", name).0) }
      let lobby = try await ann.lobby(of: ["Bob", "Cem", "Dan"])
      try ann.send(.deny(.some([lobby.waiting[1].id, "p_nobody"])))
      #expect(try await guests[1].error() == (.entryDenied, true))
      #expect(try await guests[1].next() == nil, "the socket is closed")
      try await ann.lobby(of: ["Bob", "Dan"])
      try ann.send(.admit(.all))
      for guest in [guests[0], guests[2]] { _ = try await guest.welcome() }
      try await ann.lobby(of: [])
      // Nobody is left: nothing happens, and nothing is refused.
      try ann.send(.admit(.all))
      try ann.send(.deny(.all))
      for message in try await ann.drain() { if case .error = message { Issue.record("\(message)") } }
      #expect(!server.logged.text.contains("Cem"))
      for client in [ann, guests[0], guests[2]] { await client.close() }
    }
  }

  @Test("threat 33: a guest hears nothing of the lobby, and can't admit, deny or lock")
  func hostsOnly() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .invited)
      let (ann, _) = try await server.lobbyHost("board")
      let (bob, _) = try await server.join("board", "Bob", token: try await server.token("board"))
      let (eve, _) = try await server.knock("board", "Eve")
      let id = try #require(try await ann.lobby(of: ["Eve"]).waiting.first?.id)
      let attempts: [ClientMessage] = [.admit(.all), .admit(.some([id])), .deny(.all), .lock(true)]
      for attempt in attempts {
        try bob.send(attempt)
        #expect(try await bob.error() == (.notAllowed, false))
      }
      for message in try await bob.drain() { #expect(!"\(message)".contains("Eve") && !"\(message)".contains(id)) }
      #expect(try await eve.drain().isEmpty)
      let (cem, answer) = try await server.knock("board", "Cem")
      #expect(answer == .waiting(reason: .lobby, seconds: 1_800), "it is not locked")
      for client in [ann, bob, cem, eve] { await client.close() }
    }
  }

  @Test("a person who waits too long is sent away, and hosts see that and every leave")
  func endings() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("brief", .locked, lobby: LobbySettings(timeout: .seconds(1)))
      let (bob, answer) = try await server.knock("brief", "Bob")
      #expect(answer == .waiting(reason: .lobby, seconds: 1))
      #expect(try await bob.error() == (.lobbyTimeout, true))
      #expect(try await bob.next() == nil)

      try await server.makeMeeting("board", .locked)
      let (ann, _) = try await server.lobbyHost("board")
      let (cem, _) = try await server.knock("board", "Cem")
      let (dan, _) = try await server.knock("board", "Dan")
      try await ann.lobby(of: ["Cem", "Dan"])
      try cem.send(.leave)
      while try await cem.next() != nil {}
      try await ann.lobby(of: ["Dan"])
      await dan.close()
      try await ann.lobby(of: [])
      await ann.close()
    }
  }

  @Test("a room with only a lobby is open, costs no media, and closes when it is empty")
  func onlyWaiting() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .everyone, lobby: LobbySettings(waitsForHost: true))
      let (bob, _) = try await server.knock("board", "Bob")
      func metric(_ name: String) async throws -> String? {
        let port = try #require(server.server.adminPort)
        let text = try await TestServer.request("GET", "http://localhost:\(port)/metrics").text
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.map(String.init)
      }
      #expect(try await metric("parley_meetings") == "parley_meetings 1")
      #expect(try await metric("parley_participants") == "parley_participants 0")
      #expect(try await metric("parley_knocks_total") == "parley_knocks_total 1")
      #expect(await server.media.calls.isEmpty)
      await bob.close()
      try await eventually {
        (try? await metric("parley_meetings")) == "parley_meetings 0" ? nil : "the meeting is still open"
      }
    }
  }

  @Test("before a host is there only hosts get in; then the access level decides")
  func waitForHost() async throws {
    try await TestServer.run { server in
      for (room, level) in [("open", AccessLevel.everyone), ("invited", .invited)] {
        try await server.makeMeeting(room, level, lobby: LobbySettings(waitsForHost: true))
        let (bob, first) = try await server.knock(room, "Bob")
        let (cem, second) = try await server.knock(room, "Cem", token: try await server.token(room))
        for answer in [first, second] { #expect(answer == .waiting(reason: .host, seconds: 1_800)) }
        let (ann, _) = try await server.join(room, "Ann", token: try await server.token(room, #","role":"organizer""#))
        _ = try await cem.welcome()
        if level == .everyone {
          _ = try await bob.welcome()
        } else {
          let reason = try await bob.first { if case .waiting(let reason, _) = $0 { reason } else { nil } }
          #expect(reason == .lobby)
          try await ann.lobby(of: ["Bob"])
          try ann.send(.admit(.all))
          _ = try await bob.welcome()
        }
        // A participant stays when the host goes; the next one to come waits for one again.
        try ann.send(.leave)
        while try await ann.next() != nil {}
        _ = try await bob.drain()
        let (dan, answer) = try await server.knock(room, "Dan", token: try await server.token(room))
        guard case .waiting(.host, _) = answer else { throw Unexpected(answer) }
        for client in [bob, cem, dan] { await client.close() }
      }
    }
  }

  @Test("a locked meeting admits only hosts until it is unlocked, and reconnects succeed")
  func locking() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.lobbyHost("daily")
      let (bob, hello) = try await server.join("daily", "Bob")
      try ann.send(.lock(true))
      #expect(try await ann.lobby() == LobbyInfo(waiting: [], locked: true))
      for token in [nil, try await server.token("daily")] {
        let (client, answer) = try await server.knock("daily", "Eve", token: token)
        guard case .error(.meetingLocked, _, true, _) = answer else { throw Unexpected(answer) }
        #expect(try await client.next() == nil)
      }
      let (second, _) = try await server.join(
        "daily", "Zoe", token: try await server.token("daily", #","role":"moderator""#))
      #expect(try await second.lobby().locked)
      await bob.close()
      let back = try await server.connect()
      try back.send(.resume(token: hello.resumeToken))
      _ = try await back.first { if case .resumed = $0 { true } else { nil } }
      try second.send(.lock(false))
      _ = try await ann.first { if case .lobby(let info) = $0, !info.locked { true } else { nil } }
      let (eve, _) = try await server.join("daily", "Eve")
      for client in [ann, back, second, eve] { await client.close() }
    }
  }

  @Test("a host who resumes a session is notified of the lobby again")
  func hostResumes() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let (ann, welcome) = try await server.join(
        "board", "Ann", token: try await server.token("board", #","role":"moderator""#))
      await ann.close()
      let (eve, answer) = try await server.knock("board", "Eve")
      guard case .waiting(.lobby, _) = answer else { throw Unexpected(answer) }
      let back = try await server.connect()
      try back.send(.resume(token: welcome.resumeToken))
      try await back.lobby(of: ["Eve"])
      for client in [back, eve] { await client.close() }
    }
  }

  @Test("threat 26: admission reserves in one step; at capacity one waits on")
  func capacity() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked, capacity: 2)
      let (ann, _) = try await server.lobbyHost("board")
      let (bob, _) = try await server.knock("board", "Bob")
      let (cem, _) = try await server.knock("board", "Cem")
      try await ann.lobby(of: ["Bob", "Cem"])
      // The place is taken although the media plane has not answered yet.
      await server.media.hold()
      try ann.send(.admit(.all))
      #expect(try await ann.error() == (.meetingFull, false))
      try ann.send(.admit(.all))
      #expect(try await ann.error() == (.meetingFull, false))
      let (zoe, answer) = try await server.knock(
        "board", "Zoe", token: try await server.token("board", #","role":"moderator""#))
      guard case .error(.meetingFull, _, true, _) = answer else { throw Unexpected(answer) }
      // Twice the host found no place for somebody, once somebody found none on joining.
      #expect(try await server.metrics().contains("parley_limited_total{limit=\"capacity\"} 3\n"))
      await server.media.release()
      _ = try await bob.welcome()
      #expect(try await cem.drain().isEmpty)
      try bob.send(.leave)
      while try await bob.next() != nil {}
      _ = try await ann.drain()
      try ann.send(.admit(.all))
      _ = try await cem.welcome()
      for client in [ann, cem, zoe] { await client.close() }
    }
  }

  @Test("a host's arrival admits as many as fit, and tells the others that it is full")
  func fullOnceTheHostCame() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", capacity: 2, lobby: LobbySettings(waitsForHost: true))
      let (bob, first) = try await server.knock("board", "Bob")
      let (cem, second) = try await server.knock("board", "Cem")
      for answer in [first, second] { #expect(answer == .waiting(reason: .host, seconds: 1_800)) }
      let (ann, _) = try await server.lobbyHost("board")
      _ = try await bob.welcome()
      let refusal = try await cem.next()
      guard case .error(.meetingFull, let text, true, _) = refusal else { throw Unexpected(refusal) }
      #expect(text.contains("(capacity)"))
      #expect(try await cem.next() == nil, "the socket is closed")
      #expect(try await server.metrics().contains("parley_limited_total{limit=\"capacity\"} 1\n"))
      // Cem has neither taken a place nor left one behind.
      try bob.send(.leave)
      while try await bob.next() != nil {}
      let (dan, _) = try await server.join("board", "Dan")
      for client in [ann, dan] { await client.close() }
    }
  }

  @Test("a person who leaves during admission leaves no participant behind")
  func departure() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked, capacity: 2)
      let (ann, _) = try await server.lobbyHost("board")
      for isLost in [true, false] {
        let (bob, _) = try await server.knock("board", "Bob")
        try await ann.lobby(of: ["Bob"])
        await server.media.hold()
        try ann.send(.admit(.all))
        try await eventually { await server.media.isWaiting ? nil : "nobody is being let in" }
        if !isLost { try bob.send(.leave) }
        await bob.close()
        try await eventually {
          server.logged.text.components(separatedBy: "left.entering").count > (isLost ? 1 : 2)
            ? nil : "the server has not noticed that Bob is gone"
        }
        await server.media.release()
        try await eventually {
          await server.media.connected.count == 1 ? nil : "\(await server.media.connected) have a connection"
        }
      }
      let (cem, _) = try await server.knock("board", "Cem")
      try await ann.lobby(of: ["Cem"])
      try ann.send(.admit(.all))
      let welcome = try await cem.welcome()
      #expect(welcome.participants.map(\.name) == ["Ann", "Cem"])
      for client in [ann, cem] { await client.close() }
    }
  }

  @Test("people in the lobby take no quota, and learn of it only when admitted")
  func quota() async throws {
    try await TestServer.run { server in
      try await server.setPolicy {
        $0.accessLevel = .locked
        $0.maximumParticipants = 1
      }
      let (ann, _) = try await server.lobbyHost("daily")
      let (bob, answer) = try await server.knock("daily", "Bob")
      #expect(answer == .waiting(reason: .lobby, seconds: 1_800))
      try await ann.lobby(of: ["Bob"])
      try ann.send(.admit(.all))
      #expect(try await bob.error() == (.quotaReached, true))
      #expect(try await server.metrics().contains("parley_limited_total{limit=\"maximumParticipants\"} 1\n"))
      // The place that was reserved is free again, and the room goes on.
      try await server.setPolicy { $0.maximumParticipants = 2 }
      let (cem, _) = try await server.knock("daily", "Cem")
      try await ann.lobby(of: ["Cem"])
      try ann.send(.admit(.all))
      _ = try await cem.welcome()
      for client in [ann, cem] { await client.close() }
    }
  }

  @Test("an offer that cannot be taken is refused when its sender is let in, not before")
  func badOffer() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let (ann, _) = try await server.lobbyHost("board")
      let (bob, _) = try await server.knock("board", "Bob", offer: "bad")
      try await ann.lobby(of: ["Bob"])
      try ann.send(.admit(.all))
      #expect(try await bob.error() == (.badOffer, true))
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("the meeting says whether comings and goings are announced, as it was made")
  func announcements() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("quiet", lobby: LobbySettings(announces: false))
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, quiet) = try await server.join("quiet", "Bob")
      #expect(hello.meeting.announces == true && quiet.meeting.announces == false)
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("an ad-hoc meeting that isn't open comes with its organiser's token, enforced")
  func adHoc() async throws {
    try await TestServer.run { server in
      let answer = try await server.post(
        "/GetAdhocMeetingJob", "Subject=s&AccessLevel=Locked&EntryExitAnnouncement=Disabled")
      let values = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String])
      let room = try #require(values["JoinUrl"]?.split(separator: "/").last.map(String.init))
      let (bob, first) = try await server.knock(room, "Bob")
      #expect(first == .waiting(reason: .lobby, seconds: 1_800))
      let (ann, welcome) = try await server.join(room, "Ann", token: values["OrganizerToken"])
      #expect(welcome.meeting.announces == false)
      try await ann.lobby(of: ["Bob"])
      try ann.send(.admit(.all))
      _ = try await bob.welcome()
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("threat 25: a token revoked in the lobby isn't let in, nor after the removal")
  func revokedMeanwhile() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let (ann, _) = try await server.lobbyHost("board")
      let store = try await server.store()
      let tenant = try await store.defaultTenant(now: Date())
      for isRemoved in [false, true] {
        let name = isRemoved ? "two" : "one"
        let token = try await server.token("board", #","jti":"\#(name)""#)
        let (bob, first) = try await server.knock("board", name, token: token)
        #expect(first == .waiting(reason: .lobby, seconds: 1_800))
        try await ann.lobby(of: [name])
        try await store.revoke(TokenID(rawValue: name), tenant: tenant.id, expires: Date() + 3_600)
        if isRemoved {
          let meeting = try #require(try await store.meeting(room: try RoomName("board"), tenant: tenant.id))
          #expect(try await store.transaction { try $0.removeMeeting(meeting.id) })
        }
        try ann.send(.admit(.all))
        let answer = try await bob.error()
        #expect(answer.code == .badToken && answer.fatal)
      }
      await store.close()
      await ann.close()
    }
  }

  @Test(
    "the lobby has a limit, as offers have, and the meeting's end tells all in it",
    arguments: [(0, LobbyInfo.maximumWaiting), (256 << 10, Lobby.maximumOfferBytes / (256 << 10))])
  func bounds(offer bytes: Int, most: Int) async throws {
    let offer = String(repeating: "x", count: bytes)
    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    let record = MeetingRecord(
      tenant: tenant.id, room: .random(), kind: .named, subject: "", accessLevel: .locked, created: Date())
    let counters = ServerCounters()
    let room = MeetingRoom(
      record: record, url: "", media: TestMediaPlane(), limits: .init(), counters: counters,
      log: Log(level: .error) { _ in }, onLeft: { _ in }, onLobby: { _, _ in })
    let grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: .publisher, expires: .distantFuture)
    let admission = Admission(meeting: record, tenant: tenant, grant: grant)
    var sockets: [LobbySocket] = []
    func knock() async throws {
      let socket = LobbySocket()
      sockets.append(socket)
      let entry = try await room.join(
        .init(
          admission: admission, name: "N", origin: nil, join: .init(token: "", name: "N", offer: offer, tracks: []),
          channel: SignalingChannel(socket: socket)))
      #expect(entry == .waits(.lobby))
    }
    for _ in 0..<most { try await knock() }
    await #expect(throws: MeetingRoom.Refusal.lobbyFull) { try await knock() }
    await room.end(.shutdown, "The server is shutting down.")
    for socket in sockets.prefix(most) {
      #expect(socket.sent.last?.contains(#""reason":"shutdown""#) == true)
    }
  }
}

/// A socket that keeps what is sent.
private final class LobbySocket: SignalingSocket {
  private let lines = TestServer.LogLines()
  var sent: [Substring] { lines.text.split(separator: "\n") }
  func next() async -> SignalingFrame? { nil }
  func send(_ text: String) { lines.add(text + "\n") }
  func close(code: UInt16, reason: String) {}
}
