import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing

@testable import MeetingServer

@Suite("Removing people, and ending a meeting", .serialized)
struct RemovalTests {
  @Test("a removed participant gets the reason, and its session and media are gone")
  func removing() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (mod, _) = try await server.host("daily", "Mod")
      try mod.send(.room(.removeParticipant(hello.participant, ban: false)))
      let reason = try await ann.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
      #expect(reason == .removed)
      let left = try await mod.first { if case .participantLeft(let id, let reason) = $0 { (id, reason) } else { nil } }
      #expect(left == (hello.participant, .removed))
      try await eventually {
        await server.media.connected.contains(hello.participant) ? "the media connection is still there" : nil
      }
      // A client that missed the event gets it when it asks for its session, and so doesn't join again by itself.
      let back = try await server.connect()
      try back.send(.resume(token: hello.resumeToken))
      guard case .ended(.removed, _) = try await back.next() else { throw Unexpected(text: "no word of the removal") }
      // Without a ban it may come again.
      let (again, _) = try await server.join("daily", "Ann")
      for client in [again, mod] { await client.close() }
    }
  }

  @Test(
    "threat 33: a ban refuses the user's other tokens too, also after a restart"
  )
  func banning() async throws {
    try await TestServer.run { server in
      let first = try await server.token("daily", #","sub":"ann@example.org","jti":"one""#)
      let second = try await server.token("daily", #","sub":"ann@example.org","jti":"two""#)
      let other = try await server.token("daily", #","sub":"bob@example.org","jti":"three""#)
      let elsewhere = try await server.token("weekly", #","sub":"ann@example.org","jti":"four""#)
      let (ann, hello) = try await server.join("daily", "Ann", token: first)
      let (mod, _) = try await server.host("daily", "Mod")
      try await mod.ask(.removeParticipant(hello.participant, ban: true))
      for token in [first, second] { #expect(try await server.refused("daily", token) == .banned) }
      try mod.send(.leave)
      while try await mod.next() != nil {}
      // The room is gone with its last participant; the ban is not.
      for token in [first, second] { #expect(try await server.refused("daily", token) == .banned) }
      let (bob, _) = try await server.join("daily", "Bob", token: other)
      let (away, _) = try await server.join("weekly", "Ann", token: elsewhere)
      for client in [ann, bob, away] { await client.close() }
    }
  }

  @Test("a token without a user bans itself alone, and nobody of the same name")
  func banningByToken() async throws {
    try await TestServer.run { server in
      let (_, hello) = try await server.join("daily", "Ann")
      let (mod, _) = try await server.host("daily", "Mod")
      try await mod.ask(.removeParticipant(hello.participant, ban: true))
      let (namesake, _) = try await server.join("daily", "Ann")
      for client in [namesake, mod] { await client.close() }
    }
  }

  @Test(
    "threat 33: with bans by address, a banned guest's new open token is refused"
  )
  func banningByAddress() async throws {
    // This machine's own address counts only where it is said so.
    try await TestServer.run({ $0.bansAddresses = true }) { server in
      let (_, hello) = try await server.join("daily", "Ann")
      let (mod, _) = try await server.host("daily", "Mod")
      try await mod.ask(.removeParticipant(hello.participant, ban: true))
      func outcome(_ room: String, _ token: String? = nil) async throws -> SignalingErrorCode? {
        let (client, answer) = try await server.knock(room, "Anna", token: token)
        await client.close()
        if case .error(let code, _, true, _)? = answer { return code }
        return nil
      }
      #expect(try await outcome("daily") == .banned)
      #expect(try await outcome("weekly") == nil)
      // A person with a token of their own is known by that.
      #expect(try await outcome("daily", try await server.token("daily", #","sub":"bob""#)) == nil)
      #expect(try await outcome("daily", try await server.token("daily")) == nil)
      try mod.send(.leave)
      while try await mod.next() != nil {}
      #expect(try await outcome("daily") == .banned)
      #expect(!server.logged.text.contains("ban m_"))
    }
  }

  @Test(
    "bans go by address, except this machine's, and behind a proxy only if configured"
  )
  func addressBans() throws {
    let (own, other) = (IPAddress(v4: 0x7F00_0001), IPAddress(v4: 0xC000_0201))
    var configuration = ServerConfiguration(workers: 1)
    #expect(AddressBans(configuration).address(other) == other && AddressBans(configuration).address(own) == nil)
    configuration.publicURL = "https://meet.example.com"
    #expect(AddressBans(configuration).address(other) == nil)
    configuration = try .parse(arguments: ["--ban-addresses", "yes"], environment: [:])
    #expect(AddressBans(configuration).address(own) == own)
    configuration = try .parse(arguments: ["--ban-addresses", "no"], environment: [:])
    #expect(AddressBans(configuration).address(other) == nil)
  }

  @Test("ending the meeting tells everybody, also reconnecting ones, and answers first")
  func ending() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let (bob, lost) = try await server.join("daily", "Bob")
      let (mod, _) = try await server.host("daily", "Mod")
      await bob.close()
      _ = try await mod.first {
        if case .participantUpdated(let who) = $0, who.connection == .reconnecting { true } else { nil }
      }
      try await mod.ask(.endMeeting)
      for client in [ann, mod] {
        let reason = try await client.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
        #expect(reason == .endedByHost)
      }
      try await eventually { await server.media.connected.isEmpty ? nil : "somebody is still connected" }
      let back = try await server.connect()
      try back.send(.resume(token: lost.resumeToken))
      guard case .ended(.endedByHost, _) = try await back.next() else { throw Unexpected(text: "no word of the end") }
      await back.close()
    }
  }

  @Test("tombstones are bounded and end with the resume window")
  func notes() {
    var notes = Tombstones()
    func note(_ token: Int) -> Tombstone {
      .init(resumeToken: "\(token)", reason: .removed, message: "")
    }
    let start = MonotonicClock.now
    for token in 0..<(Tombstones.maximumCount + 10) { notes.add(note(token), until: start + TimeSpan.seconds(30)) }
    #expect(notes.note(of: "9", now: start) == nil)
    #expect(notes.note(of: "10", now: start)?.reason == .removed)
    #expect(notes.note(of: "10", now: start + TimeSpan.seconds(30)) == nil)
  }
}
