import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Encrypted meetings over signalling and REST", .serialized)
struct EncryptedMeetingTests {
  private func code(_ message: ServerMessage?) -> SignalingErrorCode? {
    if case .error(let code, _, true, _)? = message { code } else { nil }
  }

  private func make(_ server: TestServer, _ body: String) async throws -> TestAnswer {
    try await server.post("/api/v1/meetings", body, headers: ["Content-Type": "application/json"])
  }

  private func admin(_ server: TestServer, _ path: String, _ body: String) async throws -> TestAnswer {
    let url = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/\(path)"
    return try await TestServer.request("POST", url, ["Content-Type": "application/json"], Array(body.utf8))
  }

  @Test(
    "threat 45: the first join decides the mode that store, discovery and media have")
  func decided() async throws {
    try await TestServer.run { server in
      let before = try await server.discover("daily")
      #expect(before.e2ee == nil && before.encryption == "default")
      let (ann, welcome) = try await server.join("daily", "Ann", e2ee: true)
      #expect(welcome.meeting.e2ee == true && welcome.announcements == [])
      #expect(try await server.discover("daily").e2ee == true)
      #expect(code(try await server.answer(toJoin: "daily", "Ben")) == .encryptionRequired)
      #expect(await server.media.encrypted == [welcome.participant])
      await ann.close()

      let (_, plain) = try await server.join("plain", "Ann")
      #expect(plain.meeting.e2ee == nil && plain.announcements == nil)
      #expect(try await server.discover("plain").e2ee == false)
      #expect(code(try await server.answer(toJoin: "plain", "Ben", e2ee: true)) == .notEncrypted)
      #expect(await server.media.encrypted == [welcome.participant])

      // It outlasts everybody who was in, and the process.
      let store = try await server.store()
      let tenant = try await store.defaultTenant(now: Date())
      for (room, isEncrypted) in [("daily", true), ("plain", false)] {
        let record = try #require(try await store.meeting(room: try RoomName(room), tenant: tenant.id))
        #expect(record.isEncrypted == isEncrypted && record.revision == 0)
        #expect(try await store.decideEncryption(of: record.id, !isEncrypted) == isEncrypted)
      }
      await store.close()
    }
  }

