import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing

@testable import MeetingServer

@Suite("Participants who send more than others can take", .serialized)
struct FloodTests {
  private func refusal(_ client: TestClient, _ id: Int) async throws -> (SignalingErrorCode, String)? {
    try await client.first { message -> (SignalingErrorCode, String)?? in
      switch message {
      case .room(.done(id)): .some(nil)
      case .error(let code, let text, false, id): (code, text)
      default: nil
      }
    }
  }

  @Test(
    "threat 41: a chat flood is refused by the limit's name, and can be sent again"
  )
  func sender() async throws {
    try await TestServer.run {
      $0.senderRate = 32 << 10
    } _: { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let (ben, _) = try await server.join("daily", "Ben")
      let text = String(repeating: "x", count: 4_000)
      for id in 1...60 { try ann.send(.chat(text: "\(id) \(text)".prefix(4_000).description, to: nil, id: id)) }
      // Refusals come at once, the others once they are on the disk.
      var (passed, answered) = (0, 0)
      while answered < 60 {
        switch try await ann.next() {
        case .room(.done): (passed, answered) = (passed + 1, answered + 1)
        case .error(let code, let sentence, false, _):
          #expect(code == .tooFast && sentence.contains("senderRate"))
          answered += 1
        case nil: throw Unexpected(text: "the connection was closed")
        default: break
        }
      }
      // 128 KiB at once, and what time adds.
      #expect((25...50).contains(passed), "\(passed)")
      #expect(try await server.metrics().contains("parley_limited_total{limit=\"senderRate\"} \(60 - passed)\n"))
      // Under its old number, as a client does that holds back.
      try await wait(for: "the 60th to be passed on") {
        // No faster than messages may come.
        try await Task.sleep(for: .milliseconds(100))
        try ann.send(.chat(text: "60 \(text)".prefix(4_000).description, to: nil, id: 60))
        return try await refusal(ann, 60) == nil
      }
      let heard = try await ben.drain().filter { if case .chat = $0 { true } else { false } }
      #expect((passed...passed + 1).contains(heard.count), "\(heard.count) of \(passed)")
      for client in [ann, ben] { await client.close() }
    }
  }

