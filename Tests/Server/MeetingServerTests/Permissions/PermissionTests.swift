import Foundation
import Meetings
import SFU
import Signaling
import TestSupport
import Testing

@testable import MeetingServer

@Suite("Permissions of participants", .serialized)
struct PermissionTests {
  private let microphone = TrackDescription(mid: "0", source: .microphone)
  private let camera = TrackDescription(mid: "1", source: .camera)
  private let screen = TrackDescription(mid: "2", source: .screen)

  private func refusal(_ client: TestClient) async throws -> (code: SignalingErrorCode, text: String, id: Int?) {
    try await client.first { if case .error(let code, let text, false, let id) = $0 { (code, text, id) } else { nil } }
  }

  @Test(
    "threat 33: a join's tracks that its token doesn't grant are dropped and reported"
  )
  func publishingAtJoin() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", offer: "video:v audio:a")
      let token = try await server.token("daily", #","permissions":["publishAudio","subscribe"]"#)
      let (bob, welcome) = try await server.join(
        "daily", "Bob", offer: "send:0 send:1 send:2", tracks: [microphone, camera, screen], token: token)
      #expect(welcome.permissions == ["publishAudio", "subscribe"])
      #expect(welcome.participants.last?.publications.map(\.source) == [.microphone])
      let refused = try await refusal(bob)
      #expect(refused.code == .notAllowed && refused.text.contains("camera"))
      let joined = try await ann.first { if case .participantJoined(let who) = $0 { who } else { nil } }
      #expect(joined.publications.map(\.source) == [.microphone])
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test(
    "threat 33: a later offer with an ungranted track is refused with its number")
  func publishingLater() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", offer: "video:v")
      let token = try await server.token("daily", #","role":"subscriber""#)
      let (bob, welcome) = try await server.join("daily", "Bob", offer: "video:v", token: token)
      #expect(welcome.participants.last?.role == "subscriber" && welcome.permissions == ["subscribe"])
      try bob.send(.offer(.init(id: 4, offer: "video:v send:1", tracks: [camera])))
      let refused = try await refusal(bob)
      #expect(refused.code == .notAllowed && refused.id == 4)
      // The client may go on listing it, for instance when it needs more slots; it stays without effect.
      try bob.send(.offer(.init(id: 5, offer: "video:v video:w send:1", tracks: [camera])))
      let answer = try await bob.first {
        if case .answer(let id, _, let slots, _) = $0 { (id, slots.count) } else { nil }
      }
      #expect(answer == (5, 2))
      try bob.send(.mute(mid: "1", muted: true))
      #expect(try await bob.error() == (.badMessage, false))
      for message in try await ann.drain() { if case .published = message { Issue.record("it was published") } }
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("threat 33: without the right to subscribe come no track, no chat and no data")
  func subscribing() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:1", tracks: [camera])
      try ann.send(.chat(text: "before", to: nil))
      let token = try await server.token("daily", #","role":"publisher-only""#)
      let (bob, welcome) = try await server.join(
        "daily", "Bob", offer: "send:1 video:v audio:a", tracks: [camera], token: token)
      #expect(welcome.slots == [SlotInfo(mid: "v"), SlotInfo(mid: "a")] && welcome.chat.isEmpty)
      #expect(welcome.participants.map(\.name) == ["Ann", "Bob"])
      try ann.send(.chat(text: "after", to: nil))
      _ = try await ann.first { if case .chat(let entry) = $0, entry.text == "after" { true } else { nil } }
      try ann.send(.chat(text: "private", to: welcome.participant, id: 3))
      let refused = try await refusal(ann)
      #expect(refused.code == .notAllowed && refused.id == 3)
      await server.media.receive(
        try DataMessage(header: ClientDataHeader(), payload: [1]).encoded(), .reliable, from: hello.participant)
      try bob.send(.view([SlotView(mid: "v", width: 640, height: 360)]))
      #expect(try await bob.error() == (.notAllowed, false))
      let heard = try await bob.drain()
      for message in heard {
        switch message {
        case .chat, .slots, .needSlots: Issue.record("\(message)")
        default: break
        }
      }
      #expect(await server.media.sentData.isEmpty)
      #expect(
        await server.media.calls.allSatisfy { if case .assign(welcome.participant, _) = $0 { false } else { true } })
      // A lost socket doesn't open another way in.
      await bob.close()
      let back = try await server.connect()
      try back.send(.resume(token: welcome.resumeToken))
      let chat = try await back.first { if case .resumed(_, _, let chat, _, _) = $0 { chat } else { nil } }
      #expect(chat.isEmpty)
      for client in [ann, back] { await client.close() }
    }
  }

