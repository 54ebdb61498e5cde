import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("The administration's interface", .serialized)
struct AdminAPITests {
  private func call(
    _ server: TestServer, _ method: String, _ path: String, _ body: String? = nil, headers: HTTPHeaders = [:]
  ) async throws -> (status: Int, code: String, fields: [String: Any], headers: HTTPHeaders) {
    let port = try #require(server.server.adminPort)
    var headers = headers
    if body != nil && headers["content-type"] == nil { headers["Content-Type"] = "application/json" }
    let answer = try await TestServer.request(
      method, "http://127.0.0.1:\(port)/api/v1/\(path)", headers, body.map { Array($0.utf8) })
    let fields = (try? JSONSerialization.jsonObject(with: Data(answer.body))) as? [String: Any] ?? [:]
    return (answer.status, fields["code"] as? String ?? "", fields, answer.headers)
  }

  private func items(_ fields: [String: Any]) -> [[String: Any]] { fields["items"] as? [[String: Any]] ?? [] }

  private func text(_ fields: [String: Any], _ key: String) -> String { fields[key] as? String ?? "" }

  @Test("with a token nothing is answered without it; a token is never in the log")
  func token() async throws {
    let token = "a-long-admin-token"
    try await TestServer.run({ $0.adminToken = Secret(token) }) { server in
      for (headers, status) in [
        ([:], 401), (["Authorization": "Bearer a-long-admin-tokem"], 401), (["Authorization": "Basic \(token)"], 401),
        (["Authorization": token], 401), (["Authorization": "bearer \(token)"], 200),
      ] as [(HTTPHeaders, Int)] {
        let answer = try await call(server, "GET", "tenants", headers: headers)
        #expect(answer.status == status)
        if status == 401 {
          #expect(answer.code == "badAdminToken" && answer.headers["www-authenticate"] == "Bearer")
        }
      }
      #expect(!server.logged.text.contains(token))
      let metrics = try await TestServer.request(
        "GET", "http://127.0.0.1:\(try #require(server.server.adminPort))/metrics")
      #expect(metrics.text.contains("parley_admin_refused_total 4"))
    }
  }

  @Test("threats 28 and 34: the admin port is refused under a stranger's name")
  func foreignHost() async throws {
    try await TestServer.run { server in
      let port = try #require(server.server.adminPort)
      func ask(_ host: String, _ path: String) async throws -> RawHTTP.Answer {
        let request = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        return try #require(try await RawHTTP.send(Array(request.utf8), to: port))
      }
      for path in ["/metrics", "/admin", "/admin/", "/", "/api/openapi.json", "/api/v1/tenants", "/nothing"] {
        let answer = try await ask("evil.example", path)
        #expect(answer.status == 421 && answer.body.contains("unknownHost"), "\(path): \(answer.status) \(answer.body)")
        #expect(try await ask("localhost:\(port)", path).status != 421, "\(path)")
      }
      // A probe asks by whatever name the machine has, and learns nothing.
      #expect(try await ask("evil.example", "/healthz").status == 200)
    }
  }

  @Test("threat 34: a port open beyond this machine answers nobody until it has a token")
  func open() async throws {
    try await TestServer.run({ $0.adminHost = IPAddress(v4: 0) }) { server in
      let answer = try await call(server, "GET", "tenants")
      #expect(answer.status == 403 && answer.code == "adminTokenNeeded")
      let metrics = try await TestServer.request(
        "GET", "http://127.0.0.1:\(try #require(server.server.adminPort))/metrics")
      #expect(metrics.status == 403 && metrics.text.contains("adminTokenNeeded"))
    }
    let token = "a-long-admin-token"
    try await TestServer.run({
      $0.adminHost = IPAddress(v4: 0)
      $0.adminToken = Secret(token)
    }) { server in
      let base = "http://127.0.0.1:\(try #require(server.server.adminPort))"
      for (headers, status) in [
        ([:], 401), (["Authorization": "Bearer a-long-admin-tokem"], 401), (["Authorization": "Bearer \(token)"], 200),
      ] as [(HTTPHeaders, Int)] {
        for method in ["GET", "HEAD"] {
          let answer = try await TestServer.request(method, base + "/metrics", headers)
          #expect(answer.status == status && (status == 200 || !answer.text.contains("parley_meetings")))
        }
      }
      // Whether it is alive a balancer may ask without.
      #expect(try await TestServer.request("GET", base + "/readyz").status == 200)
      #expect(!server.logged.text.contains(token))
    }
  }

