import Foundation
import Messaging
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer
@testable import Meetings

@Suite("an action and its audit entry are one", .serialized)
struct AuditTogetherTests {
  /// Has the database refuse every entry of the audit log, as a disk does that fills up between two writes.
  private func refuseEntries(_ server: TestServer) async throws {
    let store = try await server.store()
    try await store.refuseAuditEntries()
    await store.close()
  }

  /// Everything that is kept, but for tokens noted as used, meetings as joined and endpoints as seen.
  private func kept(_ server: TestServer) async throws -> [String] {
    let store = try await server.store()
    defer { Task { await store.close() } }
    var rows: [String] = []
    for (table, columns) in [
      ("tenants", "*"), ("api_keys", "*"), ("webhooks", "*"), ("webhook_deliveries", "id"), ("revoked_tokens", "*"),
      ("messaging_domains", "*"), ("messaging_endpoints", "id, identity, secret, description, token_expires"),
      ("audit_log", "*"), ("tokens WHERE issued IS NOT NULL", "id"),
      ("meetings", "id, subject, access_level, schedule, passcode, revision"),
    ] {
      rows += try await store.rows("SELECT '\(table.prefix(6))', \(columns) FROM \(table) ORDER BY 2")
    }
    return rows
  }

  @Test("without room for its audit entry the administration changes nothing")
  func administration() async throws {
    try await TestServer.run { server in
      let base = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/"
      @discardableResult
      func call(_ method: String, _ path: String, _ body: String? = nil) async throws -> TestAnswer {
        let headers: HTTPHeaders = body == nil ? [:] : ["Content-Type": "application/json"]
        return try await TestServer.request(method, base + path, headers, body.map { Array($0.utf8) })
      }
      func id(_ answer: TestAnswer) -> String { answer["id"] as? String ?? "no id in \(answer.text)" }
      let start = CivilTime(seconds: Int(Date().timeIntervalSince1970 + 3_600)).text
      #expect(try await call("POST", "tenants", #"{"name":"acme"}"#).status == 201)
      #expect(try await call("POST", "tenants", #"{"name":"solo"}"#).status == 201)
      let key = id(try await call("POST", "tenants/acme/keys", "{}"))
      let plan = id(try await call("POST", "meetings", #"{"room":"plan","schedule":{"start":"\#(start)"}}"#))
      let daily = id(try await call("POST", "meetings", #"{"room":"daily"}"#))
      let hook = id(try await call("POST", "webhooks", #"{"url":"http://127.0.0.1:1/","enabled":false}"#))
      let sent = id(try await call("POST", "webhooks/\(hook)/test"))
      let domain = id(try await call("POST", "domains", #"{"name":"acme","authentication":"disabled"}"#))
      let (_, welcome) = try await server.endpoint("cid", in: DomainID(domain))
      let (ann, hello) = try await server.join("daily", "Ann")
      try await eventually {
        let tokens = try await call("GET", "tokens")
        return tokens.text.contains("\"uses\":1") ? nil : "the token that Ann used is not noted: \(tokens.text)"
      }
      try await refuseEntries(server)
      let before = try await kept(server)
      let calls: [(String, String, String?)] = [
        ("POST", "tenants", #"{"name":"other"}"#), ("PATCH", "tenants/acme", #"{"capacity":5}"#),
        ("POST", "tenants/solo/keys", #"{"expireOthersAfter":0}"#), ("DELETE", "tenants/acme/keys/\(key)", nil),
        ("POST", "meetings", #"{"room":"weekly"}"#), ("PATCH", "meetings/\(plan)", #"{"subject":"x"}"#),
        ("POST", "meetings/\(plan)/cancel", nil), ("DELETE", "meetings/\(plan)", nil),
        ("DELETE", "meetings/\(daily)", nil), ("POST", "meetings/\(daily)/end", nil),
        ("GET", "meetings/\(daily)/chat", nil),
        ("DELETE", "meetings/\(daily)/participants/\(hello.participant)?ban=true", nil),
        ("POST", "tokens", #"{"room":"daily"}"#), ("DELETE", "tokens/t_1", nil),
        ("POST", "webhooks", #"{"url":"http://127.0.0.1:1/"}"#), ("PATCH", "webhooks/\(hook)", #"{"enabled":true}"#),
        ("POST", "webhooks/\(hook)/secret", nil), ("POST", "webhooks/\(hook)/test", nil),
        ("POST", "webhooks/\(hook)/deliveries/\(sent)/replay", nil), ("DELETE", "webhooks/\(hook)", nil),
        ("POST", "domains", #"{"name":"solo","authentication":"disabled"}"#),
        ("PATCH", "domains/acme", #"{"keyManagement":false}"#),
        ("DELETE", "domains/acme/endpoints/\(welcome.endpoint)", nil), ("DELETE", "domains/acme", nil),
        ("DELETE", "tenants/acme", nil),
      ]
      for (method, path, body) in calls {
        let answer = try await call(method, path, body)
        #expect(answer.status == 500, "\(method) \(path): \(answer.status) \(answer.text)")
      }
      #expect(try await kept(server) == before)
      // Ann is in as before, and nobody has ended anything.
      #expect(try await ann.drain().isEmpty)
      // A call that is added later is to be added here as well; the chat is read, and of two meetings one does not run.
      #expect(calls.count == AdminAPI.changes.count + 2)
      await ann.close()
    }
  }

  @Test("without room for its audit entry no REST API changes anything")
  func others() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let (ann, hello) = try await server.join(
        "", "Ann", offer: "send:0", tracks: [TrackDescription(mid: "0", source: .microphone)],
        token: try api.token(session))
      let id = hello.participant
      let start = CivilTime(seconds: Int(Date().timeIntervalSince1970 + 3_600)).text
      let json: HTTPHeaders = ["Content-Type": "application/json"]
      let plan = #"{"subject":"Team","schedule":{"start":"\#(start)"}}"#
      let made = try await server.post("/api/v1/meetings", plan, headers: json)
      let (room, token) = (try #require(made["room"] as? String), try #require(made["hostToken"] as? String))
      let open = try await server.post("/GetAdhocMeetingJob", "Subject=s&Description=d&AccessLevel=")
      let address = try #require(open["JoinUrl"] as? String)
      _ = try await ann.drain()
      try await refuseEntries(server)
      let before = try await kept(server)
      for (method, path, body) in [
        ("PUT", "stream", #"{"items":[{"id":"\#(id).camera","layoutClassList":["full"]}]}"#),
        ("POST", "signal", #"{"type":"a","data":"b"}"#),
        ("POST", "connection/\(id)/signal", #"{"type":"a","data":"b"}"#),
        ("POST", "stream/\(id).camera/mute", nil), ("POST", "mute", #"{"active":true}"#),
        ("DELETE", "connection/\(id)", nil),
      ] as [(String, String, String?)] {
        let answer = try await api.call(method, "session/\(session)/\(path)", body)
        #expect(answer.status == 500, "\(method) \(path): \(answer.status) \(answer.text)")
      }
      #expect(try await server.post("/api/v1/meetings", plan, headers: json).status == 500)
      for (method, body) in [("PATCH", #"{"subject":"Crew"}"#), ("DELETE", nil)] as [(String, String?)] {
        var headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
        if body != nil { headers["Content-Type"] = "application/json" }
        let answer = try await TestServer.request(
          method, server.url + "/api/v1/meetings/\(room)", headers, body.map { Array($0.utf8) })
        #expect(answer.status == 500, "\(method): \(answer.status) \(answer.text)")
      }
      let adHoc = try await server.post(
        "/GetAdhocMeetingJob", "Subject=s&Description=d&AccessLevel=",
        headers: ["Content-Type": "application/x-www-form-urlencoded"])
      #expect(adHoc.status == 500, "\(adHoc.text)")
      let given = try await server.post(
        "/GetAnonTokenJob", "ApplicationSessionId=s1&AllowedOrigins=https://app.example&MeetingUrl=\(address)")
      #expect(given.status == 500 && given["Token"] == nil, "\(given.text)")
      #expect(try await kept(server) == before)
      #expect(try await ann.drain().isEmpty)
      let streams = try await api.call("GET", "session/\(session)/stream")
      #expect(!streams.text.contains("full"))
      await ann.close()
    }
  }
}

extension SQLiteMeetingStore {
  /// Has the database refuse every entry of the audit log from now on.
  func refuseAuditEntries() throws {
    try open().execute(
      "CREATE TRIGGER no_entry BEFORE INSERT ON audit_log BEGIN SELECT raise(ABORT, 'no entry is taken'); END")
  }

  /// The rows that a statement finds, each as one text.
  fileprivate func rows(_ sql: String) throws -> [String] {
    var rows: [String] = []
    try open().query(sql) { row in rows.append((0..<24).map { row.text($0) }.joined(separator: "|")) }
    return rows
  }
}
