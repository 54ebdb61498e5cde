import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Join tokens that are revoked", .serialized)
struct TokenRevocationTests {
  /// Everybody in a meeting, as the administration shows them.
  private func people(_ server: TestServer) async throws -> [[String: Any]] {
    let base = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/"
    let meetings = try await TestServer.request("GET", base + "meetings?running=true")
    var people: [[String: Any]] = []
    for meeting in meetings["items"] as? [[String: Any]] ?? [] {
      let answer = try await TestServer.request("GET", base + "meetings/\(meeting["id"] as? String ?? "")/participants")
      people += answer["items"] as? [[String: Any]] ?? []
    }
    return people
  }

  /// The id of the token that a participant came with.
  private func tokenID(_ server: TestServer, _ participant: String) async throws -> String {
    let person = try await people(server).first { $0["id"] as? String == participant }
    return try #require(person?["token"] as? String, "\(participant) is in no meeting")
  }

  private func revoke(_ server: TestServer, _ id: String) async throws {
    let base = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/tokens/"
    let answer = try await TestServer.request("DELETE", base + id)
    #expect(answer.status == 204, "\(answer.text)")
  }

  /// Why a client's place ended, and in what words.
  private func ended(_ client: TestClient) async throws -> (EndReason, String) {
    try await client.first { if case .ended(let reason, let text) = $0 { (reason, text) } else { nil } }
  }

