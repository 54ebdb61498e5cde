import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import TestTenants
import Testing
import Transport

@testable import MeetingServer

@Suite("Tenants of a running server", .serialized)
struct TenantTests {
  /// The outcome of joining with a token: nil for a welcome.
  private func outcome(_ server: TestServer, _ token: String, room: String? = nil) async throws -> SignalingErrorCode? {
    let client = try await server.connect()
    try client.send(.join(.init(token: token, room: room, name: "N", offer: "", tracks: [])))
    return try await client.first { message -> SignalingErrorCode?? in
      switch message {
      case .welcome: .some(nil)
      case .error(let code, _, _, _): .some(code)
      default: nil
      }
    }
  }

  @Test("with sign-in by token no endpoint gives one away, and the tenant's own open all")
  func tokenSignIn() async throws {
    try await TestServer.run { server in
      let made = try await server.post("/GetAdhocMeetingJob", "Subject=s").text
      let join = try #require(try JSONDecoder().decode([String: String].self, from: Data(made.utf8))["JoinUrl"])
      let old = try await server.discover("daily").token ?? ""
      try await server.setPolicy { $0.signIn = .token }
      for path in ["/discover/daily", "/discover/new"] {
        let answer = try await server.get(path)
        #expect(answer.status == 401 && answer.text.contains("tokenRequired"), "\(path)")
      }
      let adHoc = try await server.post("/GetAdhocMeetingJob", "Subject=s")
      #expect(adHoc.status == 401 && adHoc.text.contains("tokenRequired"))
      let anonymous = try await server.post(
        "/GetAnonTokenJob", "ApplicationSessionId=a&AllowedOrigins=http://localhost&MeetingUrl=\(join)")
      #expect(anonymous.status == 401 && anonymous.text.contains("tokenRequired"))
      // A token that was given away before stays good until it ends.
      #expect(try await outcome(server, old) == nil)
      let token = try await server.token("daily")
      let document = try await server.get("/discover/daily?anonymousMeetingJoinContext=psat%3D\(token)")
      #expect(document.status == 200 && document.text.contains("\"meeting\":\"daily\""))
      #expect(try await outcome(server, token, room: "daily") == nil)
    }
  }

  @Test("threat 27: both endpoints take the longest token, and name the limit to a longer")
  func longest() async throws {
    try await TestServer.run { server in
      // A token with what a tenant's server adds besides the claims that are read here.
      func token(padding: Int) async throws -> String {
        try await server.token("daily", ",\"padding\":\"\(String(repeating: "x", count: padding))\"")
      }
      var padding = (8_180 - (try await token(padding: 0)).utf8.count) * 3 / 4
      var (longest, longer) = ("", try await token(padding: padding))
      while longer.utf8.count <= 8_192 {
        padding += 1
        (longest, longer) = (longer, try await token(padding: padding))
      }
      // Base64 leaves out every fourth length.
      try #require(longest.utf8.count >= 8_191)
      for prefix in ["", "psat="] {
        #expect(try await outcome(server, prefix + longest, room: "daily") == nil)
        #expect(try await outcome(server, prefix + longer, room: "daily") == .badToken)
        func ask(_ token: String) async throws -> TestAnswer {
          try await server.get("/discover/daily", headers: ["Authorization": "Bearer \(prefix)\(token)"])
        }
        #expect(try await ask(longest).status == 200)
        let refused = try await ask(longer)
        #expect(refused.status == 401 && refused.text.contains("badToken"))
        #expect(refused.text.contains("more than 8192 bytes"), "\(refused.text)")
      }
    }
  }

  @Test("threat 24: the WebSocket and the discover address accept the same tokens")
  func oneCheck() async throws {
    try await TestServer.run { server in
      let good = try await server.token("daily")
      let all = try await server.token("*")
      for (token, room, code) in [
        (good, "daily", nil), (good, "other", "wrongMeeting"), (all, "other", nil), (all, nil, "noSuchMeeting"),
        (String(good.dropLast(4)), "daily", "badToken"), ("devtoken", "daily", "badToken"),
        ("T1==AAAA", "daily", "badToken"),
      ] as [(String, String?, String?)] {
        #expect(try await outcome(server, token, room: room)?.rawValue == code, "\(room ?? "-")")
        let path = room.map { "/\($0)" } ?? ""
        for (query, header) in [
          ("?anonymousMeetingJoinContext=psat%3D\(token)", nil), ("", token), ("", "psat=\(token)"),
        ] {
          let headers: HTTPHeaders = header.map { ["Authorization": "Bearer \($0)"] } ?? [:]
          let answer = try await server.get("/discover\(path)\(query)", headers: headers)
          #expect(
            (answer.status == 200) == (code == nil) && (code.map { answer.text.contains($0) } ?? true), "\(answer.text)"
          )
        }
      }
      // Of two the one in the header counts; a proxy's credentials aren't a join token, and lead to a guest's.
      let two = try await server.get(
        "/discover/daily?anonymousMeetingJoinContext=\(good)", headers: ["Authorization": "bearer T1==AAAA"])
      #expect(two.status == 401 && two.text.contains("badToken"))
      let basic = try await server.get("/discover/daily", headers: ["Authorization": "Basic YTpi"])
      #expect(basic.status == 200 && basic.text.contains("psat="))
      // Pages of other origins may send the header.
      let preflight = try await TestServer.request(
        "OPTIONS", server.url + "/discover/daily",
        [
          "Origin": "https://a.example", "Access-Control-Request-Method": "GET",
          "Access-Control-Request-Headers": "authorization",
        ])
      #expect(preflight.status == 204 && preflight.headers["access-control-allow-headers"] == "authorization")
      #expect(server.logged.text.contains("event=token.refused"))
      for secret in [good, all, String(good.dropLast(4)), "T1==AAAA"] { #expect(!server.logged.text.contains(secret)) }
    }
  }

