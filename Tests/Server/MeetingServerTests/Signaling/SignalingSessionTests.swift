import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Signalling sessions", .serialized)
struct SignalingSessionTests {
  private let camera = [TrackDescription(mid: "0", source: .camera)]

  @Test("a participant is welcomed, others are told, and slots carry what is published")
  func joining() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0 audio:1 video:2", tracks: camera)
      #expect(hello.participants.map(\.name) == ["Ann"])
      #expect(hello.answer == "answer to send:0 audio:1 video:2")
      #expect(hello.slots == [SlotInfo(mid: "1"), SlotInfo(mid: "2")])
      #expect(hello.resumeWindow == 30)
      #expect(hello.meeting.url == server.url + "/daily")
      let mine = try #require(hello.participants.first?.publications.first)
      #expect(mine.kind == .video && mine.source == .camera)

      let (bob, welcome) = try await server.join(
        "daily", "Bob", offer: "send:a video:b",
        tracks: [.init(mid: "a", source: .microphone, muted: true), .init(mid: "nowhere", source: .screen)])
      #expect(welcome.participants.map(\.name) == ["Ann", "Bob"])
      #expect(welcome.slots == [SlotInfo(mid: "b", publication: mine.id, participant: hello.participant)])
      // A track without an m-section is not published.
      #expect(welcome.participants.last?.publications.map(\.source) == [.microphone])
      #expect(welcome.participants.last?.publications.first?.muted == true)