  @Test(
    "threat 24: a revoked token's participant is told and out, however it comes back"
  )
  func forms() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let jitsi = try await server.token(
        "daily", #","aud":"jitsi","sub":"*","jti":"j 1/2?","context":{"user":{"name":"Eve"}}"#)
      let guest = try #require(try await server.discover("daily").token)
      #expect(guest.hasPrefix("psat="))
      let doors: [(form: String, room: String, token: String)] = [
        ("Parley's own", "daily", try await server.token("daily", #","jti":"one""#)),
        ("one without an id", "daily", try await server.token("daily", #","name":"Nora""#)),
        ("psat", "daily", guest), ("Jitsi's", "daily", jitsi), ("OpenTok's", session, try api.token(session)),
      ]
      for door in doors {
        let (other, _) = try await server.join(door.room, "Other", token: try await own(server, api, door.room))
        let (client, welcome) = try await server.join(door.room, "Eve", token: door.token)
        let id = try await tokenID(server, welcome.participant)
        if door.form == "Jitsi's" {
          // An id of another server may be anything; commands name it all the same.
          #expect(id == "j 1/2?")
          let running = try #require(RunningServer.find(dataFolder: server.folder + "/data"))
          let answer = try await running.ask("DELETE", "tokens/any?tenant=parley&id=j%201%2F2%3F", by: "cli ann")
          #expect(answer.status == 204, "\(String(decoding: answer.body, as: UTF8.self))")
        } else {
          try await revoke(server, id)
        }
        let (reason, text) = try await ended(client)
        #expect(reason == .tokenRevoked && text.contains("Your join token was revoked"), "\(door.form): \(text)")
        _ = await client.socket.closed()
        let left = try await other.first {
          if case .participantLeft(let id, let reason) = $0 { (id, reason) } else { nil }
        }
        #expect(left == (welcome.participant, .removed), "\(door.form)")
        let back = try await server.connect()
        try back.send(.resume(token: welcome.resumeToken))
        guard case .ended(.tokenRevoked, _) = try await back.next() else {
          throw Unexpected(text: "\(door.form): the place was not over")
        }
        #expect(try await server.refused(door.room, door.token) == .badToken, "\(door.form)")
        try await eventually {
          await server.media.connected.contains(welcome.participant) ? "the media connection is still there" : nil
        }
        // Nobody else is.
        #expect(try await other.drain().allSatisfy { if case .ended = $0 { false } else { true } })
        await other.close()
      }
      let store = try await server.store()
      let entries = try await store.auditLog(tenant: nil, before: nil, limit: 100)
      await store.close()
      #expect(entries.count { $0.action == "token.revoke" } == doors.count)
      #expect(entries.contains { $0.action == "token.revoke" && $0.target == "j 1/2?" && $0.actor == "cli ann" })
      #expect(!doors.contains { server.logged.text.contains($0.token) })
    }
  }

  /// A token of its own for somebody who stays.
  private func own(_ server: TestServer, _ api: OpenTokServer, _ room: String) async throws -> String {
    room == "daily" ? try await server.token("daily") : try api.token(room, role: "moderator")
  }

  @Test(
    "threat 24: a revoked token also removes reconnecting, waiting and joining people")
  func elsewhere() async throws {
    try await TestServer.run { server in
      // One token for everybody, as for a link that was sent around.
      let token = try await server.token("daily", #","jti":"all""#)
      let (lost, place) = try await server.join("daily", "Lost", token: token)
      let (host, _) = try await server.host("daily", "Host")
      await lost.close()
      _ = try await host.first {
        if case .participantUpdated(let who) = $0, who.connection == .reconnecting { true } else { nil }
      }
      try await server.makeMeeting("board", .locked)
      let (waiting, answer) = try await server.knock(
        "board", "Waiting", token: try await server.token("*", #","jti":"all""#), enters: "board")
      guard case .waiting = answer else { throw Unexpected(answer) }
      await server.media.hold()
      let coming = try await server.connect()
      try coming.send(.join(.init(token: token, name: "Coming", offer: "", tracks: [])))
      try await eventually { await server.media.isWaiting ? nil : "nobody is on the way in" }

      try await revoke(server, "all")
      await server.media.release()
      #expect(try await ended(coming).0 == .tokenRevoked)
      let error = try await waiting.first { message -> (SignalingErrorCode, String)? in
        if case .error(let code, let text, true, _) = message { (code, text) } else { nil }
      }
      #expect(error.0 == .badToken && error.1.contains("revoked"))
      let back = try await server.connect()
      try back.send(.resume(token: place.resumeToken))
      guard case .ended(.tokenRevoked, _) = try await back.next() else {
        throw Unexpected(text: "whoever had lost the network has the place still")
      }
      try await eventually {
        let names = try await people(server).compactMap { $0["name"] as? String }
        return names == ["Host"] ? nil : "in meetings are \(names)"
      }
      await host.close()
    }
  }

  @Test("threat 24: a token revoked during its renewal ends the session as well")
  func renewed() async throws {
    try await TestServer.run { server in
      let first = try await server.token("daily", #","jti":"first""#)
      let second = try await server.token("daily", #","jti":"second""#)
      let (ann, _) = try await server.join("daily", "Ann", token: first)
      try ann.send(.renewToken(second, id: 7))
      try await ann.first { if case .room(.done(7)) = $0 { () } else { nil } }
      // The one before is nobody's any more.
      try await revoke(server, "first")
      try ann.send(.ping(time: 1))
      try await ann.first { if case .pong = $0 { () } else { nil } }
      try await revoke(server, "second")
      #expect(try await ended(ann).0 == .tokenRevoked)
    }
  }

  @Test(
    "threat 24: retiring a leaked secret removes all who use its tokens, nobody else"
  )
  func secrets() async throws {
    try await TestServer.run { server in
      let keys = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/tenants/parley/keys"
      let listed = try await TestServer.request("GET", keys)["items"] as? [[String: Any]]
      let old = try #require(listed?.first?["id"] as? String)
      let leaked = try await server.token("daily", #","jti":"leaked""#)
      try await server.makeMeeting("board", .locked)
      let forBoard = try await server.token("board", #","jti":"board""#)
      let made = try await TestServer.request("POST", keys, ["Content-Type": "application/json"], Array("{}".utf8))
      // Signed with the newest, from here on.
      #expect(made.status == 201)
      let (other, _) = try await server.join("daily", "Other", token: try await server.token("daily"))
      let (guest, _) = try await server.join("daily", "Guest")
      let (client, welcome) = try await server.join("daily", "Eve", token: leaked)
      let (waiting, answer) = try await server.knock("board", "Max", token: forBoard)
      guard case .waiting = answer else { throw Unexpected(answer) }

      // Replacing it ends nothing but the way in.
      #expect(try await TestServer.request("DELETE", "\(keys)/\(old)").status == 204)
      #expect(try await server.refused("daily", leaked) == .badToken)
      _ = try await client.drain()
      _ = try await waiting.drain()
      // An operator who learns later that it leaked can still end them.
      #expect(try await TestServer.request("DELETE", "\(keys)/\(old)").status == 404)
      #expect(try await TestServer.request("DELETE", "\(keys)/k_unknown?endSessions=true").status == 404)
      #expect(try await TestServer.request("DELETE", "\(keys)/\(old)?endSessions=true").status == 204)
      let (reason, text) = try await ended(client)
      #expect(reason == .tokenRevoked && text.contains("secret"), "\(text)")
      let refusal = try await waiting.first { message -> SignalingErrorCode? in
        if case .error(let code, _, true, _) = message { code } else { nil }
      }
      #expect(refusal == .badToken)
      let back = try await server.connect()
      try back.send(.resume(token: welcome.resumeToken))
      guard case .ended(.tokenRevoked, _) = try await back.next() else {
        throw Unexpected(text: "the place was not over")
      }
      for client in [other, guest] {
        #expect(try await client.drain().allSatisfy { if case .ended = $0 { false } else { true } })
      }

      // Both at once, and for who is on the way in.
      let new = try #require(made["id"] as? String)
      await server.media.hold()
      let coming = try await server.connect()
      try coming.send(.join(.init(token: try await server.token("daily"), name: "Coming", offer: "", tracks: [])))
      try await eventually { await server.media.isWaiting ? nil : "nobody is on the way in" }
      #expect(try await TestServer.request("DELETE", "\(keys)/\(new)?endSessions=true").status == 204)
      await server.media.release()
      #expect(try await ended(other).0 == .tokenRevoked)
      #expect(try await ended(coming).0 == .tokenRevoked)
      #expect(try await guest.drain().allSatisfy { if case .ended = $0 { false } else { true } })
      let store = try await server.store()
      let entries = try await store.auditLog(tenant: nil, before: nil, limit: 100).reversed()
      await store.close()
      #expect(entries.map(\.action) == ["key.create", "key.retire", "key.endSessions", "key.retire"])
      #expect(entries.map(\.target).suffix(3) == [old, old, new])
    }
  }
}
