import Foundation
import Testing

@testable import Meetings

@Suite("OpenTok tokens")
struct OpenTokTokenTests {
  private let now = TokenWorld.now

  /// Made by Python's hmac and json modules.
  private let jwt =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiIxMDAyMDAiLCJpc3QiOiJwcm9qZWN0IiwiaWF0IjoxNzk1MjUxNjAwLCJleHAiOjE3OTUzMzgwMDAsIm5vbmNlIjowLjQyLCJzZXNzaW9uX2lkIjoiMl9NWDR4TURBeU1EQi1makUzTURBd01EQXdNREF3TURCLWMyVnNabWh2YzNSLSIsInJvbGUiOiJtb2RlcmF0b3IiLCJzY29wZSI6InNlc3Npb24uY29ubmVjdCIsImNvbm5lY3Rpb25fZGF0YSI6Im5hbWU9Qm9iIn0.qt-YJizb2pagDA9inPwjPGVcLONbG1-N-nvu05RP1h0"
  /// Made by Python's hmac module; its times are those of 2023.
  private let t1 =
    "T1==cGFydG5lcl9pZD0xMDAyMDAmc2lnPThhMmM2MjdmOGM0ZjhmZTBhYjZmYWQyNTdiZjQ2Njc3NTA0MTIyMWQ6c2Vzc2lvbl9pZD0yX01YNHhNREF5TURCLWZqRTNNREF3TURBd01EQXdNREItYzJWc1ptaHZjM1ItJmNyZWF0ZV90aW1lPTE3MDAwMDAwMDAmZXhwaXJlX3RpbWU9MTcwMDA4NjQwMCZyb2xlPXB1Ymxpc2hlciZub25jZT00MiZpbml0aWFsX2xheW91dF9jbGFzc19saXN0PSZjb25uZWN0aW9uX2RhdGE9bmFtZSUzREJvYg=="
  private let then = Date(timeIntervalSince1970: 1_700_000_000)

  @Test("a JWT opens the room of its session, with its role and connection data")
  func jwtForm() async throws {
    let world = try await TokenWorld()
    let admission = try await world.admit(jwt, room: TokenWorld.session)
    #expect(admission.meeting.room.display == TokenWorld.session && admission.meeting.tenant == world.tenant.id)
    #expect(admission.grant.form == .openTokJWT && admission.grant.role == .moderator)
    #expect(admission.grant.connectionData == "name=Bob")
    #expect(await world.code(jwt, room: "other") == "wrongMeeting")
    #expect(await world.code(jwt, at: now + 86_400 + 61) == "tokenExpired")
  }

  @Test("a T1 token is verified over its bytes as sent, and opens its session's room")
  func t1Form() async throws {
    let world = try await TokenWorld()
    let admission = try await world.admit(t1, at: then)
    #expect(admission.meeting.room.display == TokenWorld.session && admission.grant.form == .openTokT1)
    #expect(admission.grant.role == .publisher && admission.grant.connectionData == "name=Bob")
    #expect(await world.code(t1, at: then + 86_400 + 61) == "tokenExpired")
    #expect(await world.code(t1, at: then - 61) == "badToken")
    try await world.authority.revoke(admission.grant)
    #expect(await world.code(t1, at: then) == "badToken")
  }

  @Test("threat 24: a T1 token changed, cut or signed by another secret is refused")
  func forgedT1() async throws {
    let world = try await TokenWorld()
    let bytes = [UInt8](Data(base64Encoded: String(t1.dropFirst(4))) ?? Data())
    for index in stride(from: 0, to: bytes.count, by: 3) {
      var copy = bytes
      copy[index] ^= 1
      let text = "T1==" + Data(copy).base64EncodedString()
      #expect(await world.code(text, at: then) == "badToken", "byte \(index)")
    }
    for count in stride(from: 0, to: t1.count, by: 20) {
      #expect(await world.code(String(t1.prefix(count)), at: then) == "badToken")
    }
    let stranger = try await TokenWorld()
    let second = try await stranger.store.rotateKey(of: stranger.tenant.id, others: nil, now: then)
    #expect(try await stranger.store.retireKey("k_1", of: stranger.tenant.id, now: then))
    #expect(await stranger.code(t1, at: then) == "badToken")
    #expect(second.secret.value.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
  }

  @Test("threat 24: other keys' sessions, non-join tokens and unknown roles are refused")
  func claims() async throws {
    let world = try await TokenWorld()
    let other = OpenTokSession.make(apiKey: "999", now: now).text
    let own = TokenWorld.session
    for claims in [
      "\"session_id\":\"\(other)\"", "\"session_id\":\"\"", "\"session_id\":\"daily\"",
      "\"session_id\":\"\(own)\",\"role\":\"king\"", "\"session_id\":\"\(own)\",\"scope\":\"session.list\"",
      "\"session_id\":\"\(own)\",\"connection_data\":\"\(String(repeating: "x", count: 1_025))\"",
    ] {
      #expect(
        await world.code(try world.token("{\(world.head),\"ist\":\"project\",\(claims)}")) == "badToken", "\(claims)")
    }
    // Tokens that server SDKs send to REST endpoints have no session: they open nothing.
    #expect(await world.code(try world.token("{\(world.head),\"ist\":\"project\"}")) == "badToken")
    #expect(
      await world.code(try world.token("{\(world.head),\"ist\":\"account\",\"session_id\":\"\(own)\"}")) == "badToken")
  }

  @Test("a session id that is made here is taken apart again and belongs to its key alone")
  func sessions() throws {
    let made = OpenTokSession.make(apiKey: "100200", now: now)
    let again = try #require(OpenTokSession(made.text))
    #expect(again.belongs(to: "100200") && !again.belongs(to: "10020") && again == made)
    #expect(made.text.hasPrefix("2_MX4xMDAyMDB-") && made.text.utf8.count <= RoomName.maximumLength)
    #expect(try RoomName(made.text).display == made.text)
    let old = "1_MX4xMDAyMDB-NzIuNS4xNjcuMTM0flR1ZSBBdWcgMjggMTQ6NTY6NDIgUERUIDIwMTJ-MC45N34"
    #expect(OpenTokSession(old)?.belongs(to: "100200") == true)
    for text in ["", "2_", "3_MX4xMDAyMDB-", "2_!!!!", "2_MX4", "1sdemo00855f8290f8efa648d9347d718f7e06fd", "2_\u{0}"] {
      #expect(OpenTokSession(text) == nil, "\(text)")
    }
  }
}
