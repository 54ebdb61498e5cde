import Foundation
import Meetings
import Signaling
import Testing
import Transport

@testable import MeetingServer

@Suite("Meetings that people without an account make", .serialized)
struct AnonymousMeetingTests {
  private let json: HTTPHeaders = ["Content-Type": "application/json"]

  private func plan(_ server: TestServer) async throws -> (room: String, host: String) {
    let answer = try await server.post("/api/v1/meetings", #"{"subject":"Mine"}"#, headers: json)
    let fields = (try? JSONSerialization.jsonObject(with: Data(answer.body))) as? [String: Any] ?? [:]
    return (
      try #require(fields["room"] as? String, "\(answer.text)"), try #require(fields["hostToken"] as? String)
    )
  }

  private func change(_ room: String, _ token: String, _ server: TestServer) async throws -> Int {
    var headers = json
    headers["Authorization"] = "Bearer \(token)"
    return try await TestServer.request(
      "PATCH", server.url + "/api/v1/meetings/\(room)", headers,
      Array(#"{"subject":"For ever","passcode":"1234"}"#.utf8)
    ).status
  }

  /// A JWT of the default tenant's own server.
  private func project(_ server: TestServer) async throws -> String {
    let store = try await server.store()
    let tenant = try await store.defaultTenant(now: Date())
    let secret = try #require(try await store.apiKeys(of: tenant.id).first?.secret)
    await store.close()
    let now = Int(Date().timeIntervalSince1970)
    return try SharedKey(secret).sign(
      Array(#"{"iss":"\#(tenant.apiKey)","ist":"project","iat":\#(now),"exp":\#(now + 60)}"#.utf8))
  }

  @Test(
    "threat 43: a stranger's meeting ends after its last use, or its tenant adopts it"
  )
  func ends() async throws {
    try await TestServer.run { server in
      let (mine, adopted) = (try await plan(server), try await plan(server))
      for (room, host) in [mine, adopted] {
        let (client, _) = try await server.join(room, "Host", token: host)
        #expect(try await change(room, host, server) == 200)
        try client.send(.leave)
        while try await client.next() != nil {}
      }
      #expect(try await change(adopted.room, try await project(server), server) == 200)
      let store = try await server.store()
      let tenant = try await store.defaultTenant(now: Date())
      func kept(_ room: String) async throws -> MeetingRecord? {
        try await store.meeting(room: try RoomName(room), tenant: tenant.id)
      }
      let changed = try await kept(mine.room)
      #expect(changed?.isAnonymous == true && changed?.revision == 1)
      _ = try await store.purge(now: Date() + MeetingRecord.roomKept - 3_600)
      #expect(try await kept(mine.room) != nil)
      _ = try await store.purge(now: Date() + MeetingRecord.roomKept + 3_600)
      #expect(try await kept(mine.room) == nil)
      #expect(try await kept(adopted.room)?.isAnonymous == false)
      await store.close()
    }
  }

  @Test(
    "threat 43: audit entries that strangers cause are marked as theirs")
  func entries() async throws {
    try await TestServer.run { server in
      let (room, host) = try await plan(server)
      _ = try await change(room, host, server)
      let (client, _) = try await server.join(room, "Host", token: host)
      try await client.ask(.muteAll(sources: [.microphone], except: [], includingLater: false, mayUnmute: true))
      let (ann, _) = try await server.host("own", "Ann")
      try await ann.ask(.muteAll(sources: [.microphone], except: [], includingLater: false, mayUnmute: true))
      let store = try await server.store()
      let log = try await store.auditLog(tenant: nil, before: nil, limit: 100)
      #expect(
        Set(log.filter(\.isAnonymous).map(\.action)).isSuperset(
          of: ["meeting.create", "token.create", "meeting.change", "meeting.muteAll"]))
      #expect(
        log.filter { $0.action == "meeting.muteAll" && $0.detail.contains("in own ") }.map(\.isAnonymous) == [false])
      await store.close()
      for each in [client, ann] { await each.close() }
    }
  }
}
