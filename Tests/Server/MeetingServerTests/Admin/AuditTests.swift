import Basics
import Foundation
import Meetings
import Messaging
import Signaling
import Testing
import Transport

@testable import MeetingServer

@Suite("The audit log of every right used", .serialized)
struct AuditTests {
  /// The entries of the log, the oldest first: who, what, on what.
  private func log(_ server: TestServer) async throws -> [AuditEntry] {
    let store = try await server.store()
    let entries = try await store.auditLog(tenant: nil, before: nil, limit: 1_000)
    await store.close()
    return entries.reversed()
  }

  @Test("each changing call of the OpenTok REST API is audited with caller and session")
  func openTok() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let microphone = TrackDescription(mid: "0", source: .microphone)
      let (ann, hello) = try await server.join(
        "", "Ann", offer: "send:0", tracks: [microphone], token: try api.token(session))
      let id = hello.participant
      let calls: [(method: String, path: String, body: String?, action: String, target: String)] = [
        (
          "PUT", "stream", #"{"items":[{"id":"\#(id).camera","layoutClassList":["full"]}]}"#, "setLayoutClasses",
          "\(id).camera"
        ),
        ("POST", "signal", #"{"type":"a","data":"b"}"#, "signal", ""),
        ("POST", "connection/\(id)/signal", #"{"type":"a","data":"b"}"#, "signal", id),
        ("POST", "stream/\(id).camera/mute", nil, "muteParticipant", "\(id).camera"),
        ("POST", "mute", #"{"active":true}"#, "muteAll", ""),
        ("POST", "mute", #"{"active":false}"#, "liftMuteAll", ""),
        ("DELETE", "connection/\(id)", nil, "removeParticipant", id),
      ]
      for call in calls {
        let answer = try await api.call(call.method, "session/\(session)/\(call.path)", call.body)
        #expect([200, 204].contains(answer.status), "\(call.path): \(answer.text)")
      }
      // Refused requests and reads leave none.
      #expect(try await api.call("DELETE", "session/\(session)/connection/p_x").status == 404)
      #expect(try await api.call("GET", "session/\(session)/stream").status == 200)
      let entries = try await log(server)
      #expect(entries.map(\.action) == ["session.create"] + calls.map { "meeting.\($0.action)" })
      #expect(entries.map(\.target) == [session] + calls.map(\.target))
      #expect(entries.allSatisfy { $0.actor == "server of parley" && $0.tenant == "parley" })
      #expect(entries.dropFirst().allSatisfy { $0.detail.hasSuffix("in \(session)") })
      // The details: the classes, the type of the signals, what is muted.
      let details = entries.dropFirst().map { $0.detail.replacing("in \(session)", with: "") }
      #expect(
        details == ["full, ", "type a, ", "type a, ", "sound, ", "sound of everybody, later joiners too, ", "", ""])
      await ann.close()
    }
  }

  @Test("each thing that hosts do in a meeting leaves an entry, polls and hands too")
  func moderation() async throws {
    try await TestServer.run { server in
      let (host, own) = try await server.host("daily", "Ann", role: "organizer")
      let (ben, hello) = try await server.join("daily", "Ben")
      try await ben.ask(.raiseHand(true, participant: nil))
      let draft = PollDraft(question: "When?", options: ["Now", "Later"])
      let id = hello.participant
      let requests: [(RoomRequest, String)] = [
        (.muteParticipant(id, sources: [.microphone]), "muteParticipant"),
        (.stopTracks(id, sources: [.screen]), "stopTracks"),
        (.muteAll(sources: [.microphone], except: [], includingLater: true, mayUnmute: true), "muteAll"),
        (.liftMuteAll, "liftMuteAll"), (.askToUnmute(id, sources: [.microphone]), "askToUnmute"),
        (.setRole(id, role: "moderator"), "setRole"),
        (.setPermissions(id, permissions: ["subscribe"]), "setPermissions"),
        (.changePermissions(id, adding: ["chat"], removing: ["subscribe"]), "changePermissions"),
        (.spotlight(id), "spotlight"), (.raiseHand(false, participant: id), "lowerHand"), (.lowerHands, "lowerHands"),
        (.createPoll(draft), "createPoll"), (.setPoll(1, isOpen: false), "closePoll"),
        (.setPoll(1, isOpen: true), "openPoll"), (.removePoll(1), "removePoll"),
        (.removeParticipant(id, ban: true), "ban"),
      ]
      for (request, action) in requests {
        try await host.ask(request)
        // Each action is written down.
        #expect(try await log(server).last?.action == "meeting.\(action)")
      }
      try host.send(.lock(true))
      try host.send(.lock(false))
      _ = try await host.drain()
      try await host.ask(.endMeeting)
      // The last of them is written down too once it is done.
      let actions = requests.map(\.1) + ["lock", "unlock", "endMeeting"]
      let entries = try await log(server)
      #expect(entries.map(\.action) == actions.map { "meeting.\($0)" })
      #expect(entries.allSatisfy { $0.actor == "participant \(own.participant) Ann" })
      // The details of each: sources, the role and the permissions that were given and those before, exceptions, names.
      let details = entries.map { $0.detail.prefix { $0 != "(" } }
      #expect(
        details == [
          "Ben: microphone, in daily ", "Ben: screen, in daily ", "microphone, later joiners too, in daily ",
          "in daily ",
          "Ben: microphone, in daily ", "Ben: moderator, was publisher, in daily ",
          "Ben: subscribe, was \(Role.moderator.permissions.names.joined(separator: " ")), in daily ",
          "Ben: +chat -subscribe, was subscribe, in daily ", "Ben, in daily ",
          "Ben, in daily ", "in daily ", "When?, in daily ", "in daily ", "in daily ", "in daily ", "Ben, in daily ",
          "in daily ", "in daily ", "in daily ",
        ], "\(details)")
      await ben.close()
    }
  }