  @Test("threat 28: pages of other sites, foreign hosts and our webhooks don't get in")
  func otherSites() async throws {
    try await TestServer.run { server in
      let port = try #require(server.server.adminPort)
      for (headers, status, code) in [
        (["Host": "evil.example:\(port)"], 421, "unknownHost"),
        (["Origin": "https://evil.example"], 403, "foreignOrigin"),
        (["Origin": "null"], 403, "foreignOrigin"),
        (["Origin": "http://127.0.0.1:1"], 403, "foreignOrigin"),
        (["Sec-Fetch-Site": "cross-site"], 403, "foreignOrigin"),
        (["Sec-Fetch-Site": "same-site"], 403, "foreignOrigin"),
        (["Parley-Signature": "t=1,v1=0"], 403, "isWebhook"),
        (["Origin": "http://127.0.0.1:\(port)", "Sec-Fetch-Site": "same-origin"], 201, ""),
      ] as [(HTTPHeaders, Int, String)] {
        // The client of the platform would put its own Host there.
        let answer = try await HTTPClient.request(
          "POST",
          "http://\(headers["host"] ?? "127.0.0.1:\(port)")/api/v1/meetings".replacing(
            "evil.example", with: "127.0.0.1"),
          headers: {
            var all = headers
            all["Content-Type"] = "application/json"
            return all
          }(), body: Array("{}".utf8))
        if headers["host"] == nil {
          #expect(answer.status == status && (code.isEmpty || answer.text.contains(code)), "\(headers): \(answer.text)")
        }
      }
      let gate = AdminGate(token: { nil }, isLoopback: true, publicOrigin: WebOrigin("https://meet.example.com"))
      for (host, isKnown) in [
        ("evil.example", false), ("127.0.0.1:9", true), ("localhost", true), ("[::1]:9", true),
        ("meet.example.com", true), ("a/b", false), ("localhost.evil.example", false),
      ] {
        let request = HTTPRequest(
          method: "GET", path: "/api/v1/tenants", headers: ["host": host],
          remote: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 1),
          local: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 2))
        #expect(((try? gate.checkSite(request)) != nil) == isKnown, "\(host)")
      }
      // A form of another site cannot even be read: it has no JSON type.
      let form = try await call(
        server, "POST", "meetings", "{}", headers: ["Content-Type": "text/plain"])
      #expect(form.status == 415 && form.code == "notJSON")
    }
  }

  @Test("threat 27: wrong methods, types, sizes, depths and keys get stable codes")
  func badInput() async throws {
    try await TestServer.run { server in
      let wrong = try await call(server, "PUT", "meetings", "{}")
      #expect(wrong.status == 405 && wrong.code == "methodNotAllowed" && wrong.headers["allow"] == "GET, POST")
      #expect(try await call(server, "GET", "nothing").status == 404)
      for (body, status, code) in [
        ("", 400, "missingBody"), ("{}", 400, "missingField"), ("[]", 400, "badField"),
        ("{\"name\":1}", 400, "badField"),
        ("{\"name\":\"A\"}", 400, "badField"), ("{\"name\":\"a\",\"name\":\"b\"}", 400, "duplicateKey"),
        ("{\"name\":\"a\",\"nam\\u0065\":\"b\"}", 400, "duplicateKey"),
        ("{\"name\":\"a\",\"x\":1}", 400, "unknownField"),
        ("{\"name\":\"a\",\"capacity\":true}", 400, "badField"), ("{\"name\":\"a\",\"capacity\":0}", 400, "badField"),
        ("{\"name\":\"a\",\"capacity\":1e99}", 400, "badField"), ("{\"name\":\"a\"", 400, "notJSON"),
        (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), 400, "tooDeep"),
        ("{\"name\":\"\(String(repeating: "a", count: 70_000))\"}", 413, "tooLarge"),
        ("{\"name\":\"a\",\"allowedOrigins\":[\"nonsense\"]}", 422, "badOrigin"),
      ] {
        let answer = try await call(server, "POST", "tenants", body)
        #expect(answer.status == status && answer.code == code, "\(body.prefix(60)): \(answer.status) \(answer.code)")
      }
      let port = try #require(server.server.adminPort)
      let bytes = try await TestServer.request(
        "POST", "http://127.0.0.1:\(port)/api/v1/tenants", ["Content-Type": "application/json"],
        Array("{\"name\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8))
      #expect(bytes.status == 400 && bytes.text.contains("notJSON"))
      for (query, code) in [
        ("limit=0", "badParameter"), ("limit=x", "badParameter"), ("limit=1&limit=2", "badParameter"),
        ("bogus=1", "unknownParameter"), ("after=..", "badParameter"), ("running=maybe", "badParameter"),
      ] {
        let answer = try await call(server, "GET", "meetings?\(query)")
        #expect(answer.status == 400 && answer.code == code, "\(query): \(answer.code)")
      }
    }
  }

  @Test("a tenant's creation, changes and key rotation are audited, without secrets")
  func tenants() async throws {
    try await TestServer.run { server in
      let made = try await call(server, "POST", "tenants", "{\"name\":\"acme\",\"capacity\":5}")
      #expect(made.status == 201 && made.fields["capacity"] as? Int == 5)
      let key = made.fields["key"] as? [String: Any] ?? [:]
      #expect(text(key, "secret").count == 40)
      #expect(try await call(server, "POST", "tenants", "{\"name\":\"acme\"}").code == "nameTaken")
      #expect(items(try await call(server, "GET", "tenants?limit=1").fields).count == 1)
      let second = try await call(server, "GET", "tenants?limit=1&after=acme")
      #expect(items(second.fields).map { text($0, "name") } == ["parley"] && second.fields["next"] == nil)
      let changed = try await call(
        server, "PATCH", "tenants/acme", "{\"capacity\":null,\"maximumMeetings\":2.0,\"accessLevel\":\"Locked\"}")
      #expect(changed.status == 200 && changed.fields["capacity"] == nil)
      #expect(changed.fields["maximumMeetings"] as? Int == 2 && text(changed.fields, "accessLevel") == "Locked")
      let lobby = try await call(
        server, "PATCH", "tenants/acme", "{\"waitForHost\":true,\"announce\":false,\"lobbySeconds\":90}")
      #expect(lobby.fields["waitForHost"] as? Bool == true && lobby.fields["announce"] as? Bool == false)
      #expect(lobby.fields["lobbySeconds"] as? Int == 90)
      let back = try await call(
        server, "PATCH", "tenants/acme", "{\"waitForHost\":false,\"announce\":true,\"lobbySeconds\":null}")
      #expect(back.fields["waitForHost"] as? Bool == false && back.fields["lobbySeconds"] == nil)
      let open = try await call(server, "PATCH", "tenants/acme", "{\"signIn\":\"open\"}")
      #expect(open.status == 422 && open.code == "onlyDefaultIsOpen")
      let rotated = try await call(server, "POST", "tenants/acme/keys", "{\"expireOthersAfter\":60}")
      #expect(rotated.status == 201)
      let third = try await call(server, "POST", "tenants/acme/keys")
      #expect(third.code == "tooManyKeys" && third.fields["limit"] as? String == "secrets")
      #expect(try await call(server, "DELETE", "tenants/acme/keys/\(text(key, "id"))").status == 204)
      #expect(try await call(server, "DELETE", "tenants/acme/keys/\(text(key, "id"))").code == "noSuchKey")
      let keys = items(try await call(server, "GET", "tenants/acme/keys").fields)
      #expect(keys.map { text($0, "state") } == ["live", "retired"] && keys.allSatisfy { $0["secret"] == nil })
      let log = items(try await call(server, "GET", "audit?tenant=acme").fields)
      #expect(
        log.map { text($0, "action") } == [
          "key.retire", "key.create", "tenant.change", "tenant.change", "tenant.change", "tenant.create",
        ])
      #expect(log.allSatisfy { text($0, "actor") == "admin at 127.0.0.1" })
      let secrets = [text(key, "secret"), text(rotated.fields, "secret")]
      for secret in secrets {
        #expect(!"\(log)".contains(secret) && !server.logged.text.contains(secret))
      }
    }
  }

  @Test("a tenant is removed with all it has, but not the default or one in a meeting")
  func removal() async throws {
    try await TestServer.run { server in
      func refused(_ path: String) async throws -> String {
        let answer = try await call(server, "DELETE", path)
        #expect(answer.status == 409 && !text(answer.fields, "Error").isEmpty)
        return answer.code
      }
      #expect(try await call(server, "POST", "tenants", "{\"name\":\"acme\"}").status == 201)
      #expect(try await call(server, "POST", "meetings", "{\"tenant\":\"acme\",\"room\":\"board\"}").status == 201)
      let made = try await call(server, "POST", "tokens", "{\"tenant\":\"acme\",\"room\":\"daily\"}")
      let token = text(made.fields, "token")
      let hook = try await call(
        server, "POST", "webhooks", "{\"tenant\":\"acme\",\"url\":\"http://127.0.0.1:1/\"}")
      #expect(hook.status == 201)
      let (ann, _) = try await server.join("daily", "Ann", token: token)
      #expect(try await refused("tenants/acme") == "tenantInUse")
      #expect(try await refused("tenants/parley") == "defaultTenant")
      try ann.send(.leave)
      while try await ann.next() != nil {}
      try await eventually {
        let answer = try await call(server, "DELETE", "tenants/acme")
        return answer.status == 204 ? nil : "\(answer.status) \(answer.code)"
      }
      #expect(try await call(server, "DELETE", "tenants/acme").code == "noSuchTenant")
      #expect(items(try await call(server, "GET", "tenants").fields).map { text($0, "name") } == ["parley"])
      #expect(items(try await call(server, "GET", "meetings").fields).isEmpty)
      #expect(items(try await call(server, "GET", "webhooks").fields).isEmpty)
      let (_, message) = try await server.knock("daily", "Bob", token: token)
      guard case .error(.badToken, _, true, _)? = message else { throw Unexpected(message) }
      let log = items(try await call(server, "GET", "audit?tenant=acme").fields)
      #expect(log.first.map { text($0, "action") } == "tenant.remove" && log.count == 5)
      #expect(try await call(server, "POST", "tenants", "{\"name\":\"acme\"}").status == 201, "the name is free")
    }
  }

  @Test("a running meeting is shown, a participant removed, it ends, and all are told")
  func meetings() async throws {
    try await TestServer.run { server in
      let track = TrackDescription(mid: "0", source: .camera)
      let (ann, annWelcome) = try await server.join("daily", "Ann", offer: "send:0", tracks: [track])
      let (ben, benWelcome) = try await server.join("daily", "Ben")
      await server.media.report(quality: [annWelcome.participant: .poor])
      let running = items(try await call(server, "GET", "meetings?running=true").fields)
      #expect(running.count == 1 && running[0]["participants"] as? Int == 2)
      let id = text(running[0], "id")
      try await eventually {
        let people = items(try await call(server, "GET", "meetings/\(id)/participants").fields)
        return text(people.first ?? [:], "quality") == "poor" ? nil : "Ann's poor connection is not shown"
      }
      let people = items(try await call(server, "GET", "meetings/\(id)/participants").fields)
      #expect(people.map { text($0, "name") } == ["Ann", "Ben"])
      #expect((people[0]["publications"] as? [Any])?.count == 1)
      let removed = try await call(server, "DELETE", "meetings/\(id)/participants/\(benWelcome.participant)")
      #expect(removed.status == 204)
      let reason = try await ben.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
      #expect(reason == .removed)
      _ = try await ann.first { if case .participantLeft(_, .removed) = $0 { true } else { nil } }
      #expect(
        try await call(server, "DELETE", "meetings/\(id)/participants/\(benWelcome.participant)").code
          == "noSuchParticipant")
      #expect(try await call(server, "POST", "meetings/\(id)/end").status == 204)
      let ended = try await ann.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
      #expect(ended == .removed)
      #expect(try await call(server, "POST", "meetings/\(id)/end").code == "notRunning")
      #expect(items(try await call(server, "GET", "meetings?running=true").fields).isEmpty)
      #expect(items(try await call(server, "GET", "meetings?running=false").fields).count == 1)
      #expect(try await call(server, "DELETE", "meetings/\(id)").status == 204)
      #expect(try await call(server, "GET", "meetings/\(id)").code == "noSuchMeeting")
      let actions = items(try await call(server, "GET", "audit").fields).map { text($0, "action") }
      #expect(actions == ["meeting.remove", "meeting.end", "participant.remove"])
    }
  }

  @Test("a token that was made here lets somebody in until it is revoked")
  func tokens() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.signIn = .token }
      let made = try await call(
        server, "POST", "tokens", "{\"room\":\"daily\",\"role\":\"subscriber\",\"name\":\"Ann\",\"expiresIn\":60}")
      #expect(made.status == 201 && made.fields["permissions"] as? [String] == ["subscribe"])
      let token = text(made.fields, "token")
      let (client, welcome) = try await server.join("daily", "Other", token: token)
      #expect(welcome.permissions == ["subscribe"])
      await client.close()
      #expect(try await call(server, "DELETE", "tokens/\(text(made.fields, "id"))").status == 204)
      let late = try await server.connect()
      try late.send(.join(.init(token: token, name: "Other", offer: "", tracks: [])))
      #expect(try await late.error().code == .badToken)
      for (body, status, code) in [
        ("{}", 400, "missingField"), ("{\"room\":\"a^b\"}", 422, "badRoomName"),
        ("{\"room\":\"api\"}", 422, "reservedName"),
        ("{\"room\":\"r\",\"role\":\"king\"}", 400, "badField"),
        ("{\"room\":\"r\",\"expiresIn\":99999999}", 400, "badField"),
        ("{\"room\":\"r\",\"permissions\":[\"chat\",\"chat\"]}", 400, "badField"),
        ("{\"room\":\"r\",\"tenant\":\"nobody\"}", 404, "noSuchTenant"),
      ] {
        let answer = try await call(server, "POST", "tokens", body)
        #expect(answer.status == status && answer.code == code, "\(body): \(answer.status) \(answer.code)")
      }
      #expect(!server.logged.text.contains(token))
      let log = try await call(server, "GET", "audit")
      #expect(!"\(log.fields)".contains(token) && "\(log.fields)".contains("token.revoke"))
    }
  }

  @Test(
    "a token is explained as the command line does, changes nothing and isn't logged"
  )
  func inspection() async throws {
    try await TestServer.run { server in
      func look(_ token: String) async throws -> (status: Int, code: String, fields: [String: Any]) {
        let body = try JSONSerialization.data(withJSONObject: ["token": token])
        let answer = try await call(server, "POST", "token-inspection", String(decoding: body, as: UTF8.self))
        #expect(!"\(answer.fields)".contains(token) && answer.headers["cache-control"] == "no-store")
        return (answer.status, answer.code, answer.fields)
      }
      let made = try await call(
        server, "POST", "tokens", #"{"room":"Daily","role":"moderator","name":"Ann","user":"ann","guest":true}"#)
      let token = text(made.fields, "token")
      let grant = try await look(token).fields
      #expect(grant["valid"] as? Bool == true && grant["guest"] as? Bool == true, "\(grant)")
      #expect(text(grant, "form") == "signed" && text(grant, "id") == text(made.fields, "id"))
      #expect(text(grant, "tenant") == "parley" && text(grant, "room") == "Daily" && text(grant, "role") == "moderator")
      #expect(text(grant, "name") == "Ann" && text(grant, "user") == "ann" && !text(grant, "expires").isEmpty)
      #expect((grant["permissions"] as? [String])?.contains("moderate") == true && grant["problem"] == nil)
      // One of another server, and one for every room.
      let other = try await server.token("*", #","jti":"theirs","role":"subscriber","permissions":["subscribe"]"#)
      let theirs = try await look(other).fields
      #expect(text(theirs, "form") == "parley" && text(theirs, "id") == "theirs" && text(theirs, "room") == "*")
      #expect(theirs["permissions"] as? [String] == ["subscribe"] && theirs["name"] == nil && theirs["user"] == nil)
      let before = items(try await call(server, "GET", "audit").fields).count
      #expect(try await call(server, "DELETE", "tokens/\(text(made.fields, "id"))").status == 204)
      for (token, problem) in [
        (token, "it was revoked"),
        (other.dropLast(6) + "AAAAAA", "its signature was not made with a secret that is good now"),
        ("nonsense", "it is no token of a form that is known"),
      ] {
        let answer = try await look(token)
        #expect(answer.status == 200 && answer.fields["valid"] as? Bool == false, "\(answer)")
        #expect(text(answer.fields, "problem") == problem && answer.fields.count == 2, "\(answer)")
      }
      #expect(items(try await call(server, "GET", "audit").fields).count == before + 1, "but for the revocation")
      #expect(items(try await call(server, "GET", "tokens").fields).count == 1)
      for token in [token, other] { #expect(!server.logged.text.contains(token.suffix(30))) }
      #expect(try await call(server, "GET", "token-inspection?token=\(other)").status == 405)
      #expect(try await call(server, "POST", "token-inspection?token=\(other)", "{}").code == "unknownParameter")
      #expect(!server.logged.text.contains(other.suffix(30)))
    }
  }

  @Test("a webhook is made, tried, replayed, disabled and deleted; its secret shows once")
  func webhooks() async throws {
    try await TestServer.run({ $0.webhooks.firstPause = .milliseconds(20) }) { server in
      let receiver = try WebhookReceiver()
      let made = try await call(
        server, "POST", "webhooks", "{\"url\":\"\(receiver.url)\",\"events\":[\"meeting.started\"]}")
      #expect(made.status == 201 && text(made.fields, "secret").hasPrefix("whsec_"))
      let path = "webhooks/\(text(made.fields, "id"))"
      #expect(try await call(server, "GET", path).fields["secret"] == nil)
      let test = try await call(server, "POST", path + "/test")
      #expect(test.status == 202 && test.fields["meeting"] == nil)
      try await receiver.waits("the test") { $0.map(\.type) == ["webhook.test"] }
      let (client, welcome) = try await server.join("daily", "Ann")
      try await receiver.waits("the start, and nothing else") { $0.map(\.type) == ["webhook.test", "meeting.started"] }
      try await eventually {
        let done = items(try await call(server, "GET", path + "/deliveries?state=delivered").fields)
        return done.count == 2 ? nil : "\(done.count) of 2 deliveries are done"
      }
      let all = items(try await call(server, "GET", path + "/deliveries").fields)
      // A test is of no meeting.
      #expect(all.map { $0["meeting"] as? String } == [welcome.meeting.id, nil])
      let one = try await call(server, "GET", path + "/deliveries/\(text(all[0], "id"))")
      #expect(text(one.fields, "body").contains("\"room\":\"daily\""))
      let again = try await call(server, "POST", path + "/deliveries/\(text(all[0], "id"))/replay")
      #expect(again.status == 202 && again.fields["waitsBehind"] as? Int == 0)
      try await receiver.waits("the start again") { $0.count { $0.type == "meeting.started" } == 2 }
      let starts = receiver.posts.filter { $0.type == "meeting.started" }
      #expect(starts[0].body == starts[1].body)
      #expect(starts[0].event == starts[1].event && !starts[0].event.isEmpty)
      let secret = try await call(server, "POST", path + "/secret")
      #expect(text(secret.fields, "secret") != text(made.fields, "secret"))
      let off = try await call(server, "PATCH", path, "{\"enabled\":false,\"events\":[]}")
      #expect(off.fields["enabled"] as? Bool == false)
      for (body, status, code) in [
        ("{\"url\":\"http://10.0.0.1/\"}", 422, "targetNotAllowed"), ("{\"url\":\"nonsense\"}", 422, "badURL"),
        ("{\"events\":[\"webhook.test\"]}", 400, "badField"), ("{\"secret\":\"mine\"}", 400, "unknownField"),
      ] {
        let answer = try await call(server, "PATCH", path, body)
        #expect(answer.status == status && answer.code == code, "\(body): \(answer.code)")
      }
      #expect(try await call(server, "DELETE", path).status == 204)
      #expect(try await call(server, "GET", path).code == "noSuchWebhook")
      let log = "\(try await call(server, "GET", "audit").fields)"
      for secret in [text(made.fields, "secret"), text(secret.fields, "secret")] {
        #expect(!log.contains(secret) && !server.logged.text.contains(secret))
      }
      await client.close()
      await receiver.stop()
    }
  }

  @Test("a webhook's new secret survives other changes of it at the same moment")
  func secretAtOnce() async throws {
    try await TestServer.run { server in
      let receiver = try WebhookReceiver()
      let made = try await call(server, "POST", "webhooks", "{\"url\":\"\(receiver.url)\"}")
      let path = "webhooks/\(text(made.fields, "id"))"
      let store = try await server.store()
      for round in 0..<15 {
        let secret = try await withThrowingTaskGroup(of: String?.self) { group in
          for _ in 0..<4 {
            group.addTask {
              _ = try await call(server, "PATCH", path, "{\"enabled\":\(round % 2 == 0)}")
              return nil
            }
          }
          group.addTask { text(try await call(server, "POST", path + "/secret").fields, "secret") }
          var secret: String?
          for try await answer in group { secret = answer ?? secret }
          return secret
        }
        let kept = try await store.webhook(id: WebhookID(rawValue: text(made.fields, "id")))
        #expect(kept?.secret.value == secret && secret?.isEmpty == false, "in round \(round)")
      }
      await store.close()
      await receiver.stop()
    }
  }

  @Test(
    "threat 34: guesses of the admin token are limited by address, for a minute"
  )
  func guesses() async throws {
    try await TestServer.run({
      ($0.adminToken, $0.adminAttempts) = (Secret("a-token-for-tests-only"), 3)
    }) { server in
      let url = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/tenants"
      func ask(_ token: String?) async throws -> TestAnswer {
        try await TestServer.request("GET", url, token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
      }
      // A request without a token isn't a guess, like that of a page before its operator has signed in.
      for _ in 0..<10 { #expect(try await ask(nil).status == 401) }
      for _ in 0..<2 { #expect(try await ask("a-token-for-tests-onlx").status == 401) }
      #expect(try await ask("a-token-for-tests-only").status == 200)
      #expect(try await ask("another").status == 401)
      for token in ["a-token-for-tests-only", "another", nil] {
        let answer = try await ask(token)
        #expect(answer.status == 429 && answer["limit"] as? String == "adminAttempts", "\(answer.text)")
        #expect(answer["code"] as? String == "tooManyRequests" && answer.text.contains("limit of 3 wrong tokens"))
        #expect(answer.headers["retry-after"] == "60")
      }
      let metrics = try await TestServer.request(
        "GET", "http://127.0.0.1:\(try #require(server.server.adminPort))/metrics")
      #expect(metrics.text.contains(#"parley_limited_total{limit="adminAttempts"} 3"#))
    }
    let (limits, usual) = (
      AdminAttempts(perMinute: 2, counters: LimitCounters()), AdminAttempts(perMinute: nil, counters: LimitCounters())
    )
    let start = Instant(nanoseconds: 0)
    func guess(_ text: String, _ limits: AdminAttempts, at time: Instant) throws -> Bool {
      let address = try #require(IPAddress(text))
      guard (try? limits.check(address, now: time)) != nil else { return false }
      limits.failed(address, now: time)
      return true
    }
    #expect(try (0..<3).map { _ in try guess("192.0.2.1", limits, at: start) } == [true, true, false])
    #expect(try guess("192.0.2.2", limits, at: start))
    #expect(try !guess("192.0.2.1", limits, at: start + .seconds(59)))
    #expect(try guess("192.0.2.1", limits, at: start + .seconds(60)))
    // One network of IPv6 is one address, and many networks do not grow the table without bound.
    #expect(
      try (0..<3).map { try guess("2001:db8:0:1::\($0)", limits, at: start) } == [true, true, false])
    for index in 0..<20_000 { limits.failed(IPAddress(v4: UInt32(0x0A00_0000 + index)), now: start + .seconds(1)) }
    #expect(limits.count <= 10_000)
    #expect(try (0..<50).allSatisfy { _ in try guess("127.0.0.1", usual, at: start) })
    #expect(try (0..<12).filter { _ in try guess("192.0.2.1", usual, at: start) }.count == 10)
  }

  @Test("an error of a meeting is told once in a while, however often strangers cause it")
  func errors() {
    let events = RoomEvents()
    let tenant = TenantID.random()
    let now = Date()
    let record = MeetingRecord(tenant: tenant, room: .random(), kind: .room, subject: "", created: now)
    for second in 0..<25 {
      events.add(RoomEvent(.error(code: "meetingFull", message: "full"), in: record, at: now + Double(second)))
    }
    events.end()
    events.add(RoomEvent(.meetingStarted, in: record))
    #expect(events.dropped.current == 1)
  }

  @Test("an address that asks too often gets the limit at every endpoint, others don't")
  func addressRate() async throws {
    try await TestServer.run({ $0.addressRate = 1 }) { server in
      var last = try await server.get("/discover/daily")
      for _ in 0..<20 where last.status == 200 { last = try await server.get("/discover/daily") }
      #expect(last.status == 429 && last.text.contains("tooManyRequests") && last.text.contains("limit of 1 requests"))
      #expect(last.headers["retry-after"] == "1")
      for _ in 0..<20 {
        last = try await server.get("/signin?room=daily")
        if last.status == 429 { break }
      }
      #expect(last.status == 429)
      #expect(try await server.get("/healthz").status == 200)
    }
    let limits = AddressLimits(perSecond: 2, counters: OperationCounters())
    let usual = AddressLimits(perSecond: nil, counters: OperationCounters())
    let now = Instant(nanoseconds: 0)
    func takes(_ text: String, _ limits: AddressLimits, at time: Instant) throws -> Bool {
      (try? limits.take(try #require(IPAddress(text)), now: time)) != nil
    }
    #expect(
      try (0..<9).map { _ in try takes("192.0.2.1", limits, at: now) } == [Bool](repeating: true, count: 8) + [false])
    #expect(try takes("192.0.2.2", limits, at: now))
    #expect(try takes("192.0.2.1", limits, at: now + .seconds(1)))
    // One network of IPv6 is one address.
    for index in 0..<8 { _ = try takes("2001:db8:0:1::\(index)", limits, at: now) }
    #expect(try !takes("2001:db8:0:1::ffff", limits, at: now))
    #expect(try takes("2001:db8:0:2::1", limits, at: now))
    #expect(try (0..<1_000).allSatisfy { _ in try takes("127.0.0.1", usual, at: now) })
  }

  @Test(
    "a provider changes by field; its secret is hidden, and lost with another client")
  func provider() async throws {
    try await TestServer.run { server in
      func set(_ fields: String) async throws -> (
        status: Int, code: String, fields: [String: Any], headers: HTTPHeaders
      ) {
        try await call(server, "PATCH", "tenants/parley", "{\"provider\":{\(fields)}}")
      }
      for (fields, code) in [
        ("\"clientId\":\"parley\"", "providerNeeded"),
        ("\"issuer\":\"http://id.example.com\",\"clientId\":\"parley\"", "badIssuer"),
        ("\"issuer\":\"https://id.example.com\",\"clientId\":\"p\",\"organizers\":[\"a\"]", "roleClaimNeeded"),
        ("\"issuer\":\"https://id.example.com\",\"clientId\":\"p\",\"emailDomains\":[\"a@b\"]", "badDomain"),
      ] {
        let refused = try await set(fields)
        #expect(refused.status == 422 && refused.code == code, "\(fields)")
      }
      #expect(try await set("\"nope\":1").code == "unknownField")
      #expect(try await call(server, "PATCH", "tenants/parley", "{\"signIn\":\"oidc\"}").code == "providerNeeded")
      let made = try await call(
        server, "PATCH", "tenants/parley",
        "{\"signIn\":\"oidc\",\"provider\":{\"issuer\":\"https://id.example.com\",\"clientId\":\"parley\","
          + "\"clientSecret\":\"very secret\",\"roleClaim\":\"groups\",\"organizers\":[\"staff\"],\"emailDomains\":[\"Example.com\"]}}"
      )
      let shown = made.fields["provider"] as? [String: Any] ?? [:]
      #expect(made.status == 200 && text(made.fields, "signIn") == "oidc" && text(shown, "clientId") == "parley")
      #expect(shown["hasSecret"] as? Bool == true && shown["emailDomains"] as? [String] == ["example.com"])
      #expect(shown["scopes"] as? [String] == ["openid", "profile", "email"])
      let changed =
        try await set("\"scopes\":[\"email\"],\"roleClaim\":null,\"organizers\":[]").fields["provider"]
        as? [String: Any]
      #expect(changed?["scopes"] as? [String] == ["openid", "email"] && changed?["roleClaim"] == nil)
      #expect(changed?["hasSecret"] as? Bool == true)
      let other = try await set("\"clientId\":\"other\"").fields["provider"] as? [String: Any]
      #expect(other?["hasSecret"] as? Bool == false)
      for path in ["tenants/parley", "tenants", "audit"] {
        #expect(!"\(try await call(server, "GET", path).fields)".contains("very secret"))
      }
      #expect(!server.logged.text.contains("very secret"))
    }
  }

  @Test("a guest's token waits where only the tenant's people go in, and another doesn't")
  func guests() async throws {
    try await TestServer.run { server in
      #expect(
        try await call(server, "POST", "meetings", "{\"room\":\"board\",\"accessLevel\":\"SameEnterprise\"}").status
          == 201)
      let guest = text(try await call(server, "POST", "tokens", "{\"room\":\"board\",\"guest\":true}").fields, "token")
      let own = text(try await call(server, "POST", "tokens", "{\"room\":\"board\"}").fields, "token")
      guard case .waiting(.lobby, _)? = try await server.knock("board", "Eve", token: guest).1 else {
        throw Unexpected(text: "the guest does not wait")
      }
      _ = try await server.join("board", "Ann", token: own)
      #expect(try await call(server, "POST", "tokens", "{\"room\":\"board\",\"guest\":1}").code == "badField")
    }
  }

}
