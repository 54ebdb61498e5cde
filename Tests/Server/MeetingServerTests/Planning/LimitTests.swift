import Basics
import Foundation
import Meetings
import Signaling
import Synchronization
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Quotas and rates")
struct LimitTests {
  private func fields(_ answer: TestAnswer) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(answer.body))) as? [String: Any] ?? [:]
  }

  @Test("a tenant that asks too often gets its limit at every endpoint that knows it")
  func requests() async throws {
    try await TestServer.run { server in
      let token = try await server.token("room")
      try await server.setPolicy { $0.maximumRequests = 1 }
      // The burst is four; time goes on during the loop, so a few more may pass.
      var refused: TestAnswer?
      for _ in 0..<50 where refused == nil {
        let answer = try await server.get("/discover/room")
        if answer.status != 200 { refused = answer }
      }
      let answer = try #require(refused)
      #expect(answer.status == 429 && fields(answer)["code"] as? String == "quotaReached")
      #expect(fields(answer)["limit"] as? String == "maximumRequests" && answer.text.contains("maximumRequests"))
      #expect(fields(answer)["setting"] as? String == "parley tenant set --max-requests")
      #expect(answer.headers["retry-after"] == "1")
      var codes: Set<SignalingErrorCode> = []
      for _ in 0..<50 where !codes.contains(.quotaReached) {
        let (client, message) = try await server.knock("room", "Bob", token: token)
        if case .error(let code, _, true, _)? = message { codes.insert(code) }
        await client.close()
      }
      #expect(codes == [.quotaReached])
      let counted = try await server.metrics()
      #expect(counted.contains(#"limit="maximumRequests"} "#) && !counted.contains(#"limit="maximumRequests"} 0"#))
      try await server.setPolicy { $0.maximumRequests = nil }
      #expect(try await server.get("/discover/room").status == 200)
    }
  }

  @Test("every endpoint that costs work is limited by address; files and health aren't")
  func doors() async throws {
    try await TestServer.run({ $0.addressRate = 1 }) { server in
      for door in [
        "/session/create", "/hl/session/create", "/v2/project/1/session/2/stream", "/signin", "/signout", "/readyz",
        "/discover/room", "/api/v1/meetings/room",
      ] {
        var refused: TestAnswer?
        for _ in 0..<50 where refused == nil {
          let answer = try await server.get(door)
          if answer.status == 429 { refused = answer }
        }
        #expect(refused.map { fields($0)["limit"] as? String } == "addressRate", "\(door)")
        for file in ["/", "/room", "/sdk/parley.js", "/healthz"] {
          #expect(try await server.get(file).status == 200, "\(file)")
        }
      }
    }
  }

  @Test("whether the store is writable is asked once a second, whoever wants to know")
  func storeCheck() async throws {
    let asked = Mutex(0)
    let check = StoreCheck { () async throws(MeetingStoreError) in
      let count = asked.withLock { count in
        count += 1
        return count
      }
      if count == 2 { throw .closed }
    }
    let start = Instant(nanoseconds: 5_000_000_000)
    for step in 0..<10 { try await check.run(now: start + .milliseconds(Int64(step) * 99)) }
    #expect(asked.withLock { $0 } == 1)
    for _ in 0..<3 {
      await #expect(throws: MeetingStoreError.self) { try await check.run(now: start + .seconds(1)) }
    }
    #expect(asked.withLock { $0 } == 2)
    try await check.run(now: start + .seconds(2))
    #expect(asked.withLock { $0 } == 3)
  }

  @Test("a connection too many of one address is counted, and told its limit and option")
  func connections() async throws {
    try await TestServer.run({ $0.addressConnections = 2 }) { server in
      // A participant's connection gives way to nobody; silent connections would.
      let held = [try await server.join("daily", "Ann").0, try await server.join("daily", "Bob").0]
      let refused = try await RawHTTP.send(
        Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), to: server.server.port)
      let answer = try #require(refused)
      let fields = (try? JSONSerialization.jsonObject(with: Data(answer.body.utf8))) as? [String: String] ?? [:]
      #expect(answer.status == 503 && fields["code"] == "tooManyConnections", "\(answer)")
      #expect(fields["limit"] == "addressConnections" && fields["setting"] == "--address-connections", "\(answer)")
      #expect(fields["Error"]?.contains("2 connections") == true && answer.headers["retry-after"] == "5", "\(answer)")
      #expect(try await server.metrics().contains(#"parley_limited_total{limit="addressConnections"} 1"#))
      for client in held { await client.close() }
    }
  }

  @Test("every limit says where it is set, and the guide has each of them")
  func settings() throws {
    let guide = try Repository.text(of: "docs/operating/limits.md")
    for limit in LimitReached.Limit.allCases {
      #expect(guide.contains("`\(limit.rawValue)`"), "\(limit) is not in docs/operating/limits.md")
      for word in limit.setting.split(separator: " ") where word.hasPrefix("--") {
        #expect(guide.contains(word.filter { $0 != "," }), "\(word) of \(limit) is not in docs/operating/limits.md")
      }
    }
  }

  @Test("one token cannot be used too often, and another still can")
  func tokens() async throws {
    try await TestServer.run({ $0.tokenRate = 1 }) { server in
      let (first, second) = (
        try await server.token("room", #","jti":"a""#), try await server.token("room", #","jti":"b""#)
      )
      var refused: TestAnswer?
      for _ in 0..<50 where refused == nil {
        let answer = try await server.get("/discover?anonymousMeetingJoinContext=psat%3D\(first)")
        if answer.status != 200 { refused = answer }
      }
      let answer = try #require(refused)
      #expect(answer.status == 429 && fields(answer)["limit"] as? String == "tokenRate")
      #expect(try await server.get("/discover?anonymousMeetingJoinContext=psat%3D\(second)").status == 200)
      let counted = try await server.metrics()
      #expect(counted.contains(#"limit="tokenRate"} "#) && !counted.contains(#"limit="tokenRate"} 0"#))
    }
  }

  @Test("buckets fill again with time, in the share that was set")
  func buckets() throws {
    let limits = RequestLimits(tokenRate: 2, counters: LimitCounters())
    var tenant = Tenant(
      id: .random(), name: "acme", apiKey: "1", isDefault: false, policy: .init(signIn: .token, maximumRequests: 10),
      signingKey: .init(""), signingKeyID: "", created: Date())
    let start = Instant(nanoseconds: 1_000_000_000)
    func taken(_ now: Instant) -> Int { (0..<100).count { _ in limits.take(tenant, now: now) == nil } }
    #expect(taken(start) == 40)
    #expect(taken(start) == 0)
    #expect(taken(start + .seconds(1)) == 10)
    #expect(taken(start + .seconds(1_000)) == 40)
    tenant.policy.maximumRequests = nil
    #expect(taken(start) == 100)
    let grant = JoinGrant(
      form: .parley, tenant: tenant.id, id: TokenID(rawValue: "a"), target: .anyRoom, role: .publisher, expires: Date())
    #expect((0..<100).count { _ in limits.take(grant, now: start) == nil } == 8)
    #expect(limits.take(grant, now: start)?.limit == .tokenRate)
  }

  @Test("an address that asks too often is refused, however many others ask meanwhile")
  func manyAddresses() throws {
    let limits = AddressLimits(perSecond: 1, counters: OperationCounters())
    let start = Instant(nanoseconds: 1_000_000_000)
    let (own, now) = (IPAddress(v4: 0xC000_0201), start)
    for _ in 0..<4 { try limits.take(own, now: now) }
    #expect(throws: Refusal.self) { try limits.take(own, now: now) }
    for other in 0..<60_000 {
      try? limits.take(IPAddress(v4: 0x0A00_0000 + UInt32(other)), now: start + .microseconds(Int64(other)))
      if other % 5_000 == 0 { try? limits.take(own, now: start + .microseconds(Int64(other))) }
    }
    #expect(throws: Refusal.self) { try limits.take(own, now: start + .milliseconds(61)) }
  }

  @Test(
    "threat 43: writes without an account have a lower rate than reads, everywhere")
  func writes() async throws {
    try await TestServer.run {
      ($0.addressRate, $0.addressWriteRate) = (10_000, 1)
    } _: { server in
      let made = try await server.post("/GetAdhocMeetingJob", "Subject=x")
      let url = try #require(fields(made)["JoinUrl"] as? String)
      let planned = try await server.post(
        "/api/v1/meetings", "{}", headers: ["Content-Type": "application/json"])
      let (host, room) = (
        try #require(fields(planned)["hostToken"] as? String), try #require(fields(planned)["room"] as? String)
      )
      let own = try await server.token("own", #","role":"moderator""#)
      var refused: TestAnswer?
      // Twenty at once; time goes on during the loop.
      for _ in 0..<100 where refused == nil {
        let answer = try await server.post("/GetAdhocMeetingJob", "Subject=x")
        if answer.status != 200 { refused = answer }
      }
      let answer = try #require(refused)
      #expect(answer.status == 429 && fields(answer)["limit"] as? String == "addressWriteRate", "\(answer.text)")
      #expect(fields(answer)["setting"] as? String == "--address-write-rate")
      let json: HTTPHeaders = ["Content-Type": "application/json"]
      var asHost = json
      asHost["Authorization"] = "Bearer \(host)"
      let address = server.url + "/api/v1/meetings/\(room)"
      // A second gives one back, so each is asked twice.
      func isRefused(_ ask: () async throws -> Int) async throws -> Bool {
        for _ in 0..<3 where try await ask() == 429 { return true }
        return false
      }
      let token = "ApplicationSessionId=a&AllowedOrigins=http://a.example&MeetingUrl=\(url)"
      #expect(try await isRefused { try await server.post("/GetAnonTokenJob", token).status })
      #expect(try await isRefused { try await server.post("/api/v1/meetings", "{}", headers: json).status })
      #expect(
        try await isRefused {
          try await TestServer.request("PATCH", address, asHost, Array(#"{"subject":"x"}"#.utf8)).status
        })
      #expect(try await isRefused { try await TestServer.request("DELETE", address, asHost).status })
      var codes: [SignalingErrorCode?] = []
      for number in 0..<3 {
        let (client, message) = try await server.knock("guest\(number)", "Eve")
        if case .error(let code, _, true, _)? = message { codes.append(code) } else { codes.append(nil) }
        await client.close()
      }
      #expect(codes.contains(.quotaReached))
      // Reading goes on, joining what is there does, and so does what the tenant's own people make.
      #expect(try await server.get("/discover/\(room)").status == 200)
      let (_, own1) = try await server.knock("own", "Ann", token: own)
      guard case .welcome? = own1 else { throw Unexpected(own1) }
      let (_, guest) = try await server.knock("own", "Ben")
      guard case .welcome? = guest else { throw Unexpected(guest) }
    }
  }

  @Test(
    "threat 43: a tenant keeps as many meetings as the server says, strangers fewer"
  )
  func storedByDefault() async throws {
    try await TestServer.run {
      $0.maximumStoredMeetings = 4
    } _: { server in
      let ad = { try await server.post("/GetAdhocMeetingJob", "Subject=x") }
      for _ in 0..<3 { #expect(try await ad().status == 200) }
      let refused = try await ad()
      #expect(refused.status == 429 && fields(refused)["limit"] as? String == "maximumStoredMeetings")
      #expect(refused.text.contains("3 meetings") && refused.text.contains("without an account"), "\(refused.text)")
      _ = try await server.join("own", "Ann", token: try await server.token("own"))
      let (_, message) = try await server.knock("two", "Bob", token: try await server.token("two"))
      guard case .error(.quotaReached, let text, true, _)? = message else { throw Unexpected(message) }
      #expect(text.contains("4 meetings") && text.contains("maximumStoredMeetings"))
      try await server.setPolicy { $0.maximumStoredMeetings = 5 }
      _ = try await server.join("two", "Bob", token: try await server.token("two"))
    }
  }

  @Test("a tenant keeps no more meetings than it may, whichever endpoint makes them")
  func storedMeetings() async throws {
    try await TestServer.run { server in
      _ = try await server.join("one", "Ann")
      try await server.setPolicy { $0.maximumStoredMeetings = 1 }
      for answer in [
        try await server.get("/discover/two"), try await server.post("/GetAdhocMeetingJob", "Subject=x"),
      ] {
        #expect(answer.status == 429 && fields(answer)["limit"] as? String == "maximumStoredMeetings", "\(answer.text)")
      }
      let (_, message) = try await server.knock("two", "Bob", token: try await server.token("two"))
      guard case .error(.quotaReached, let text, true, _)? = message else { throw Unexpected(message) }
      #expect(text.contains("maximumStoredMeetings"))
      // Stored meetings can be joined, and a removed one makes room.
      _ = try await server.join("one", "Bob")
      #expect(try await server.metrics().contains(#"parley_limited_total{limit="maximumStoredMeetings"} 3"#))
      try await server.setPolicy { $0.maximumStoredMeetings = 2 }
      #expect(try await server.get("/discover/two").status == 200)
    }
  }

  @Test("limits of meetings and participants, at once and of one meeting, are counted")
  func counted() async throws {
    try await TestServer.run { server in
      try await server.setPolicy {
        $0.maximumMeetings = 1; $0.maximumParticipants = 2
      }
      try await server.makeMeeting("small", capacity: 1)
      _ = try await server.join("small", "Ann")
      for (room, code) in [("small", SignalingErrorCode.meetingFull), ("other", .quotaReached)] {
        let (_, message) = try await server.knock(room, "Bob")
        guard case .error(code, _, true, _)? = message else { throw Unexpected(message) }
      }
      try await server.setPolicy {
        $0.maximumMeetings = nil; $0.maximumParticipants = 1
      }
      let (_, message) = try await server.knock("third", "Bob")
      guard case .error(.quotaReached, _, true, _)? = message else { throw Unexpected(message) }
      let text = try await server.metrics()
      for name in ["capacity", "maximumMeetings", "maximumParticipants"] {
        #expect(text.contains("parley_limited_total{limit=\"\(name)\"} 1"), "\(name)")
      }
    }
  }

  @Test(
    "tokens made or used are listed, never shown, and revocable by their entry")
  func list() async throws {
    try await TestServer.run { server in
      let port = try #require(server.server.adminPort)
      let address = "http://127.0.0.1:\(port)/api/v1/tokens"
      let made = try await TestServer.request(
        "POST", address, ["Content-Type": "application/json"],
        Array(#"{"room":"Daily","role":"moderator","name":"Ann"}"#.utf8))
      let token = try #require(fields(made)["token"] as? String)
      let id = try #require(fields(made)["id"] as? String)
      let other = try await server.token("daily", #","jti":"theirs","sub":"bob""#)
      _ = try await server.join("daily", "Ann", token: token)
      _ = try await server.join("daily", "Bobby", token: other)
      func list(_ query: String = "") async throws -> [[String: Any]] {
        let answer = try await TestServer.request("GET", address + query)
        #expect(!answer.text.contains(token) && !answer.text.contains(other))
        return fields(answer)["items"] as? [[String: Any]] ?? []
      }
      try await eventually {
        let used = try await list().filter { $0["used"] != nil }
        return used.count == 2 ? nil : "\(used.count) tokens are noted as used"
      }
      let all = try await list()
      let (theirs, ours) = (try #require(all.first), try #require(all.last))
      #expect(ours["id"] as? String == id && ours["issued"] != nil && ours["uses"] as? Int == 1)
      #expect(ours["role"] as? String == "moderator" && ours["state"] as? String == "live")
      #expect(theirs["id"] as? String == "theirs" && theirs["user"] as? String == "bob" && theirs["issued"] == nil)
      #expect(theirs["name"] as? String == "Bobby" && theirs["room"] as? String == "Daily")
      #expect(try await list("?room=DAILY&limit=1").count == 1)
      #expect(all.count == 2)
      #expect(try await list("?room=elsewhere").isEmpty)
      let next = try await TestServer.request("GET", address + "?limit=1")
      let after = try #require(fields(next)["next"] as? String)
      #expect(try await list("?limit=1&after=\(after)").first?["id"] as? String == id)
      #expect(try await TestServer.request("DELETE", address + "/theirs").status == 204)
      #expect(try await list().first?["state"] as? String == "revoked")
      let (_, refused) = try await server.knock("daily", "Bobby", token: other)
      guard case .error(.badToken, _, true, _)? = refused else { throw Unexpected(refused) }
    }
  }
}
