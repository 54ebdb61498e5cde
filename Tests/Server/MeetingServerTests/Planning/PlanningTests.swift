import Basics
import Foundation
import Meetings
import Signaling
import TestTenants
import Testing
import Transport

@testable import MeetingServer

@Suite("Planned meetings")
struct PlanningTests {
  private typealias Answer = (status: Int, code: String, fields: [String: Any], text: String, headers: HTTPHeaders)

  private func call(
    _ method: String, _ url: String, _ body: String? = nil, token: String? = nil, origin: String? = nil
  ) async throws -> Answer {
    var headers = HTTPHeaders()
    if let origin { headers["Origin"] = origin }
    if body != nil { headers["Content-Type"] = "application/json" }
    if let token { headers["Authorization"] = "Bearer \(token)" }
    let answer = try await TestServer.request(method, url, headers, body.map { Array($0.utf8) })
    let fields = (try? JSONSerialization.jsonObject(with: Data(answer.body))) as? [String: Any] ?? [:]
    return (answer.status, fields["code"] as? String ?? "", fields, answer.text, answer.headers)
  }

  private func admin(_ server: TestServer, _ method: String, _ path: String, _ body: String? = nil) async throws
    -> Answer
  {
    try await call(method, "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/\(path)", body)
  }

  /// A time from now on the clocks of UTC, as schedules have it.
  private func time(in seconds: Double) -> String {
    CivilTime(seconds: Int((Date().timeIntervalSince1970 + seconds).rounded(.up))).text
  }

  private func schedule(_ fields: [String: Any]) -> [String: Any] { fields["schedule"] as? [String: Any] ?? [:] }