  @Test("an unseen participant is in the audit log before they hear anything")
  func unseen() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let token = try await server.token("daily", #","role":"hidden","sub":"eve""#)
      let (eve, hello) = try await server.join("daily", "Eve", token: token)
      let entry = try #require(try await log(server).last)
      #expect(entry.action == "meeting.joinHidden" && entry.target == hello.participant && entry.tenant == "parley")
      #expect(entry.actor == "participant \(hello.participant) Eve" && entry.detail.contains("in daily"))
      #expect(!"\(entry)".contains(token))
      // A participant who is seen needs none.
      let (ben, _) = try await server.join("daily", "Ben")
      #expect(try await log(server).count == 1)
      for client in [ann, eve, ben] { await client.close() }
    }
  }

  @Test("a host past lock, passcode or lobby is in the audit log before they hear a thing")
  func past() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("hall", .everyone)
      try await server.makeMeeting("board", .locked, passcode: "1234")
      try await server.makeMeeting("team", .invited)
      let token = try await server.token("board", #","role":"organizer","sub":"ann""#)
      let (ann, hello) = try await server.join("board", "Ann", token: token)
      let entry = try #require(try await log(server).last)
      #expect(entry.action == "meeting.joinAsHost" && entry.target == hello.participant && entry.tenant == "parley")
      #expect(entry.actor == "participant \(hello.participant) Ann")
      #expect(entry.detail.hasPrefix("past the passcode and the lobby, user ann, in board"), "\(entry.detail)")
      #expect(!"\(entry)".contains(token) && !entry.detail.contains("1234"))
      // In an open room nobody needs a permission for it, and in a room for invited people those need none.
      let (bea, _) = try await server.host("hall", "Bea")
      let (cem, _) = try await server.host("team", "Cem")
      #expect(try await log(server).count == 1)
      try bea.send(.lock(true, id: 7))
      _ = try await bea.first { if case .room(.done(7)) = $0 { true } else { nil } }
      let (dan, second) = try await server.host("hall", "Dan")
      let last = try #require(try await log(server).last)
      #expect(last.action == "meeting.joinAsHost" && last.target == second.participant)
      #expect(last.detail.hasPrefix("past the lock, in hall"), "\(last.detail)")
      // A person whom a host admits comes in by that host's permission.
      let (eve, _) = try await server.knock("board", "Eve", passcode: "1234")
      _ = try await ann.lobby(of: ["Eve"])
      try ann.send(.admit(.all))
      _ = try await eve.welcome()
      #expect(try await log(server).map(\.action).suffix(2) == ["meeting.joinAsHost", "meeting.admit"])
      for client in [ann, bea, cem, dan, eve] { await client.close() }
    }
  }

  @Test("planning audits each meeting made, changed and called off, with its caller")
  func planning() async throws {
    try await TestServer.run { server in
      let start = CivilTime(seconds: Int(Date().timeIntervalSince1970 + 3_600)).text
      let made = try await server.post(
        "/api/v1/meetings", #"{"subject":"Team","schedule":{"start":"\#(start)"}}"#,
        headers: ["Content-Type": "application/json"])
      #expect(made.status == 201, "\(made.text)")
      let room = try #require(made["room"] as? String)
      let token = try #require(made["hostToken"] as? String)
      for (method, body) in [("PATCH", #"{"subject":"Crew"}"#), ("DELETE", nil)] as [(String, String?)] {
        var headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
        if body != nil { headers["Content-Type"] = "application/json" }
        let answer = try await TestServer.request(
          method, server.url + "/api/v1/meetings/\(room)", headers, body.map { Array($0.utf8) })
        #expect((200...204).contains(answer.status), "\(method): \(answer.text)")
      }
      let adHoc = try await server.post(
        "/GetAdhocMeetingJob", "Subject=s&Description=d&AccessLevel=",
        headers: ["Content-Type": "application/x-www-form-urlencoded"])
      #expect(adHoc.status == 200, "\(adHoc.text)")
      let entries = try await log(server)
      #expect(
        entries.map(\.action) == [
          "meeting.schedule", "token.create", "meeting.change", "meeting.cancel", "meeting.create",
        ], "\(entries.map(\.action))")
      #expect(entries.map { $0.actor.prefix(7) } == ["anybody", "anybody", "holder ", "holder ", "anybody"])
      #expect(entries.allSatisfy { $0.tenant == "parley" })
      #expect(
        entries.prefix(4).map(\.detail) == [room, "organizer in \(room) for 2592000 s", "\(room): subject", room])
      #expect(!entries.contains { "\($0)".contains(token) })
    }
  }

  @Test("each token given to apps is audited by a revocable id, never the token itself")
  func givenTokens() async throws {
    try await TestServer.run { server in
      let form: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
      let made = try await server.post(
        "/GetAdhocMeetingJob", "Subject=s&Description=d&AccessLevel=Locked", headers: form)
      let address = try #require(made["JoinUrl"] as? String)
      let organizer = try #require(made["OrganizerToken"] as? String)
      let answer = try await server.post(
        "/GetAnonTokenJob", "ApplicationSessionId=s1&AllowedOrigins=https://app.example&MeetingUrl=\(address)",
        headers: form)
      let guest = try #require(answer["Token"] as? String, "\(answer.text)")
      let entries = try await log(server)
      #expect(entries.map(\.action) == ["meeting.create", "token.create", "token.create"])
      #expect(entries.allSatisfy { $0.actor == "anybody" && $0.tenant == "parley" })
      let room = try #require(address.split(separator: "/").last)
      // The guest's token ends with the meeting, which began to run out before.
      let given = try #require(entries.last?.detail.wholeMatch(of: /publisher in (\w+) for (\d+) s, guest/)).output
      #expect(given.1 == room && Int(given.2).map { (28_000...28_800).contains($0) } == true)
      #expect(entries.dropFirst().first?.detail == "organizer in \(room) for 28800 s")
      for token in [organizer, guest] { #expect(!entries.contains { "\($0)".contains(token.suffix(20)) }) }
      // The ids are those of the tokens: what the log says is enough to take one back.
      let admin = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/tokens/"
      for entry in entries.dropFirst() {
        #expect(try await TestServer.request("DELETE", admin + entry.target).status == 204)
      }
      for token in [organizer, guest] {
        let (_, message) = try await server.knock(String(room), "Eve", token: token)
        guard case .error(.badToken, _, true, _)? = message else { throw Unexpected(message) }
      }
      // A refusal gives no token.
      let refused = try await server.post(
        "/GetAnonTokenJob", "ApplicationSessionId=s1&AllowedOrigins=https://app.example&MeetingUrl=\(address)x",
        headers: form)
      #expect(refused.status == 400)
      #expect(try await log(server).map(\.action).suffix(3) == ["token.create", "token.revoke", "token.revoke"])
    }
  }

  @Test("every call of the administration that changes something is audited by caller")
  func administration() async throws {
    try await TestServer.run { server in
      let base = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/"
      var actions: [String] = []
      @discardableResult
      func call(_ method: String, _ path: String, _ body: String?, _ action: String) async throws -> TestAnswer {
        let headers: HTTPHeaders = body == nil ? [:] : ["Content-Type": "application/json"]
        let answer = try await TestServer.request(method, base + path, headers, body.map { Array($0.utf8) })
        #expect((200...204).contains(answer.status), "\(method) \(path): \(answer.text)")
        actions.append(action)
        return answer
      }
      func id(_ answer: TestAnswer) -> String { answer["id"] as? String ?? "no id in \(answer.text)" }
      try await call("POST", "tenants", #"{"name":"acme"}"#, "tenant.create")
      try await call("PATCH", "tenants/acme", #"{"capacity":5}"#, "tenant.change")
      let key = id(try await call("POST", "tenants/acme/keys", "{}", "key.create"))
      try await call("DELETE", "tenants/acme/keys/\(key)", nil, "key.retire")
      let start = CivilTime(seconds: Int(Date().timeIntervalSince1970 + 3_600)).text
      let plan = id(
        try await call("POST", "meetings", #"{"room":"plan","schedule":{"start":"\#(start)"}}"#, "meeting.create"))
      try await call("PATCH", "meetings/\(plan)", #"{"subject":"Team"}"#, "meeting.change")
      try await call("POST", "meetings/\(plan)/cancel", nil, "meeting.cancel")
      let daily = id(try await call("POST", "meetings", #"{"room":"daily"}"#, "meeting.create"))
      let (_, ann) = try await server.join("daily", "Ann")
      let (ben, _) = try await server.join("daily", "Ben")
      try await call("GET", "meetings/\(daily)/chat", nil, "meeting.exportChat")
      try await call("DELETE", "meetings/\(daily)/participants/\(ann.participant)", nil, "participant.remove")
      try await call("POST", "meetings/\(daily)/end", nil, "meeting.end")
      try await call("DELETE", "meetings/\(daily)", nil, "meeting.remove")
      let token = id(try await call("POST", "tokens", #"{"room":"daily","user":"ann"}"#, "token.create"))
      try await call("DELETE", "tokens/\(token)", nil, "token.revoke")
      let hook = id(try await call("POST", "webhooks", #"{"url":"http://127.0.0.1:1/"}"#, "webhook.create"))
      try await call("PATCH", "webhooks/\(hook)", #"{"enabled":true}"#, "webhook.change")
      try await call("POST", "webhooks/\(hook)/secret", nil, "webhook.secret")
      try await call("POST", "webhooks/\(hook)/test", nil, "webhook.test")
      let listed = try await TestServer.request("GET", base + "webhooks/\(hook)/deliveries")
      let items = try #require(listed["items"] as? [[String: Any]])
      let delivery = try #require(items.first?["id"] as? String)
      try await call("POST", "webhooks/\(hook)/deliveries/\(delivery)/replay", nil, "webhook.replay")
      try await call("DELETE", "webhooks/\(hook)", nil, "webhook.remove")
      let domain = id(
        try await call("POST", "domains", #"{"name":"acme","authentication":"disabled"}"#, "domain.create"))
      try await call("PATCH", "domains/acme", #"{"keyManagement":false}"#, "domain.change")
      let (cid, welcome) = try await server.endpoint("cid", in: DomainID(domain))
      await cid.close()
      try await call("DELETE", "domains/acme/endpoints/\(welcome.endpoint)", nil, "endpoint.remove")
      try await call("DELETE", "domains/\(domain)", nil, "domain.remove")
      try await call("DELETE", "tenants/acme", nil, "tenant.remove")
      let entries = try await log(server)
      #expect(entries.map(\.action) == actions)
      #expect(entries.allSatisfy { $0.actor.hasPrefix("admin at 127.0.0.1") }, "\(Set(entries.map(\.actor)))")
      let details = Dictionary(entries.map { ($0.action, $0.detail) }) { first, _ in first }
      #expect(details["tenant.change"] == "capacity 5" && details["meeting.change"] == "plan: subject")
      #expect(details["participant.remove"] == "Ann in daily")
      #expect(details["token.create"] == "publisher in daily for 3600 s, user ann")
      // A call that is added later is to be added here as well.
      #expect(Set(actions).count == AdminAPI.changes.count + 1)
      await ben.close()
    }
  }
}