  @Test("a join refused for its passcode or offer doesn't decide the mode")
  func refused() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("closed", passcode: "1234")
      let (_, answer) = try await server.knock("closed", "Ben", passcode: "9")
      #expect(code(answer) == .wrongPasscode)
      #expect(try await server.discover("closed").e2ee == nil)
      let (_, bad) = try await server.knock("open", "Ben", offer: "bad")
      #expect(code(bad) == .badOffer)
      #expect(try await server.discover("open").e2ee == nil)
      let (ann, _) = try await server.join("open", "Ann", e2ee: true)
      #expect(try await server.discover("open").e2ee == true)
      await ann.close()
    }
  }

  @Test("a meeting made over REST has its mode, and no join changes it", arguments: [true, false])
  func made(isEncrypted: Bool) async throws {
    try await TestServer.run { server in
      let answer = try await make(server, #"{"encrypted":\#(isEncrypted)}"#)
      let fields = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
      #expect(answer.status == 201 && (fields["rules"] as? [String: Any])?["encrypted"] as? Bool == isEncrypted)
      let room = try #require(fields["room"] as? String)
      #expect(try await server.discover(room).e2ee == isEncrypted)
      #expect(
        code(try await server.answer(toJoin: room, "Ben", e2ee: !isEncrypted))
          == (isEncrypted ? .encryptionRequired : .notEncrypted))
      let (ann, welcome) = try await server.join(room, "Ann", e2ee: isEncrypted)
      #expect(welcome.meeting.e2ee == (isEncrypted ? true : nil))
      await ann.close()
      let other = try await admin(server, "meetings", #"{"room":"named","encrypted":\#(isEncrypted)}"#)
      #expect(other.status == 201 && other.text.contains(#""encrypted":\#(isEncrypted)"#))
      #expect(try await server.discover("named").e2ee == isEncrypted)
      #expect(try await make(server, #"{"encrypted":"yes"}"#).status == 400)
    }
  }

  @Test(
    "the server's setting and a tenant's allow one mode or both, at each entrance",
    arguments: [EncryptionPolicy.off, .offered, .preselected, .required])
  func policy(policy: EncryptionPolicy) async throws {
    for isTenants in [false, true] {
      try await TestServer.run({ if !isTenants { $0.encryption = policy } }) { server in
        if isTenants { try await server.setPolicy { $0.encryption = policy } }
        let document = try await server.discover("daily")
        #expect(document.encryption == policy.rawValue && document.e2ee == policy.mode(decided: nil))
        for isEncrypted in [true, false] {
          let (joined, made) = (
            try await server.answer(toJoin: "room-\(isEncrypted)", "Ann", e2ee: isEncrypted),
            try await make(server, #"{"encrypted":\#(isEncrypted)}"#)
          )
          guard !policy.allows(isEncrypted) else {
            guard case .welcome? = joined else { throw Unexpected(joined) }
            #expect(made.status == 201)
            continue
          }
          #expect(code(joined) == (isEncrypted ? .notEncrypted : .encryptionRequired))
          #expect(made.status == 409 && made.text.contains(isEncrypted ? #""notEncrypted""# : #""encryptionRequired""#))
        }
      }
    }
  }

  @Test("threat 46: announcements and envelopes arrive, and no log has anything of them")
  func passedOn() async throws {
    try await TestServer.run { server in
      let (ann, first) = try await server.join("daily", "Ann", e2ee: true)
      try ann.send(.announce("MARKERa"))
      let (ben, second) = try await server.join("daily", "Ben", e2ee: true)
      #expect(second.announcements == [.init(participant: first.participant, announcement: "MARKERa")])
      try ben.send(.announce("MARKERb"))
      let announced = try await ann.first { if case .announcement(let announcement) = $0 { announcement } else { nil } }
      #expect(announced == .init(participant: second.participant, announcement: "MARKERb"))
      try ann.send(
        .keyEnvelopes([.init(to: second.participant, envelope: "MARKERc"), .init(to: "p_0", envelope: "MARKERd")]))
      let envelopes = try await ben.first { if case .keyEnvelopes(let envelopes) = $0 { envelopes } else { nil } }
      #expect(envelopes == [.init(from: first.participant, envelope: "MARKERc")])
      // One that can't be understood is refused without being quoted.
      ann.send(text: #"{"type":"announce","id":7,"announcement":"MARKER=="}"#)
      let refusal = try await ann.first { message -> String? in
        if case .error(.badMessage, let text, false, 7) = message { text } else { nil }
      }
      #expect(!refusal.contains("MARKER"))
      await ann.close()
      await ben.close()
      let metrics = try await server.metrics()
      #expect(metrics.contains("parley_key_envelopes_total 1\n"))
      #expect(metrics.contains("parley_key_envelopes_dropped_total 1\n"))
      let store = try await server.store()
      let entries = try await store.auditLog(tenant: nil, before: nil, limit: 200)
      await store.close()
      #expect(server.logged.text.contains("joined") && !server.logged.text.contains("MARKER"))
      #expect(!entries.contains { "\($0)".contains("MARKER") })
    }
  }

  @Test("messages with keys aren't counted with the others, and have a bound of their own")
  func rate() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", e2ee: true)
      for _ in 0..<350 { try ann.send(.keyEnvelopes([])) }
      #expect(try await ann.drain().isEmpty, "50 a second and 200 at once of others would have closed it")
      for _ in 0..<1_000 { try ann.send(.keyEnvelopes([])) }
      let text = try await ann.first { message -> String? in
        guard case .error(.tooFast, let text, true, _) = message else { return nil }
        return text
      }
      #expect(text.contains("messageRate"))
    }
  }
}