  /// Plans `room` by the administration and returns the meeting's id.
  private func plan(_ server: TestServer, _ room: String, _ schedule: String, _ more: String = "") async throws
    -> String
  {
    let answer = try await admin(
      server, "POST", "meetings", #"{"room":"\#(room)","subject":"Team","schedule":{\#(schedule)}\#(more)}"#)
    guard answer.status == 201 else { throw Unexpected(text: answer.text) }
    return try #require(answer.fields["id"] as? String)
  }

  private func refusal(_ message: ServerMessage?) -> SignalingErrorCode? {
    if case .error(let code, _, true, _)? = message { code } else { nil }
  }

  @Test(
    "a calendar hears of a plan, its change and its cancellation, which admits nobody"
  )
  func life() async throws {
    try await TestServer.run { server in
      let id = try await plan(
        server, "weekly",
        #""start":"\#(time(in: 86_400))","timeZone":"Europe/Berlin","rule":"FREQ=DAILY;COUNT=3","organizer":"Ann <ann@example.com>","attendees":["bob@example.com"]"#
      )
      let listed = try await admin(server, "GET", "meetings/\(id)/occurrences")
      #expect((listed.fields["items"] as? [Any])?.count == 3)
      let nowhere = try await admin(server, "GET", "meetings/\(id)/calendar")
      #expect(nowhere.status == 422 && nowhere.code == "addressNeeded")
      let invited = try await admin(server, "GET", "meetings/\(id)/calendar?server=https%3A%2F%2Fmeet.example.com")
      #expect(invited.headers["content-type"] == "text/calendar; charset=utf-8; method=REQUEST")
      #expect(invited.text.contains("METHOD:REQUEST") && invited.text.contains("SEQUENCE:0"))
      #expect(
        invited.text.contains("URL:https://meet.example.com/weekly") && invited.text.contains("mailto:bob@example.com"))

      let changed = try await admin(
        server, "PATCH", "meetings/\(id)", #"{"subject":"Other","schedule":{"duration":1800}}"#)
      #expect(changed.status == 200 && schedule(changed.fields)["sequence"] as? Int == 2)
      #expect(schedule(changed.fields)["duration"] as? Int == 1_800 && changed.fields["subject"] as? String == "Other")
      let bad = try await admin(server, "PATCH", "meetings/\(id)", #"{"schedule":{"rule":"FREQ=HOURLY"}}"#)
      #expect(bad.status == 422 && bad.code == "badRule")

      #expect(try await admin(server, "POST", "meetings/\(id)/cancel").status == 200)
      let cancelled = try await admin(server, "GET", "meetings/\(id)/calendar?server=https%3A%2F%2Fmeet.example.com")
      #expect(cancelled.text.contains("METHOD:CANCEL") && cancelled.text.contains("SEQUENCE:3"))
      for claims in ["", #","role":"organizer""#] {
        let (_, answer) = try await server.knock("weekly", "Bob", token: try await server.token("weekly", claims))
        #expect(refusal(answer) == .meetingCancelled)
      }
      let log = try await admin(server, "GET", "audit")
      for action in ["meeting.create", "meeting.change", "meeting.cancel"] {
        #expect(log.text.contains("\"\(action)\""))
      }
    }
  }

  @Test("early people get the time; a host comes in at any time, and admits the others")
  func early() async throws {
    try await TestServer.run { server in
      _ = try await plan(server, "later", #""start":"\#(time(in: 7_200))","early":"refuse""#)
      let (_, answer) = try await server.knock("later", "Bob")
      guard case .error(.notStarted, let text, true, _) = answer else { throw Unexpected(answer) }
      #expect(text.contains("(UTC)"))
      let document = try await server.discover("later")
      #expect(document.schedule?.state == .before && document.schedule?.repeats == false)
      let (host, _) = try await server.lobbyHost("later")
      let (_, second) = try await server.knock("later", "Bob")
      guard case .welcome = second else { throw Unexpected(second) }
      await host.close()
    }
  }

  @Test("people who may wait for the beginning do, and come in then")
  func waiting() async throws {
    try await TestServer.run { server in
      // On a machine that is too busy to knock in time, the next one begins later.
      for delay in [2.0, 10, 40] {
        _ = try await plan(
          server, "soon\(Int(delay))", #""start":"\#(time(in: delay))","opensBefore":0,"early":"wait""#)
        let (bob, answer) = try await server.knock("soon\(Int(delay))", "Bob")
        guard case .waiting(.start, _) = answer else {
          guard case .welcome = answer, delay < 40 else { throw Unexpected(answer) }
          continue
        }
        // A wait that ends early would take the welcome with it.
        var isIn = false
        while !isIn, let message = try await bob.next() { if case .welcome = message { isIn = true } }
        #expect(isIn, "Bob is not let in")
        break
      }
      // Too long to wait for: the answer says the time instead.
      _ = try await plan(server, "tomorrow", #""start":"\#(time(in: 86_400))","early":"wait""#)
      let (_, far) = try await server.knock("tomorrow", "Bob")
      #expect(refusal(far) == .notStarted)
      _ = try await plan(server, "any", #""start":"\#(time(in: 86_400))","early":"open""#)
      _ = try await server.join("any", "Bob")
    }
  }

  @Test("an early host admits people who wait for the time, past the lobby only who may")
  func hostOpens() async throws {
    try await TestServer.run { server in
      _ = try await plan(
        server, "board", #""start":"\#(time(in: 1_200))","opensBefore":0"#, #","accessLevel":"SameEnterprise""#)
      let (guest, first) = try await server.knock("board", "Gil")
      guard case .waiting(.start, _) = first else { throw Unexpected(first) }
      let (own, second) = try await server.knock("board", "Olga", token: try await server.token("board"))
      guard case .waiting(.start, _) = second else { throw Unexpected(second) }
      let (host, _) = try await server.join(
        "board", "Ann", token: try await server.token("board", #","role":"moderator""#))
      _ = try await own.welcome()
      guard case .waiting(.lobby, _) = try await guest.next() else {
        throw Unexpected(text: "the guest does not wait in the lobby")
      }
      try await host.lobby(of: ["Gil"])
    }
  }

  @Test("after the end only hosts come in, unless the entry times let others in")
  func over() async throws {
    try await TestServer.run { server in
      _ = try await plan(server, "past", #""start":"\#(time(in: -7_200))","duration":60,"closesAfter":0"#)
      #expect(try await server.discover("past").schedule?.state == .over)
      let (_, answer) = try await server.knock("past", "Bob")
      #expect(refusal(answer) == .meetingExpired)
      _ = try await server.join("past", "Ann", token: try await server.token("past", #","role":"organizer""#))
      _ = try await plan(server, "kept", #""start":"\#(time(in: -7_200))","duration":60,"closesAfter":null"#)
      _ = try await server.join("kept", "Bob")
    }
  }

  @Test("without an account a plan has a random name, four weeks, and its host's token")
  func open() async throws {
    try await TestServer.run { server in
      let address = server.url + "/api/v1/meetings"
      let body =
        #"{"subject":"Tea","schedule":{"start":"\#(time(in: 86_400))","timeZone":"Asia/Tokyo","attendees":["bob@example.com"]}}"#
      let made = try await call("POST", address, body)
      #expect(made.status == 201)
      let room = try #require(made.fields["room"] as? String)
      let host = try #require(made.fields["hostToken"] as? String)
      #expect(room.utf8.count == 26 && made.fields["address"] as? String == "\(server.url)/\(room)")

      // A guest with the address sees the time and nobody's e-mail address; the host sees them.
      let seen = try await call("GET", "\(address)/\(room)")
      #expect(seen.status == 200 && !seen.text.contains("bob@") && seen.fields["hostToken"] == nil)
      #expect(try await call("GET", "\(address)/\(room)", token: host).text.contains("bob@"))
      let file = try await call("GET", "\(address)/\(room)/calendar")
      #expect(file.status == 200 && file.text.contains("METHOD:PUBLISH") && !file.text.contains("mailto:"))
      #expect(file.headers["content-disposition"]?.contains("filename*=UTF-8''\(room).ics") == true)
      #expect(try await call("GET", "\(address)/\(room)/calendar?jwt=\(host)").text.contains("mailto:bob@example.com"))
      #expect(((try await call("GET", "\(address)/\(room)/occurrences")).fields["items"] as? [Any])?.count == 1)

      // Nobody else changes it.
      let change = #"{"schedule":{"duration":600}}"#
      #expect(try await call("PATCH", "\(address)/\(room)", change).status == 401)
      #expect(try await call("PATCH", "\(address)/\(room)?jwt=\(host)", change).status == 401)
      #expect(try await call("DELETE", "\(address)/\(room)", token: try await server.token(room)).status == 403)
      #expect(try await call("PATCH", "\(address)/\(room)", change, token: "nonsense").status == 401)
      #expect(try await call("PATCH", "\(address)/\(room)", change, token: host).status == 200)
      _ = try await server.join(room, "Ann", token: host)
      #expect(try await call("DELETE", "\(address)/\(room)", token: host).status == 200)
      #expect(try await server.discover(room).schedule?.state == .cancelled)

      for (body, status, code) in [
        (#"{"room":"mine","schedule":{"start":"\#(time(in: 60))"}}"#, 403, "notAllowed"),
        (#"{"schedule":{"start":"\#(time(in: 29 * 86_400))"}}"#, 422, "tooFarAhead"),
        (#"{"schedule":{"start":"\#(time(in: 60))","rule":"FREQ=DAILY"}}"#, 422, "tooFarAhead"),
        (#"{"schedule":{"start":"tomorrow at ten"}}"#, 400, "badField"), (#"{"subject":7}"#, 400, "badField"),
        (#"{"schedule":{"start":"\#(time(in: 60))","timeZone":"../../etc/passwd"}}"#, 422, "badTimeZone"),
        (#"{"schedule":{"start":"\#(time(in: 60))","nope":1}}"#, 400, "unknownField"), ("[]", 400, "badField"),
        (#"{"schedule":[]}"#, 400, "badField"),
      ] {
        let answer = try await call("POST", address, body)
        #expect(answer.status == status && answer.code == code, "\(body): \(answer.text)")
      }
      // A null is as absent: many serialisers write it for what is not set.
      let nulls = #"{"room":null,"subject":null,"summary":null,"accessLevel":null,"encrypted":null,"schedule":null}"#
      #expect(try await call("POST", address, nulls).status == 201)
      let inner = #"{"schedule":{"start":"\#(time(in: 3_600))","rule":null,"duration":null,"attendees":null}}"#
      #expect(try await call("POST", address, inner).status == 201)
      #expect(try await call("POST", address, #"{"nope":null}"#).code == "unknownField")
      #expect(try await call("PUT", address, "{}").headers["allow"] == "POST")
      #expect(try await call("GET", "\(address)/nothing-here").status == 404)
      #expect(try await call("GET", "\(address)/a/b").status == 404)

      try await server.setPolicy { $0.signIn = .token }
      let refused = try await call("POST", address, body)
      #expect(refused.status == 401 && refused.code == "tokenRequired")
    }
  }

  @Test("threat 28: foreign origins make no meeting with a host; own and allowed ones do")
  func origins() async throws {
    try await TestServer.run { server in
      let address = "\(server.url)/api/v1/meetings"
      let later = #"{"subject":"Tea","schedule":{"start":"\#(time(in: 86_400))"}}"#
      for body in ["{}", later] {
        for origin in ["https://evil.example", "null", "not an origin", "http://localhost:1"] {
          let answer = try await call("POST", address, body, origin: origin)
          #expect(answer.status == 403 && answer.code == "wrongOrigin", "\(origin), \(body): \(answer.text)")
          #expect(answer.fields["hostToken"] == nil, "\(origin), \(body)")
        }
        for origin in [nil, server.url] {
          #expect(try await call("POST", address, body, origin: origin).status == 201, "\(origin ?? "none"), \(body)")
        }
      }
      try await server.setPolicy { $0.allowedOrigins = WebOrigin.list("https://app.example") ?? [] }
      #expect(try await call("POST", address, later, origin: "https://app.example").status == 201)
      #expect(try await call("POST", address, later, origin: "https://evil.example").status == 403)
      let store = try await server.store()
      #expect(try await store.meetings(tenant: nil, limit: 10).count == 5)
      await store.close()
    }
  }

  @Test("a meeting without a time is open now, and its creator alone is its host")
  func withoutTime() async throws {
    try await TestServer.run { server in
      let address = "\(server.url)/api/v1/meetings"
      let made = try await call("POST", address, "{}")
      let open = made.fields["room"] as? String ?? ""
      #expect(made.status == 201 && made.fields["schedule"] == nil && open.count >= 12, "\(made.text)")
      let (_, guest) = try await server.join(open, "Bob")
      let (_, own) = try await server.join(open, "Ann", token: made.fields["hostToken"] as? String)
      #expect(guest.permissions?.contains("moderate") == false && own.permissions?.contains("moderate") == true)
      let change = try await call(
        "PATCH", "\(address)/\(open)", #"{"accessLevel":"Locked"}"#, token: made.fields["hostToken"] as? String)
      #expect(change.status == 200)
      guard case .waiting(.lobby, _)? = try await server.knock(open, "Eve").1 else {
        throw Unexpected(text: "no lobby")
      }
    }
  }

  @Test("a tenant's lobby and chat rules hold for all its meetings; none is kept forever")
  func defaults() async throws {
    try await TestServer.run { server in
      try await server.setPolicy {
        $0.lobby.waitsForHost = true
        $0.chat.writers = .hosts
      }
      #expect(try await admin(server, "POST", "meetings", #"{"room":"by-hand"}"#).status == 201)
      #expect(try await admin(server, "POST", "meetings", #"{"room":"anns","owner":"ann"}"#).status == 201)
      let open = #"{"subject":"Tea","schedule":{"start":"\#(time(in: 86_400))","closesAfter":null}}"#
      #expect(try await call("POST", server.url + "/api/v1/meetings", open).status == 201)
      let store = try await server.store()
      let meetings = try await store.meetings(tenant: nil, limit: 10)
      await store.close()
      #expect(meetings.count == 3)
      for meeting in meetings {
        #expect(meeting.lobby.waitsForHost, "\(meeting.subject)")
        #expect(meeting.chat.writers == .hosts, "\(meeting.subject)")
      }
      #expect(meetings.first { $0.subject == "Tea" }?.expires != nil)
    }
  }

  @Test("a tenant's server plans its own meetings by JWT, under its own names and times")
  func server() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.signIn = .token }
      let store = try await server.store()
      let tenant = try await store.defaultTenant(now: Date())
      let secret = try #require(try await store.apiKeys(of: tenant.id).first?.secret)
      let other = try TestTenants.make(name: "other", policy: TenantPolicy(signIn: .token), now: Date())
      let otherKey = APIKey.make(tenant: other.id, now: Date())
      try await store.transaction { try $0.insert(other, key: otherKey) }
      await store.close()
      func jwt(_ apiKey: String, _ secret: Secret<String>) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        return try SharedKey(secret).sign(
          Array(#"{"iss":"\#(apiKey)","ist":"project","iat":\#(now),"exp":\#(now + 60)}"#.utf8))
      }
      let address = server.url + "/api/v1/meetings"
      let body = #"{"room":"Board Room","schedule":{"start":"\#(time(in: 300 * 86_400))","rule":"FREQ=WEEKLY"}}"#
      let made = try await call("POST", address, body, token: try jwt(tenant.apiKey, secret))
      #expect(made.status == 201 && made.fields["room"] as? String == "BoardRoom")
      // It is known by its JWT, wherever the request comes from.
      let again = try await call(
        "POST", address, body, token: try jwt(tenant.apiKey, secret), origin: "https://evil.example")
      #expect(again.status == 409 && again.code == "roomTaken")
      #expect(try await call("GET", "\(address)/boardroom", token: try jwt(tenant.apiKey, secret)).status == 200)
      #expect(
        try await call("GET", "\(address)/boardroom", token: try jwt(other.apiKey, otherKey.secret)).status == 404)
      #expect(
        try await call("DELETE", "\(address)/boardroom", token: try jwt(other.apiKey, otherKey.secret)).status == 404)
    }
  }

  @Test(
    "a host edits the texts of any planned meeting, and its time only within bounds"
  )
  func texts() async throws {
    try await TestServer.run { server in
      let store = try await server.store()
      let tenant = try await store.defaultTenant(now: Date())
      var far = ScheduleRequest()
      (far.start, far.rule) = (time(in: 300 * 86_400), "FREQ=WEEKLY")
      var record = MeetingRecord(
        tenant: tenant.id, room: try RoomName("far"), kind: .named, subject: "Far", created: Date() - 86_400 * 300,
        expires: Date() + 86_400 * 700)
      record.schedule = try far.schedule(now: Date())
      try await store.transaction { [record] in try $0.insert(record) }
      let host = try await server.token("far", #","role":"organizer""#)
      let address = server.url + "/api/v1/meetings/far"
      for body in [
        #"{"subject":"Near"}"#, #"{"summary":"all of it"}"#, #"{"schedule":{"attendees":["bob@example.com"]}}"#,
        #"{"schedule":{"timeZone":"UTC","early":"refuse"}}"#,
      ] {
        let answer = try await call("PATCH", address, body, token: host)
        #expect(answer.status == 200, "\(body): \(answer.text)")
      }
      let changed = try #require(try await store.meeting(id: record.id))
      #expect(changed.subject == "Near" && changed.summary == "all of it" && changed.schedule?.sequence == 4)
      #expect(changed.expires.map { abs($0.timeIntervalSince(record.expires ?? .distantPast)) < 1 } == true)
      let moved = try await call("PATCH", address, #"{"schedule":{"duration":600}}"#, token: host)
      #expect(moved.status == 422 && moved.code == "tooFarAhead")
      #expect(try await store.meeting(id: record.id) == changed)
      await store.close()
    }
  }

  @Test("two changes of a meeting at once both hold, whether it is planned or not")
  func atOnce() async throws {
    try await TestServer.run { server in
      for (room, schedule) in [("plain", ""), ("planned", #","schedule":{"start":"\#(time(in: 3_600))"}"#)] {
        let made = try await admin(server, "POST", "meetings", #"{"room":"\#(room)","subject":"Old"\#(schedule)}"#)
        let id = try #require(made.fields["id"] as? String)
        let bodies =
          [#"{"subject":"New"}"#, #"{"summary":"text"}"#, #"{"capacity":7}"#, #"{"accessLevel":"Invited"}"#]
          + [#"{"chatWriters":"hosts"}"#, #"{"chatMessages":5}"#, #"{"passcode":"1234"}"#, #"{"waitForHost":true}"#]
          + [#"{"announce":false}"#, #"{"lobbySeconds":60}"#]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
          for body in bodies { group.addTask { try await self.admin(server, "PATCH", "meetings/\(id)", body).status } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == bodies.map { _ in 200 })
        let seen = try await admin(server, "GET", "meetings/\(id)").fields
        #expect(seen["subject"] as? String == "New" && seen["summary"] as? String == "text")
        #expect(seen["capacity"] as? Int == 7 && seen["accessLevel"] as? String == "Invited")
        #expect(seen["passcode"] as? Bool == true && seen["waitForHost"] as? Bool == true)
        #expect(seen["announce"] as? Bool == false && seen["lobbySeconds"] as? Int == 60)
        let chat = seen["chat"] as? [String: Any]
        #expect(chat?["writers"] as? String == "hosts" && chat?["messages"] as? Int == 5)
      }
    }
  }

  @Test(
    "threat 25: a meeting's description is only for those who could go straight in",
    arguments: [#""accessLevel":"Locked""#, #""accessLevel":"Invited""#, #""passcode":"123456""#, ""])
  func summary(doors: String) async throws {
    try await TestServer.run { server in
      _ = try await plan(
        server, "board", #""start":"\#(time(in: 3_600))""#,
        #","summary":"We sell the house"\#(doors.isEmpty ? "" : ",")\#(doors)"#)
      let address = "\(server.url)/api/v1/meetings/board"
      let isOpen = doors.isEmpty
      let guest = try await server.discover("board").token.map { String($0.trimmingPrefix("psat=")) } ?? ""
      for token in [nil, guest, try await server.token("board", #","guest":true"#)] {
        let seen = try await call("GET", address, token: token)
        #expect(seen.status == 200 && seen.fields["subject"] as? String == "Team", "\(seen.text)")
        #expect(seen.text.contains("We sell the house") == isOpen, "\(seen.text)")
        let calendar = try await call("GET", address + "/calendar", token: token)
        #expect(calendar.status == 200 && calendar.text.contains("We sell the house") == isOpen, "\(calendar.text)")
      }
      for claims in ["", #","role":"moderator""#] {
        let seen = try await call("GET", address, token: try await server.token("board", claims))
        #expect(seen.text.contains("We sell the house"), "\(seen.text)")
      }
    }
  }

  @Test("a room's own token looks for what is planned there, and makes nothing by looking")
  func looking() async throws {
    try await TestServer.run { server in
      let token = try await server.token("nowhere", #","role":"organizer""#)
      let address = server.url + "/api/v1/meetings/nowhere"
      #expect(try await call("GET", address, token: token).status == 404)
      #expect(try await call("PATCH", address, #"{"subject":"x"}"#, token: token).status == 404)
      let document = try await server.get("/discover/nowhere?anonymousMeetingJoinContext=\(token)")
      #expect(document.status == 200 && document.text.contains("\"meeting\":\"nowhere\""))
      let store = try await server.store()
      #expect(try await store.meetings(tenant: nil, limit: 10).isEmpty)
      // It is made by joining.
      let (client, _) = try await server.join("nowhere", "Ann", token: token)
      #expect(try await store.meetings(tenant: nil, limit: 10).map(\.room.display) == ["nowhere"])
      #expect(try await call("GET", address, token: token).status == 200)
      await store.close()
      await client.close()
    }
  }

  @Test("a personal room's owner is organizer with any token, and everybody else waits")
  func personal() async throws {
    try await TestServer.run { server in
      let made = try await admin(server, "POST", "meetings", #"{"room":"anns-place","owner":"ann"}"#)
      #expect(made.status == 201 && made.fields["kind"] as? String == "personal")
      let second = try await admin(server, "POST", "meetings", #"{"room":"anns-other","owner":"ann"}"#)
      #expect(second.status == 409 && second.code == "ownsRoom")
      let listed = try await admin(server, "GET", "personal-rooms")
      #expect(listed.text.contains("\"anns-place\""))

      let (bob, answer) = try await server.knock(
        "anns-place", "Bob", token: try await server.token("anns-place", #","sub":"bob""#))
      guard case .waiting(.host, _) = answer else { throw Unexpected(answer) }
      // Only to receive is what this token is for, also for its owner.
      let (_, watching) = try await server.knock(
        "anns-place", "Ann", token: try await server.token("anns-place", #","sub":"ann","role":"subscriber""#))
      guard case .waiting(.host, _) = watching else { throw Unexpected(watching) }
      let (guest, impostor) = try await server.knock(
        "anns-place", "Ann", token: try await server.token("anns-place", #","sub":"ann","guest":true"#))
      guard case .waiting(.host, _) = impostor else { throw Unexpected(impostor) }
      await guest.close()
      let token = try await server.token("*", #","sub":"ann""#)
      let (_, welcome) = try await server.join("anns-place", "Ann", token: token, enters: "anns-place")
      #expect(welcome.participants.first { $0.id == welcome.participant }?.role == "organizer")
      _ = try await bob.welcome()
      let (_, elsewhere) = try await server.join("hall", "Ann", token: token, enters: "hall")
      #expect(elsewhere.participants.first { $0.id == elsewhere.participant }?.role == "guest")
    }
  }

  @Test(
    "every endpoint takes a room's name in one form, whatever its blanks and capitals"
  )
  func names() async throws {
    try await TestServer.run { server in
      let (_, first) = try await server.join("TeamRoom1", "Ann")
      #expect(try await server.discover("team%20room%EF%BC%91").meeting == "TeamRoom1")
      let (_, second) = try await server.join(
        "x", "Bob", token: try await server.token("Team Room ①!"), enters: "ＴＥＡＭroom1")
      #expect(second.participants.contains { $0.id == first.participant })
      let ours = try await server.post(
        "/GetAnonTokenJob",
        "ApplicationSessionId=1&AllowedOrigins=http://x.example&MeetingUrl=\(server.url)/Team%2520Room1")
      #expect(ours.status == 200, "\(ours.text)")
      #expect(try await admin(server, "POST", "meetings", #"{"room":"team room: 1"}"#).code == "roomTaken")
      #expect(try await server.get("/team%20room1").status == 200)
      #expect(try await server.get("/%20").status == 404)
    }
  }
}
