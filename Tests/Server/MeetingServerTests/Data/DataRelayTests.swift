import Basics
import SFU
import Signaling
import TestSupport
import Testing

@testable import MeetingServer

@Suite("Data messages between participants", .serialized)
struct DataRelayTests {
  private func message(_ payload: [UInt8], to: [String]? = nil, topic: String = "") throws -> [UInt8] {
    try DataMessage(header: ClientDataHeader(to: to, topic: topic), payload: payload[...]).encoded()
  }

  /// Waits until the server has sent so many data messages, and returns them.
  private func sent(_ server: TestServer, _ count: Int) async throws -> [TestMediaPlane.SentData] {
    try await eventually {
      let now = await server.media.sentData.count
      return now >= count ? nil : "\(now) of \(count) messages were sent"
    }
    return await server.media.sentData
  }

  private func received(_ data: TestMediaPlane.SentData) throws -> DataMessage<ServerDataHeader> {
    try DataMessage<ServerDataHeader>(parsing: data.bytes)
  }

  @Test("a message goes to all others or those named, on the same channel, in order")
  func routing() async throws {
    try await TestServer.run { server in
      let (ann, a) = try await server.join("daily", "Ann")
      let (bob, b) = try await server.join("daily", "Bob")
      let (cem, c) = try await server.join("daily", "Cem")
      await server.media.receive(try message([1], topic: "all"), .reliable, from: a.participant)
      await server.media.receive(
        try message([2], to: [c.participant], topic: "one"), .lossy, from: a.participant)
      await server.media.receive(
        try message([3], to: [c.participant, a.participant, c.participant, b.participant]), .reliable,
        from: a.participant)
      let all = try await sent(server, 3)
      #expect(all.map(\.to) == [[b.participant, c.participant], [c.participant], [b.participant, c.participant]])
      #expect(all.map(\.delivery) == [.reliable, .lossy, .reliable])
      let read = try all.map { try received($0) }
      #expect(read.map(\.header.from) == [a.participant, a.participant, a.participant])
      #expect(read.map(\.header.topic) == ["all", "one", ""])
      #expect(read.map { Array($0.payload) } == [[1], [2], [3]])
      for client in [ann, bob, cem] { await client.close() }
    }
  }

  @Test("threat 29: the sender is the session's participant, whatever the message says")
  func forgedSender() async throws {
    try await TestServer.run { server in
      let (ann, a) = try await server.join("daily", "Ann")
      let (bob, b) = try await server.join("daily", "Bob")
      let forged = Array(#"{"from":"\#(b.participant)","topic":"x"}"#.utf8)
      await server.media.receive([1, 0, UInt8(forged.count)] + forged + [9], .reliable, from: a.participant)
      let header = try received(try await sent(server, 1)[0]).header
      #expect(header.from == a.participant)
      // A message whose own bytes look like one of the server's is payload.
      let nested = try DataMessage(header: ServerDataHeader(from: b.participant), payload: [7]).encoded()
      await server.media.receive(try message(nested), .reliable, from: a.participant)
      let second = try received(try await sent(server, 2)[1])
      #expect(second.header.from == a.participant && Array(second.payload) == nested)
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("threat 29: nothing reaches another meeting, also when its participants are named")
  func otherMeeting() async throws {
    try await TestServer.run { server in
      let (ann, a) = try await server.join("daily", "Ann")
      let (bob, b) = try await server.join("daily", "Bob")
      let (eve, e) = try await server.join("other", "Eve")
      await server.media.receive(
        try message([1], to: [e.participant, b.participant, "p_nobody"]), .reliable, from: a.participant)
      await server.media.receive(try message([2], to: [e.participant]), .reliable, from: a.participant)
      await server.media.receive(try message([3]), .lossy, from: a.participant)
      let all = try await sent(server, 2)
      #expect(all.map(\.to) == [[b.participant], [b.participant]])
      #expect(try all.map { Array(try received($0).payload) } == [[1], [3]])
      for client in [ann, bob, eve] { await client.close() }
    }
  }

  @Test("a participant who has left neither sends nor receives")
  func left() async throws {
    try await TestServer.run { server in
      let (ann, a) = try await server.join("daily", "Ann")
      let (bob, b) = try await server.join("daily", "Bob")
      let (cem, c) = try await server.join("daily", "Cem")
      try bob.send(.leave)
      _ = try await ann.first { if case .participantLeft(let id, _) = $0 { id } else { nil } }
      await server.media.receive(try message([1]), .reliable, from: b.participant)
      await server.media.receive(try message([2]), .reliable, from: a.participant)
      let all = try await sent(server, 1)
      #expect(all.map(\.to) == [[c.participant]])
      #expect(try received(all[0]).header.from == a.participant)
      for client in [ann, cem] { await client.close() }
    }
  }

  @Test("threat 27: data over a limit or malformed is dropped and counted, others pass")
  func limits() async throws {
    try await TestServer.run { server in
      let (ann, a) = try await server.join("daily", "Ann")
      let (bob, _) = try await server.join("daily", "Bob")
      let tooLarge = try message([UInt8](repeating: 0, count: 65_537))
      let tooLong = try message([1], topic: String(repeating: "t", count: 129))
      let tooMany = try message([1], to: (0..<101).map { "p_\($0)" })
      for bad in [[], [1], [9, 0, 0], [1, 255, 255], tooLarge, tooLong, tooMany] {
        await server.media.receive(bad, .reliable, from: a.participant)
      }
      await server.media.receive(try message([UInt8](repeating: 0, count: 1_025)), .lossy, from: a.participant)
      await server.media.receive(try message([UInt8](repeating: 5, count: 65_536)), .reliable, from: a.participant)
      await server.media.receive(try message([UInt8](repeating: 5, count: 1_024)), .lossy, from: a.participant)
      let all = try await sent(server, 2)
      #expect(try all.map { try received($0).payload.count } == [65_536, 1_024])
      let metrics = try await TestServer.request("GET", "http://localhost:\(server.server.adminPort ?? 0)/metrics").text
      #expect(
        metrics.contains("parley_data_bad_messages_total 8\n") && metrics.contains("parley_data_messages_total 2\n"))
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a fast sender or slow reader of data gets a notice and stays in the meeting")
  func told() async throws {
    try await TestServer.run { server in
      let (ann, a) = try await server.join("daily", "Ann")
      await server.media.reportData(.tooFast(ParticipantID(rawValue: a.participant)), of: a.participant)
      #expect(try await ann.error() == (.dataTooFast, false))
      await server.media.reportData(.slowReader(ParticipantID(rawValue: a.participant)), of: a.participant)
      #expect(try await ann.error() == (.dataTooSlow, false))
      #expect(server.logged.text.contains("data.slowReader"))
      _ = try await ann.drain()
      await ann.close()
    }
  }

  @Test("data goes on while a participant's socket is away")
  func detached() async throws {
    try await TestServer.run { server in
      let (ann, a) = try await server.join("daily", "Ann")
      let (bob, b) = try await server.join("daily", "Bob")
      await bob.close()
      _ = try await ann.first { if case .participantUpdated(let who) = $0 { who } else { nil } }
      await server.media.receive(try message([1]), .reliable, from: b.participant)
      await server.media.receive(try message([2]), .reliable, from: a.participant)
      #expect(try await sent(server, 2).map(\.to) == [[a.participant], [b.participant]])
      await ann.close()
    }
  }
}