      let joined = try await ann.first { if case .participantJoined(let who) = $0 { who } else { nil } }
      #expect(joined == welcome.participants.last)
      let slots = try await ann.first { if case .slots(let slots) = $0 { slots } else { nil } }
      #expect(slots.first == SlotInfo(mid: "1", publication: joined.publications[0].id, participant: joined.id))
      try await eventually {
        await server.media.calls.contains(
          .assign(hello.participant, [.init(mid: "1", publication: PublicationID(rawValue: joined.publications[0].id))])
        )
          ? nil : "the media plane was not told"
      }
      try bob.send(.leave)
      #expect(try await bob.next() == nil)
      let left = try await ann.first { if case .participantLeft(let id, let why) = $0 { (id, why) } else { nil } }
      #expect(left == (joined.id, .left))
      let emptied = try await ann.first { if case .slots(let slots) = $0 { slots } else { nil } }
      #expect(emptied.first == SlotInfo(mid: "1"))
      await ann.close()
    }
  }

  @Test("mute, rename, chat, ping and a new offer do what the protocol says")
  func messages() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0 video:2", tracks: camera)
      let (bob, _) = try await server.join("daily", "Bob", offer: "video:b")
      _ = try await ann.drain()
      let publication = try #require(hello.participants.first?.publications.first)

      try ann.send(.mute(mid: "0", muted: true))
      let updated = try await bob.first { if case .publicationUpdated(_, let info) = $0 { info } else { nil } }
      #expect(updated.id == publication.id && updated.muted)
      try ann.send(.mute(mid: "9", muted: true))
      #expect(try await ann.error() == (.badMessage, false))

      try ann.send(.rename(name: " An\u{202E}na "))
      let renamed = try await bob.first { if case .participantUpdated(let who) = $0 { who } else { nil } }
      #expect(renamed.name == "Anna")
      try ann.send(.rename(name: "\n"))
      #expect(try await ann.error() == (.badName, false))

      try ann.send(.chat(text: "<b>hello</b>", to: nil))
      for client in [ann, bob] {
        let entry = try await client.first { if case .chat(let entry) = $0 { entry } else { nil } }
        #expect(entry.text == "<b>hello</b>" && entry.name == "Anna" && entry.from == hello.participant)
      }
      try ann.send(.chat(text: String(repeating: "x", count: 4_001), to: nil))
      #expect(try await ann.error() == (.badMessage, false))
      try ann.send(.chat(text: "x", to: "p_nobody"))
      #expect(try await ann.error() == (.badMessage, false))
      try ann.send(.chat(text: "x", to: "p_nobody", id: 12))
      let unsaid = try await ann.first { if case .error(_, _, _, let id) = $0 { (true, id) } else { nil } }
      #expect(unsaid.1 == 12, "a refused chat message is named by its number")

      try ann.send(
        .offer(
          .init(
            id: 7, offer: "send:0 send:3 video:2",
            tracks: camera + [.init(mid: "3", source: .screen)])))
      let answer = try await ann.first {
        if case .answer(let id, let answer, _, let own) = $0 { (id, answer, own ?? []) } else { nil }
      }
      #expect((answer.0, answer.1) == (7, "answer to send:0 send:3 video:2"))
      let screen = try await bob.first { if case .published(_, let info) = $0 { info } else { nil } }
      #expect(screen.source == .screen)
      // The sender learns from the answer what is published of its own; the camera is as old as it was.
      let before = try #require(hello.participants.first { $0.id == hello.participant }).publications
      #expect(answer.2 == before + [screen])
      #expect((screen.created ?? .distantPast) >= (before.first?.created ?? .distantFuture))
      // One slot, two pictures: the shared screen matters more, and another slot is asked for.
      let slots = try await bob.first { if case .slots(let slots) = $0 { slots } else { nil } }
      #expect(slots == [SlotInfo(mid: "b", publication: screen.id, participant: hello.participant)])
      let need = try await bob.first { if case .needSlots(let audio, let video) = $0 { [audio, video] } else { nil } }
      #expect(need == [0, 2])
      // The same camera keeps its publication.
      try ann.send(.offer(.init(id: 8, offer: "send:0", tracks: camera)))
      let gone = try await bob.first { if case .unpublished(_, let id, nil) = $0 { id } else { nil } }
      #expect(gone == screen.id)
      try ann.send(.offer(.init(id: 9, offer: "bad", tracks: camera)))
      let refused = try await ann.first { message -> [Int]? in
        if case .error(.badOffer, _, false, let id?) = message { [id] } else { nil }
      }
      #expect(refused == [9])
      await ann.close()
      await bob.close()
    }
  }

  @Test("a private message reaches its two ends; later participants' history lacks it")
  func privateChat() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, _) = try await server.join("daily", "Bob")
      let (eve, _) = try await server.join("daily", "Eve")
      try ann.send(.chat(text: "all", to: nil))
      try bob.send(.chat(text: "secret", to: hello.participant))
      _ = try await ann.first { if case .chat(let entry) = $0, entry.text == "secret" { entry } else { nil } }
      #expect(
        try await eve.drain().allSatisfy { if case .chat(let entry) = $0 { entry.text != "secret" } else { true } })
      let (_, welcome) = try await server.join("daily", "Dan")
      #expect(welcome.chat.map(\.text) == ["all"])
      for client in [ann, bob, eve] { await client.close() }
    }
  }

  @Test("threat 29: a message's sender is the session's participant, whatever it claims")
  func forgedSender() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let (eve, welcome) = try await server.join("daily", "Eve")
      let victim = welcome.participants[0].id
      eve.send(
        text: #"{"type":"chat","text":"x","from":"\#(victim)","name":"Ann","id":99,"participant":"\#(victim)"}"#)
      let entry = try await ann.first { if case .chat(let entry) = $0 { entry } else { nil } }
      #expect(entry.from == welcome.participant && entry.name == "Eve" && entry.id != 99)
      await ann.close()
      await eve.close()
    }
  }

  @Test("a lost socket keeps the session; resume gives it back with the whole state")
  func resume() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0 video:1", tracks: camera)
      let (bob, _) = try await server.join("daily", "Bob", offer: "send:0 video:1", tracks: camera)
      await ann.close()
      let lost = try await bob.first { if case .participantUpdated(let who) = $0 { who } else { nil } }
      #expect(lost.connection == .reconnecting && lost.id == hello.participant)
      try bob.send(.chat(text: "while away", to: nil))
      // It is in the history once its sender has it back.
      _ = try await bob.first { if case .chat(let entry) = $0, entry.text == "while away" { entry } else { nil } }
      #expect(await server.media.connected.contains(hello.participant))

      let back = try await server.connect()
      try back.send(.resume(token: hello.resumeToken))
      let state = try await back.first { message -> ([ParticipantInfo], [SlotInfo], [ChatEntry])? in
        if case .resumed(let who, let slots, let chat, _, _) = message { (who, slots, chat) } else { nil }
      }
      #expect(state.0.map(\.name) == ["Ann", "Bob"])
      #expect(state.1.first?.publication != nil)
      #expect(state.2.map(\.text) == ["while away"])
      let found = try await bob.first { if case .participantUpdated(let who) = $0 { who } else { nil } }
      #expect(found.connection == .connected)
      try back.send(.chat(text: "back", to: nil))
      _ = try await bob.first { if case .chat(let entry) = $0, entry.text == "back" { entry } else { nil } }
      await back.close()
      await bob.close()
    }
  }

  @Test("after the resume window the participant leaves, and resume is refused")
  func windowPasses() async throws {
    try await TestServer.run({ $0.resumeWindow = .milliseconds(50) }) { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0", tracks: camera)
      let (bob, _) = try await server.join("daily", "Bob")
      await ann.close()
      let left = try await bob.first { if case .participantLeft(let id, let why) = $0 { (id, why) } else { nil } }
      #expect(left == (hello.participant, .timeout))
      let late = try await server.connect()
      try late.send(.resume(token: hello.resumeToken))
      #expect(try await late.error() == (.resumeExpired, true))
      #expect(try await late.next() == nil)
      try await eventually { await server.media.connected.contains(hello.participant) ? "media is still held" : nil }
      await bob.close()
    }
  }

  @Test("threat 26: a second socket takes over in one step; the first is told and closed")
  func duplicateSocket() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let second = try await server.connect()
      try second.send(.resume(token: hello.resumeToken))
      let ended = try await ann.first { if case .ended(let why, _) = $0 { why } else { nil } }
      #expect(ended == .replaced)
      #expect(try await ann.next() == nil)
      _ = try await second.first { if case .resumed = $0 { true } else { nil } }
      // The end of the first socket must not take the place from the second.
      _ = await ann.socket.closed()
      try second.send(.chat(text: "mine", to: nil))
      _ = try await second.first { if case .chat(let entry) = $0, entry.text == "mine" { true } else { nil } }
      await second.close()
    }
  }

  @Test("threat 26: of many who come at once, exactly as many get in as fit")
  func capacity() async throws {
    try await TestServer.run({ $0.maximumParticipants = 5 }) { server in
      let outcomes = try await withThrowingTaskGroup(of: SignalingErrorCode?.self) { group in
        for index in 0..<20 {
          group.addTask {
            let client = try await server.connect()
            let token = try await server.discover("crowd").token ?? ""
            try client.send(.join(.init(token: token, name: "N\(index)", offer: "", tracks: [])))
            return try await client.first { message -> SignalingErrorCode?? in
              switch message {
              case .welcome: .some(nil)
              case .error(let code, _, _, _): .some(code)
              default: nil
              }
            }
          }
        }
        return try await group.reduce(into: [SignalingErrorCode?]()) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == nil } == 5)
      #expect(outcomes.count { $0 == .meetingFull } == 15)
    }
  }

  @Test("threat 27: what is no message is refused; before joining it ends the socket")
  func damaged() async throws {
    try await TestServer.run { server in
      for (text, code) in [
        ("hello", SignalingErrorCode.badMessage), (#"{"type":"join","type":"leave"}"#, .badMessage),
        (#"{"type":"join"}"#, .badMessage), (#"{"type":"ping"}"#, .notAllowed),
        (#"{"x":"# + String(repeating: "[", count: 50) + String(repeating: "]", count: 50) + "}", .tooLarge),
      ] {
        let client = try await server.connect()
        client.send(text: text)
        #expect(try await client.error() == (code, true), "\(text)")
        #expect(try await client.next() == nil)
      }
      // An unknown type is never fatal, so that newer clients can try.
      let client = try await server.connect()
      client.send(text: #"{"type":"dance"}"#)
      #expect(try await client.error() == (.unknownType, false))
      await client.close()

      let (ann, _) = try await server.join("daily", "Ann")
      ann.send(text: "{")
      #expect(try await ann.error() == (.badMessage, false))
      ann.socket.send(binary: [1, 2, 3])
      #expect(try await ann.error() == (.badMessage, false))
      ann.send(text: #"{"type":"leave","a":1,"a":2}"#)
      #expect(try await ann.error() == (.badMessage, false))
      #expect(try await ann.drain().isEmpty)
      await ann.close()
    }
  }

  @Test("threat 27: a message of more than 256 KiB ends the socket without being kept")
  func oversized() async throws {
    try await TestServer.run { server in
      let client = try await server.connect()
      client.send(text: String(repeating: "x", count: 300_000))
      #expect(try await client.next() == nil)
      #expect(await client.socket.closed().code == 1_009)
    }
  }

  @Test("threat 27: a flood of messages ends the socket, and its client can resume")
  func flood() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      for _ in 0..<400 { try ann.send(.ping(time: nil)) }
      #expect(try await ann.error() == (.tooFast, true))
      let back = try await server.connect()
      try back.send(.resume(token: hello.resumeToken))
      _ = try await back.first { if case .resumed = $0 { true } else { nil } }
      await back.close()
    }
  }

  @Test("threat 27: a socket that says nothing is closed in time")
  func silent() async throws {
    let store = try await MeetingStores.open(folder: NSTemporaryDirectory() + "parley-silent-" + UUID().uuidString)
    let counters = ServerCounters()
    let log = Log(level: .error) { _ in }
    let service = SignalingService(
      authority: JoinAuthority(store: store),
      directory: MeetingDirectory(media: TestMediaPlane(), limits: .init(), counters: counters, log: log), store: store,
      counters: counters, log: log, joinTimeout: .milliseconds(20))
    let socket = RecordingSocket()
    await service.serve(
      socket, peer: .init(origin: nil, ownOrigin: try #require(WebOrigin("http://localhost"))))
    #expect(socket.sent.first?.contains("joinTimeout") == true)
    #expect(socket.sent.first?.contains(#""fatal":true"#) == true)
  }

  @Test("threat 28: a page of a foreign origin can neither join nor resume a session")
  func origins() async throws {
    try await TestServer.run { server in
      let token = try await server.discover("daily").token ?? ""
      for origin in ["https://evil.example", "null"] {
        let client = try await server.connect(origin: origin)
        try client.send(.join(.init(token: token, name: "Eve", offer: "", tracks: [])))
        #expect(try await client.error() == (.wrongOrigin, true))
      }
      let (ann, hello) = try await server.join("daily", "Ann", origin: server.url)
      let thief = try await server.connect(origin: "https://evil.example")
      try thief.send(.resume(token: hello.resumeToken))
      #expect(try await thief.error() == (.wrongOrigin, true))
      #expect(try await ann.drain().isEmpty)
      await ann.close()
    }
  }

  @Test("threat 24: a forged or foreign token is refused, and told nothing of the room")
  func tokens() async throws {
    try await TestServer.run { server in
      let good = try await server.discover("daily").token ?? ""
      for token in ["", "psat=", "psat=a.b.c", String(good.dropLast(2)), good.replacingOccurrences(of: ".", with: "")] {
        let client = try await server.connect()
        try client.send(.join(.init(token: token, name: "Eve", offer: "", tracks: [])))
        let only = try await client.next()
        guard case .error(.badToken, _, true, nil) = only else {
          Issue.record("\(String(describing: only))")
          continue
        }
        #expect(try await client.next() == nil)
      }
      #expect(await server.media.calls.isEmpty)
    }
  }

  @Test("a bad name, bad tracks or a bad offer are refused, and leave nothing behind")
  func badJoins() async throws {
    try await TestServer.run { server in
      for (name, offer, tracks, code) in [
        ("\n", "", [], SignalingErrorCode.badName), ("Ann", "bad", [], .badOffer),
        ("Ann", "", [camera[0], camera[0]], .badMessage),
        ("Ann", "", (0..<17).map { TrackDescription(mid: "\($0)", source: .camera) }, .badMessage),
      ] {
        let client = try await server.connect()
        let token = try await server.discover("daily").token ?? ""
        try client.send(.join(.init(token: token, name: name, offer: offer, tracks: tracks)))
        #expect(try await client.error() == (code, true))
      }
      #expect(await server.media.connected.isEmpty)
    }
  }

  @Test("media reports reach everybody: speakers, quality, and who lost the connection")
  func mediaEvents() async throws {
    try await TestServer.run({ $0.resumeWindow = .milliseconds(200) }) { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, welcome) = try await server.join("daily", "Bob")
      _ = try await ann.drain()
      await server.media.report(
        speakers: [.init(participant: hello.participant, level: 0.5), .init(participant: "p_x", level: 1)])
      let speakers = try await bob.first { if case .speakers(let levels) = $0 { levels } else { nil } }
      #expect(speakers.map(\.participant) == [hello.participant])
      await server.media.report(quality: [hello.participant: .poor])
      let quality = try await bob.first { if case .quality(let quality) = $0 { quality } else { nil } }
      #expect(quality == [hello.participant: .poor])
      // Media is lost while the socket lives: reported at once, gone after the window.
      await server.media.report(.lost(ParticipantID(rawValue: welcome.participant)))
      let lost = try await ann.first { if case .participantUpdated(let who) = $0 { who } else { nil } }
      #expect(lost.connection == .reconnecting && lost.id == welcome.participant)
      let left = try await ann.first { if case .participantLeft(let id, let why) = $0 { (id, why) } else { nil } }
      #expect(left == (welcome.participant, .timeout))
      #expect(try await bob.error() == (.resumeExpired, true))
      await ann.close()
    }
  }

  @Test("many connection qualities that change at once are one message with the newest")
  func qualityTogether() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, welcome) = try await server.join("daily", "Bob")
      _ = try await ann.drain()
      for quality in [ConnectionQuality.poor, .good] {
        for id in [hello.participant, welcome.participant] { await server.media.report(quality: [id: quality]) }
      }
      let quality = try await ann.first { if case .quality(let quality) = $0 { quality } else { nil } }
      #expect(quality == [hello.participant: .good, welcome.participant: .good])
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a receiver alone is told which of its video is paused, why, and when it is over")
  func paused() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0", tracks: camera)
      let (bob, welcome) = try await server.join("daily", "Bob", offer: "video:9")
      let publication = try #require(welcome.slots.first?.publication)
      #expect(welcome.slots.first?.participant == hello.participant)
      for publications in [[publication], []] {
        await server.media.report(paused: publications, for: welcome.participant)
        let told: [String] = try await bob.first {
          if case .paused(let slots, .bandwidth) = $0 { slots } else { nil }
        }
        #expect(told == (publications.isEmpty ? [] : ["9"]))
      }
      // A video that comes back while the socket is down is reported when the session is resumed.
      await server.media.report(paused: [publication], for: welcome.participant)
      await bob.close()
      await server.media.report(paused: [], for: welcome.participant)
      // Once this is reported, the room has heard of all before it.
      await server.media.report(quality: [hello.participant: .poor])
      _ = try await ann.first { if case .quality = $0 { true } else { nil } }
      let back = try await server.connect()
      try back.send(.resume(token: welcome.resumeToken))
      let after: [String] = try await back.first { if case .paused(let slots, _) = $0 { slots } else { nil } }
      #expect(after.isEmpty)
      let others = try await ann.drain()
      #expect(others.allSatisfy { if case .paused = $0 { false } else { true } })
      for client in [ann, back] { await client.close() }
    }
  }

  @Test("a publication that a receiver cannot decode gives its slot to the next")
  func incompatible() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", offer: "send:0", tracks: camera)
      let (bob, hello) = try await server.join("daily", "Bob", offer: "send:0", tracks: camera)
      await server.media.refuse(slot: "9")
      let (eve, welcome) = try await server.join("daily", "Eve", offer: "video:9")
      let first = try #require(welcome.slots.first?.publication)
      let slots = try await eve.first { if case .slots(let slots) = $0 { slots } else { nil } }
      #expect(slots.first?.publication != first)
      #expect(slots.first?.publication == hello.participants.last?.publications.first?.id)
      for client in [ann, bob, eve] { await client.close() }
    }
  }

  @Test("a meeting ends for everybody when its time is over")
  func expiry() async throws {
    // Time to join on a busy machine; tokens count whole seconds.
    try await TestServer.run({ $0.meetingLifetime = .seconds(4) }) { server in
      let answer = try await server.post("/GetAdhocMeetingJob", "Subject=short")
      let values = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String]
      let room = try #require(values?["JoinUrl"]?.split(separator: "/").last)
      let (ann, _) = try await server.join(String(room), "Ann")
      let ended = try await ann.first { if case .ended(let why, _) = $0 { why } else { nil } }
      #expect(ended == .expired)
      #expect(try await ann.next() == nil)
      try await eventually { await server.media.connected.isEmpty ? nil : "media is still held" }
    }
  }

  @Test("an empty room is released, and opened again for the next participant")
  func emptyRoom() async throws {
    try await TestServer.run { server in
      for round in 0..<3 {
        let (ann, hello) = try await server.join("daily", "Ann")
        #expect(hello.participants.count == 1)
        try ann.send(.chat(text: "\(round)", to: nil))
        try ann.send(.leave)
        _ = await ann.socket.closed()
        try await eventually {
          await server.media.calls.count { if case .close = $0 { true } else { false } } == round + 1
            ? nil : "the room was not closed"
        }
        #expect(hello.chat.isEmpty)
      }
    }
  }
}

/// A socket that says nothing until it is closed, and keeps what it is sent.
private final class RecordingSocket: SignalingSocket {
  private let stream: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation
  private let lines = TestServer.LogLines()

  init() { (stream, end) = AsyncStream.makeStream(of: Void.self) }

  var sent: [String] { lines.text.split(separator: "\n").map(String.init) }
  func next() async -> SignalingFrame? {
    for await _ in stream {}
    return nil
  }
  func send(_ text: String) { lines.add(text + "\n") }
  func close(code: UInt16, reason: String) { end.finish() }
}