  @Test("devtoken opens rooms in development mode, and the operator is told loudly")
  func development() async throws {
    try await TestServer.run({ $0.isDevelopment = true }) { server in
      #expect(
        server.server.notices.contains {
          $0.contains("DEVELOPMENT") && $0.contains("--development")
            && $0.contains("moderator_token into each of them as a host")
        })
      #expect(try await outcome(server, "devtoken", room: "daily") == nil)
      let (client, welcome) = try await server.join("", "Mo", token: "moderator_token", enters: "daily")
      #expect(welcome.permissions?.contains("moderate") == true)
      await client.close()
    }
  }

  @Test(
    "threat 26: of joins at once exactly as many as the tenant's quota get in")
  func participants() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.maximumParticipants = 4 }
      let tokens = try await [server.token("a"), server.token("b"), server.token("c")]
      let outcomes = try await withThrowingTaskGroup(of: SignalingErrorCode?.self) { group in
        for index in 0..<18 { group.addTask { try await self.outcome(server, tokens[index % 3]) } }
        return try await group.reduce(into: [SignalingErrorCode?]()) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == nil } == 4)
      #expect(outcomes.count { $0 == .quotaReached } == 14)
    }
  }

  @Test(
    "threat 26: a tenant opens no more meetings than its quota, and may join those")
  func meetings() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.maximumMeetings = 1 }
      let (ann, _) = try await server.join("a", "Ann")
      let (bob, _) = try await server.join("a", "Bob")
      let other = try await server.token("b")
      let client = try await server.connect()
      try client.send(.join(.init(token: other, name: "N", offer: "", tracks: [])))
      let text = try await client.first { if case .error(.quotaReached, let text, true, _) = $0 { text } else { nil } }
      #expect(text.contains("limit of 1 meetings"))
      for client in [ann, bob] {
        try client.send(.leave)
        _ = await client.socket.closed()
      }
      try await eventually { try? await outcome(server, other) == nil ? nil : "the meeting still counts" }
    }
  }

  @Test("rooms of two tenants with one name are two meetings")
  func namespaces() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let store = try await server.store()
      let tenant = try TestTenants.make(name: "acme", policy: TenantPolicy(signIn: .token), now: Date())
      let key = APIKey.make(tenant: tenant.id, now: Date())
      try await store.transaction { try $0.insert(tenant, key: key) }
      await store.close()
      let end = Int(Date().timeIntervalSince1970) + 600
      let token = try SharedKey(key.secret).sign(
        Array("{\"iss\":\"\(tenant.apiKey)\",\"exp\":\(end),\"room\":\"daily\"}".utf8))
      let (bob, welcome) = try await server.join("", "Bob", token: token)
      #expect(welcome.participants.map(\.name) == ["Bob"])
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("the first start of a reachable server says what is open and how to close it")
  func firstStart() throws {
    var configuration = ServerConfiguration(workers: 1)
    configuration.dataFolder = "/var/lib/par ley"
    let notices = StartupWarnings.notices(configuration, isFirst: true)
    #expect(notices.count == 1)
    #expect(notices.first?.contains("parley tenant set parley --sign-in token --data '/var/lib/par ley'") == true)
    #expect(notices.first?.contains("--host 127.0.0.1") == true)
    #expect(StartupWarnings.notices(configuration, isFirst: false).isEmpty)
    configuration.host = try #require(IPAddress("127.0.0.1"))
    #expect(StartupWarnings.notices(configuration, isFirst: true).isEmpty)
    #expect(try ServerConfiguration.parse(arguments: ["--development"], environment: [:]).isDevelopment)
    #expect(try ServerConfiguration.parse(arguments: ["--development", "--port", "1"], environment: [:]).port == 1)
    #expect(try ServerConfiguration.parse(arguments: [], environment: ["PARLEY_DEVELOPMENT": "yes"]).isDevelopment)
    #expect(try !ServerConfiguration.parse(arguments: ["--development=no"], environment: [:]).isDevelopment)
  }
}
