import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Meetings whose server was killed", .serialized)
struct RestartTests {
  private func kill(
    _ configure: @escaping (inout ServerConfiguration) -> Void = { _ in },
    after before: (TestServer) async throws -> Void, then after: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.kill(configure, after: before, then: after)
  }

  private func say(_ text: String, _ client: TestClient, to: String? = nil) async throws -> ChatEntry {
    try client.send(.chat(text: text, to: to))
    return try await client.first { if case .chat(let entry) = $0, entry.text == text { entry } else { nil } }
  }

  private func lock(_ isLocked: Bool, _ host: TestClient) async throws {
    try host.send(.lock(isLocked, id: -1))
    _ = try await host.notice { if case .done(-1) = $0 { true } else { nil } }
  }

  private func sending(_ name: String, _ user: String, _ server: TestServer) async throws -> (
    client: TestClient, welcome: ServerMessage.Welcome
  ) {
    let token = try await server.token("daily", #","sub":"\#(user)","role":"publisher""#)
    return try await server.join(
      "daily", name, offer: "send:0", tracks: [.init(mid: "0", source: .microphone)], token: token)
  }

  /// Whether a host has muted what somebody sends.
  private func isMuted(_ welcome: ServerMessage.Welcome) -> Bool {
    welcome.participants.first { $0.id == welcome.participant }?.publications.first?.mutedByHost == true
  }

  @Test(
    "threat 33: after kill -9 a lock, a demotion and the mute of all still hold"
  )
  func decisions() async throws {
    var (ann, max) = ("", "")
    try await kill { server in
      ann = try await server.token("daily", #","sub":"ann","role":"moderator""#)
      max = try await server.token("daily", #","sub":"max","role":"moderator""#)
      let (host, _) = try await server.join("daily", "Ann", token: ann)
      let (_, demoted) = try await server.join("daily", "Max", token: max)
      let (_, bob) = try await sending("Bob", "bob", server)
      let (_, dan) = try await sending("Dan", "dan", server)
      try await host.ask(.setRole(demoted.participant, role: "guest"))
      try await host.ask(
        .muteAll(
          sources: [.microphone], except: [bob.participant],
          exceptTracks: [TrackReference(participant: dan.participant, source: .microphone)], includingLater: true,
          mayUnmute: false))
      try await host.ask(.spotlight(bob.participant))
      try await lock(true, host)
    } then: { server in
      // Each of them opens the room again, and leaves it empty.
      for _ in 0..<2 {
        let token = try await server.discover("daily").token ?? ""
        #expect(try await server.refused("daily", token) == .meetingLocked)
      }
      #expect(try await server.refused("daily", max) == .meetingLocked)
      let (host, hello) = try await server.join("daily", "Ann", token: ann)
      #expect(hello.state?.muteAll == .init(sources: [.microphone], mayUnmute: false) && hello.state?.spotlight == nil)
      #expect(try await server.refused("daily", max) == .meetingLocked)
      try await lock(false, host)
      let (_, guest) = try await server.join("daily", "Max", token: max)
      #expect(guest.permissions?.contains("moderate") == false)
      #expect(guest.participants.first { $0.name == "Max" }?.role == "guest")
      let bob = try await sending("Bob", "bob", server)
      let dan = try await sending("Dan", "dan", server)
      #expect(!isMuted(bob.welcome) && !isMuted(dan.welcome))
      // The person who was shown large is so again.
      let shown = try await host.notice { if case .spotlight(let id) = $0 { id } else { nil } }
      #expect(shown == bob.welcome.participant)
      let eve = try await sending("Eve", "eve", server)
      #expect(isMuted(eve.welcome))
    }
  }

  @Test(
    "after kill -9 the chat is there with its changes and files, private for its two")
  func chat() async throws {
    let bytes = [UInt8](repeating: 7, count: 3_000)
    var (ann, bob, last) = ("", "", 0)
    func fetch(_ server: TestServer, _ file: ChatFile, _ token: String) async throws -> TestAnswer {
      try await server.get("/api/chat/files/\(file.id)", headers: ["Authorization": "Bearer \(token)"])
    }
    try await kill { server in
      ann = try await server.token("daily", #","sub":"ann","role":"publisher""#)
      bob = try await server.token("daily", #","sub":"bob","role":"publisher""#)
      let (client, welcome) = try await server.join("daily", "Ann", token: ann)
      let (_, other) = try await server.join("daily", "Bob", token: bob)
      _ = try await say("one", client)
      let two = try await say("two", client)
      let three = try await say("three", client)
      _ = try await say("secret", client, to: other.participant)
      try await client.ask(.chat(.edit(two.id, text: "zwei")))
      try await client.ask(.chat(.delete(three.id)))
      for to in [nil, other.participant] {
        var headers: HTTPHeaders = ["Parley-File-Name": "a.bin", "Authorization": "Bearer \(welcome.resumeToken)"]
        if let to { headers["Parley-File-To"] = to }
        let answer = try await TestServer.request("POST", server.url + "/api/chat/files", headers, bytes)
        #expect(answer.status == 201)
        last = try #require(try SignalingDecoder().decode([String: ChatEntry].self, from: answer.body)["message"]).id
      }
    } then: { server in
      let (_, eve) = try await server.join("daily", "Eve")
      #expect(eve.chat.map(\.text) == ["one", "zwei", "", "a.bin"])
      #expect(eve.chat.dropFirst().first?.edited != nil && eve.chat.map(\.deleted)[2] == .author)
      let (_, reader) = try await server.join("daily", "Bob", token: bob)
      #expect(reader.chat.map(\.text) == ["one", "zwei", "", "secret", "a.bin", "a.bin"])
      let files = reader.chat.compactMap(\.file)
      try #require(files.count == 2)
      #expect(try await fetch(server, files[0], eve.resumeToken).body == bytes)
      #expect(try await fetch(server, files[1], reader.resumeToken).body == bytes)
      #expect(try await fetch(server, files[1], eve.resumeToken).status == 404)
      // Their role is theirs again.
      let (client, welcome) = try await server.join("daily", "Ann", token: ann)
      #expect(welcome.chat.filter { $0.from == welcome.participant }.count == 6)
      try await client.ask(.chat(.edit(welcome.chat[0].id, text: "uno")))
      try await client.ask(.chat(.delete(reader.chat[4].id)))
      #expect(try await fetch(server, files[0], welcome.resumeToken).status == 404)
      #expect(try await say("later", client).id > last)
      #expect(try await server.look("daily").chat.map(\.text) == ["uno", "zwei", "", "", "later"])
    }
  }

  @Test("after kill -9 nobody gets the votes or spotlight of others with the same link")
  func sharedLink() async throws {
    var (link, own, twice, host) = ("", "", "", "")
    func sending(_ server: TestServer, _ name: String, _ token: String) async throws -> (
      client: TestClient, welcome: ServerMessage.Welcome
    ) {
      try await server.join(
        "daily", name, offer: "send:0", tracks: [.init(mid: "0", source: .microphone)], token: token)
    }
    try await kill { server in
      link = try await server.token("daily", #","jti":"link","role":"publisher""#)
      own = try await server.token("daily", #","jti":"own","role":"publisher""#)
      twice = try await server.token("daily", #","sub":"dan","role":"publisher""#)
      host = try await server.token("daily", #","sub":"ann","role":"moderator""#)
      let (ann, _) = try await server.join("daily", "Ann", token: host)
      try await ann.ask(.createPoll(.init(question: "Tea?", options: ["yes", "no"])))
      let (bob, bobs) = try await sending(server, "Bob", link)
      // Here the link has one holder still.
      try await bob.ask(.vote(poll: 1, options: [0]))
      try await ann.ask(
        .muteAll(sources: [.microphone], except: [bobs.participant], includingLater: true, mayUnmute: false))
      try await ann.ask(.spotlight(bobs.participant))
      let (cid, _) = try await sending(server, "Cid", link)
      try await cid.ask(.vote(poll: 1, options: [0]))
      for token in [own, twice, twice] {
        let (client, _) = try await server.join("daily", "Dan", token: token)
        try await client.ask(.vote(poll: 1, options: [1]))
      }
    } then: { server in
      let (_, hello) = try await server.join("daily", "Ann", token: host)
      #expect(hello.state?.polls.first?.options.map(\.votes) == [0, 0])
      let (cid, cids) = try await sending(server, "Cid", link)
      #expect(isMuted(cids) && cids.state?.spotlight == nil)
      try await cid.ask(.vote(poll: 1, options: [0]))
      let (bob, bobs) = try await sending(server, "Bob", link)
      #expect(isMuted(bobs) && bobs.state?.spotlight == nil)
      try await bob.ask(.vote(poll: 1, options: [0]))
      // A person who was there twice counts once, and one with a token alone is known by it.
      for token in [own, twice] {
        let (client, _) = try await server.join("daily", "Dan", token: token)
        try await client.ask(.vote(poll: 1, options: [1]))
      }
      #expect(try await server.look("daily").state?.polls.first?.options.map(\.votes) == [2, 2])
    }
  }

  @Test(
    "after kill -9 a meeting a host had ended begins afresh, without lock or chat")
  func ended() async throws {
    try await kill { server in
      let (host, welcome) = try await server.host("daily", "Ann")
      _ = try await say("one", host)
      let headers: HTTPHeaders = ["Parley-File-Name": "a.bin", "Authorization": "Bearer \(welcome.resumeToken)"]
      #expect(try await TestServer.request("POST", server.url + "/api/chat/files", headers, [1, 2]).status == 201)
      try await lock(true, host)
      try await host.ask(.endMeeting)
    } then: { server in
      let (_, welcome) = try await server.join("daily", "Eve")
      #expect(welcome.chat.isEmpty)
      let all = FileManager.default.enumerator(atPath: server.folder + "/data/chat-files")
      let files = (all?.compactMap { $0 as? String } ?? []).filter { $0.contains("/f_") }
      #expect(files.isEmpty)
    }
  }

  @Test(
    "the administration ends and removes an orphaned meeting before anybody is back",
    arguments: [false, true])
  func endedBefore(isRemoved: Bool) async throws {
    var id = ""
    try await kill { server in
      let (host, welcome) = try await server.host("daily", "Ann")
      id = welcome.meeting.id
      _ = try await say("one", host)
      let headers: HTTPHeaders = ["Parley-File-Name": "a.bin", "Authorization": "Bearer \(welcome.resumeToken)"]
      #expect(try await TestServer.request("POST", server.url + "/api/chat/files", headers, [1, 2]).status == 201)
      try await lock(true, host)
    } then: { server in
      let admin = "http://127.0.0.1:\(server.server.adminPort ?? 0)/api/v1/meetings/\(id)"
      func end() async throws -> Int {
        if isRemoved { return try await TestServer.request("DELETE", admin).status }
        return try await TestServer.request("POST", admin + "/end", ["Content-Type": "application/json"], []).status
      }
      #expect(try await end() == 204)
      let store = try await server.store()
      #expect(try await store.runningMeeting(MeetingID(rawValue: id)) == nil)
      await store.close()
      #expect(try await end() == (isRemoved ? 404 : 409))
      let all = FileManager.default.enumerator(atPath: server.folder + "/data/chat-files")
      let files = (all?.compactMap { $0 as? String } ?? []).filter { $0.contains("/f_") }
      #expect(files.isEmpty)
      #expect(try await server.look("daily").chat.isEmpty)
    }
  }

  @Test("a failed start takes over no orphaned meeting, nor another server's")
  func failedStart() async throws {
    try await TestServer.run { server in
      func start(_ folder: String) async {
        var configuration = ServerConfiguration(workers: 1)
        (configuration.port, configuration.dataFolder) = (server.server.port, folder)
        configuration.webFolder = server.folder + "/web"
        await #expect(throws: ServerError.self) {
          _ = try await Server.start(
            configuration, media: TestMediaPlane(), program: "", log: Log(level: .error) { _ in })
        }
      }
      let (host, welcome) = try await server.host("daily", "Ann")
      try await lock(true, host)
      let left = server.folder + "/left"
      try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
      for name in TestServer.leftFiles where FileManager.default.fileExists(atPath: server.folder + "/data/" + name) {
        try FileManager.default.copyItem(atPath: server.folder + "/data/" + name, toPath: left + "/" + name)
      }
      let id = MeetingID(rawValue: welcome.meeting.id)
      let later = Date() + 1_800
      // The ten minutes begin with the start that works.
      await start(left)
      let store = try await MeetingStores.open(folder: left)
      #expect(try await store.orphanedMeetings(now: later).map(\.meeting) == [id])
      #expect(try await store.expireOrphans(now: later + 599, except: []).isEmpty)
      await store.close()
      await start(server.folder + "/data")
      let other = try await server.store()
      #expect(try await other.orphanedMeetings(now: later).isEmpty)
      await other.close()
    }
  }

  @Test("a meeting to which people came back ends as any other, with what was kept of it")
  func endedLater() async throws {
    try await kill { server in
      let (host, _) = try await server.host("daily", "Ann", claims: #","sub":"ann""#)
      _ = try await say("one", host)
      try await lock(true, host)
    } then: { server in
      let (host, welcome) = try await server.host("daily", "Ann", claims: #","sub":"ann""#)
      #expect(welcome.chat.map(\.text) == ["one"])
      let store = try await server.store()
      let id = MeetingID(rawValue: welcome.meeting.id)
      #expect(try await store.runningMeeting(id) != nil)
      try host.send(.leave)
      while try await host.next() != nil {}
      try await eventually { try await store.runningMeeting(id) == nil ? nil : "the ended meeting is kept" }
      await store.close()
      let (_, eve) = try await server.join("daily", "Eve")
      #expect(eve.chat.isEmpty)
    }
  }

  @Test(
    "without history none of the chat is on the disk, nor after that becomes the rule"
  )
  func noHistory() async throws {
    try await TestServer.run { server in
      let (ann, welcome) = try await server.join("daily", "Ann")
      let id = MeetingID(rawValue: welcome.meeting.id)
      _ = try await say("one", ann)
      let store = try await server.store()
      func kept() async throws -> Int { try await store.runningMeeting(id)?.messages.count ?? 0 }
      #expect(try await kept() == 1)
      func change(_ rules: String) async throws {
        let admin = "http://127.0.0.1:\(server.server.adminPort ?? 0)/api/v1/meetings/\(id)"
        let headers: HTTPHeaders = ["Content-Type": "application/json"]
        #expect(try await TestServer.request("PATCH", admin, headers, Array(rules.utf8)).status == 200)
      }
      try await change(#"{"chatHistory":false}"#)
      try await eventually { try await kept() == 0 ? nil : "the message is kept" }
      _ = try await say("two", ann)
      #expect(try await kept() == 0)
      try await change(#"{"chatHistory":true}"#)
      try await eventually { try await kept() == 2 ? nil : "what everybody may read is not kept" }
      await store.close()
    }
  }

  @Test("state beyond the meeting's rules goes from the disk as well")
  func bounds() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.chat = ChatPolicy(maximumMessages: 2) }
      let (ann, welcome) = try await server.join("daily", "Ann")
      for text in ["one", "two", "three", "four"] { _ = try await say(text, ann) }
      let store = try await server.store()
      try await eventually {
        let kept = try await store.runningMeeting(MeetingID(rawValue: welcome.meeting.id))?.messages.count
        return kept == 2 ? nil : "\(String(describing: kept)) messages are kept"
      }
      await store.close()
    }
  }
}