  @Test("threat 33: chat and data need their own grants, and each refusal says which")
  func talking() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let token = try await server.token("daily", #","role":"subscriber""#)
      let (bob, welcome) = try await server.join("daily", "Bob", token: token)
      try bob.send(.chat(text: "x", to: nil, id: 9))
      let refused = try await refusal(bob)
      #expect(refused.code == .notAllowed && refused.id == 9 && refused.text.contains("chat"))
      let bytes = try DataMessage(header: ClientDataHeader(), payload: [1]).encoded()
      for _ in 0..<3 { await server.media.receive(bytes, .reliable, from: welcome.participant) }
      let data = try await refusal(bob)
      #expect(data.code == .notAllowed && data.text.contains("data"))
      // It receives all the same.
      await server.media.receive(bytes, .reliable, from: hello.participant)
      try await eventually { await server.media.sentData.isEmpty ? "nothing was sent" : nil }
      #expect(await server.media.sentData.map(\.to) == [[welcome.participant]])
      try ann.send(.chat(text: "hello", to: nil))
      _ = try await bob.first { if case .chat(let entry) = $0 { entry } else { nil } }
      for message in try await bob.drain() { if case .error = message { Issue.record("told twice: \(message)") } }
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a hidden participant receives, and no roster, update, chat or data shows it")
  func hidden() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:1", tracks: [camera])
      let token = try await server.token(
        "daily", #","role":"hidden","permissions":["subscribe","chat","publishVideo"]"#)
      let (eve, welcome) = try await server.join(
        "daily", "Eve", offer: "video:v send:1", tracks: [camera], token: token)
      #expect(welcome.participants.map(\.name) == ["Ann", "Eve"] && welcome.permissions == ["subscribe"])
      #expect(welcome.slots.first?.participant == hello.participant)
      try eve.send(.rename(name: "Evelyn"))
      try eve.send(.chat(text: "boo", to: nil))
      await server.media.report(quality: [welcome.participant: .good, hello.participant: .good])
      let quality = try await ann.first { if case .quality(let all) = $0 { all } else { nil } }
      #expect(quality == [hello.participant: .good])
      try ann.send(.chat(text: "who is there?", to: welcome.participant, id: 2))
      let refused = try await refusal(ann)
      #expect(refused.code == .badMessage, "as for somebody who is not there")
      let (bob, roster) = try await server.join("daily", "Bob")
      #expect(roster.participants.map(\.name) == ["Ann", "Bob"])
      await server.media.receive(
        try DataMessage(header: ClientDataHeader(to: [welcome.participant]), payload: [1]).encoded(), .reliable,
        from: hello.participant)
      try eve.send(.leave)
      while try await eve.next() != nil {}
      for client in [ann, bob] {
        for message in try await client.drain() {
          #expect(!"\(message)".contains(welcome.participant) && !"\(message)".contains("Eve"), "\(message)")
        }
        await client.close()
      }
      #expect(await server.media.sentData.isEmpty)
    }
  }

  @Test("roles have the names that clients know: guest, presenter, and the others' own")
  func names() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      #expect(hello.participants.first?.role == "guest")
      #expect(hello.permissions == ["publishAudio", "publishVideo", "publishScreen", "subscribe", "chat", "data"])
      for (claim, role) in [
        ("moderator", "presenter"), ("presenter", "presenter"), ("organizer", "organizer"), ("recorder", "recorder"),
      ] {
        let (bob, welcome) = try await server.join(
          "daily", "Bob", token: try await server.token("daily", #","role":"\#(claim)""#))
        #expect(welcome.participants.first { $0.id == welcome.participant }?.role == role)
        #expect(welcome.permissions?.contains("moderate") == (claim != "recorder"))
        try bob.send(.leave)
        await bob.close()
      }
      await ann.close()
    }
  }
}