  @Test("threat 41: every broadcast kind of message counts, and muting always works")
  func kinds() async throws {
    try await TestServer.run {
      ($0.senderRate, $0.meetingRate) = (2 << 10, 8 << 10)
    } _: { server in
      let text = String(repeating: "x", count: 2_000)
      let kinds: [(String, (Int) -> ClientMessage)] = [
        ("chat", { .chat(text: text, to: nil, id: $0) }),
        ("signal", { .signal(Signal(type: "a", data: text), to: nil, id: $0) }),
        ("edit", { .room(.chat(.edit(1, text: text)), id: $0) }),
        ("vote", { .room(.vote(poll: 1, options: [0]), id: $0) }),
        ("react", { .room(.react(.heart), id: $0) }),
        ("raiseHand", { .room(.raiseHand(true, participant: nil), id: $0) }),
      ]
      for (name, make) in kinds {
        let (ann, _) = try await server.join(
          "of-" + name, "Ann", offer: "send:0", tracks: [.init(mid: "0", source: .microphone)])
        // All that there is.
        for id in 1...4 { try ann.send(.signal(Signal(data: String(repeating: "y", count: 1_700)), to: nil, id: -id)) }
        try ann.send(make(9))
        try ann.send(.mute(mid: "0", muted: true, id: 10))
        let answer = try await refusal(ann, 9)
        #expect(
          answer?.0 == .tooFast && answer?.1.contains("senderRate") == true, "\(name): \(String(describing: answer))")
        #expect(try await refusal(ann, 10) == nil, "\(name)")
        await ann.close()
      }
    }
  }

  @Test(
    "threat 41: data beyond the meeting's rate is dropped, and its sender told why")
  func data() async throws {
    try await TestServer.run {
      $0.meetingDataRate = 64 << 10
    } _: { server in
      let (ann, a) = try await server.join("daily", "Ann")
      let (ben, _) = try await server.join("daily", "Ben")
      let bytes = try DataMessage(
        header: ClientDataHeader(to: nil, topic: ""), payload: [UInt8](repeating: 7, count: 16_000)[...]
      )
      .encoded()
      for _ in 0..<40 { await server.media.receive(bytes, .reliable, from: a.participant) }
      let text = try await ann.first { message -> String? in
        guard case .error(.dataTooFast, let text, false, _) = message else { return nil }
        return text
      }
      #expect(["meetingDataRate"].contains { text.contains($0) })
      let sent = await server.media.sentData.count
      #expect((4..<40).contains(sent), "\(sent)")
      for client in [ann, ben] { await client.close() }
    }
  }

  @Test("threat 41: all of a meeting share one bound, and another meeting has its own")
  func meeting() async throws {
    try await TestServer.run {
      $0.meetingRate = 64 << 10
    } _: { server in
      var clients: [TestClient] = []
      for number in 0..<4 { clients.append(try await server.join("daily", "N\(number)").0) }
      let (ben, _) = try await server.join("daily", "Ben")
      let (eve, _) = try await server.join("other", "Eve")
      let data = String(repeating: "x", count: 8_000)
      for client in clients { for id in 1...20 { try client.send(.signal(Signal(data: data), to: nil, id: id)) } }
      var (passed, limits) = (0, Set<String>())
      for client in clients {
        for id in 1...20 {
          guard let (_, sentence) = try await refusal(client, id) else {
            passed += 1
            continue
          }
          limits.formUnion(["senderRate", "meetingRate"].filter(sentence.contains))
        }
      }
      #expect(limits == ["meetingRate"] && passed < 60, "\(passed) \(limits)")
      // The last quarter is for who has said nothing.
      try ben.send(.chat(text: "Enough!", to: nil, id: 1))
      #expect(try await refusal(ben, 1) == nil)
      try eve.send(.chat(text: "Quiet here.", to: nil, id: 1))
      #expect(try await refusal(eve, 1) == nil)
      for client in clients + [ben, eve] { await client.close() }
    }
  }

  @Test("threat 41: rejoining under the longest name uses the meeting's rate, no more")
  func joining() async throws {
    try await TestServer.run {
      $0.meetingRate = 64 << 10
    } _: { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      let (ben, _) = try await server.join("daily", "Ben")
      let host = try await server.token("daily", #","role":"moderator""#)
      let token = try #require(try await server.discover("daily").token)
      let name = String(repeating: "🏴" + String(repeating: "\u{E0061}", count: 31), count: 80)
      let tracks = (0..<16).map { TrackDescription(mid: "\($0)", source: .microphone, name: name) }
      let offer = tracks.map { "send:\($0.mid)" }.joined(separator: " ")
      var (joined, refusal) = (0, "")
      while refusal.isEmpty, joined < 200 {
        let (client, answer) = try await server.knock("daily", name, offer: offer, tracks: tracks, token: token)
        switch answer {
        case .welcome: joined += 1
        case .error(.quotaReached, let sentence, true, _): refusal = sentence
        default: throw Unexpected(answer)
        }
        await client.close()
      }
      #expect(refusal.contains("meetingRate") && (1..<200).contains(joined), "\(joined) \(refusal)")
      #expect(try await server.metrics().contains("parley_limited_total{limit=\"meetingRate\"} 1\n"))
      // Hosts still come in, people are heard, and nothing that others get is longer than it may be.
      let (max, _) = try await server.join("daily", "Max", token: host)
      try ben.send(.chat(text: "Enough!", to: nil, id: 1))
      #expect(try await self.refusal(ben, 1) == nil)
      for case .participantJoined(let info) in try await ann.drain() {
        #expect(info.name.utf8.count <= DisplayName.maximumBytes)
        #expect(info.publications.allSatisfy { ($0.name?.utf8.count ?? 0) <= 320 })
      }
      for client in [ann, ben, max] { await client.close() }
    }
  }

  @Test("threat 41: repeated connection losses are told within the rate, and end right")
  func flapping() async throws {
    try await TestServer.run {
      $0.meetingRate = 64 << 10
    } _: { server in
      let (ann, _) = try await server.host("daily", "Ann", role: "organizer")
      let name = String(repeating: "🏴" + String(repeating: "\u{E0061}", count: 31), count: 15)
      let (first, welcome) = try await server.join("daily", name)
      var eve = first
      for _ in 0..<100 {
        await eve.close()
        eve = try await server.connect()
        try eve.send(.resume(token: welcome.resumeToken))
        guard case .resumed? = try await eve.next() else { throw Unexpected(text: "no resumed") }
      }
      let told = try await ann.drain().compactMap { message -> ConnectionState? in
        guard case .participantUpdated(let info) = message, info.id == welcome.participant else { return nil }
        return info.connection
      }
      // Losses and returns in turns, and not all hundred: the meeting's rate has room for some thirty.
      #expect(told.count < 150 && told.count % 2 == 0, "\(told.count)")
      #expect(told.enumerated().allSatisfy { $0.element == ($0.offset % 2 == 0 ? .reconnecting : .connected) })
      let token = try await server.token("daily", #","role":"moderator""#)
      let (_, late) = try await server.join("daily", "Max", token: token)
      #expect(late.participants.first { $0.id == welcome.participant }?.connection == .connected)
      for client in [ann, eve] { await client.close() }
    }
  }

  @Test("threat 41: hosts hear of lobby changes in batches, and end with the right list")
  func knocking() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let (host, _) = try await server.lobbyHost("board")
      let token = try #require(try await server.discover("board").token)
      let start = ContinuousClock.now
      var clients: [TestClient] = []
      for number in 0..<60 {
        let (client, _) = try await server.knock("board", "N\(number)", token: token)
        if number < 59 { await client.close() } else { clients.append(client) }
      }
      var told = 0
      try await host.first { message -> Void? in
        guard case .lobby(let info) = message else { return nil }
        told += 1
        return info.waiting.map(\.name) == ["N59"] ? () : nil
      }
      let seconds = Int((ContinuousClock.now - start).components.seconds) + 1
      #expect(told <= 20 + 4 * seconds, "\(told) times in \(seconds) s")
      for client in clients + [host] { await client.close() }
    }
  }
}
