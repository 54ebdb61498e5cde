import Foundation
import Meetings
import Signaling
import Testing
import Transport

@testable import MeetingServer

@Suite("OpenTok sessions over REST", .serialized)
struct OpenTokSessionTests {
  @Test("a session is JSON of the content type SDKs compare, and its token opens the room")
  func json() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      for path in ["/session/create", "/hl/session/create"] {
        let answer = try await server.post(
          path, "p2p.preference=disabled&archiveMode=manual&location=192.0.2.7&e2ee=true",
          headers: ["X-OPENTOK-AUTH": try api.jwt(), "Accept": "application/json"])
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/json", "\(answer.text)")
        let list = try #require(try answer.json as? [[String: Any]])
        let id = try #require(list.first?["session_id"] as? String)
        #expect(list.count == 1 && list[0]["partner_id"] as? String == api.key && list[0]["properties"] is NSNull)
        let session = try #require(OpenTokSession(id))
        #expect(session.belongs(to: api.key) && session.options.isEncrypted && session.options.location == "192.0.2.7")
        let token = try api.token(id)
        let plain = try await server.answer(toJoin: "", "Ben", token: token)
        guard case .error(.encryptionRequired, _, true, _) = plain else { throw Unexpected(plain) }
        let (ann, welcome) = try await server.join("", "Ann", token: token, e2ee: true)
        #expect(welcome.meeting.name == id && welcome.meeting.e2ee == true)
        await ann.close()
      }
    }
  }

  @Test("without an Accept for JSON the answer is XML, also for the older key and secret")
  func xml() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let answer = try await server.post(
        "/session/create", "api_key=\(api.key)&location=127.0.0.1",
        headers: ["X-TB-PARTNER-AUTH": "\(api.key):\(api.secret.value)"])
      #expect(answer.status == 200 && answer.headers["content-type"]?.hasPrefix("text/xml") == true)
      let id = try #require(answer.text.firstMatch(of: /<session_id>([^<]+)<\/session_id>/)?.1)
      #expect(OpenTokSession(String(id))?.belongs(to: api.key) == true)
      #expect(answer.text.hasPrefix("<?xml") && answer.text.contains("<partner_id>\(api.key)</partner_id>"))
      let refused = try await server.post("/session/create", "", headers: ["X-TB-PARTNER-AUTH": "\(api.key):wrong"])
      #expect(refused.status == 403 && refused.text.contains("<errorPayload><code>403</code>"))
    }
  }

  @Test("threat 24: a missing, bad or client's credential makes no session")
  func credentials() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      for headers in [
        [:], ["X-OPENTOK-AUTH": "nonsense"], ["X-OPENTOK-AUTH": try api.token(session, role: "moderator")],
        ["X-OPENTOK-AUTH": try api.jwt(after: 3_600)], ["X-TB-PARTNER-AUTH": "\(api.key):"],
        ["Authorization": "Bearer \(try api.jwt())"],
      ] as [HTTPHeaders] {
        var headers = headers
        headers["Accept"] = "application/json"
        let answer = try await server.post("/session/create", "", headers: headers)
        #expect(answer.status == 403 && answer.openTokCode == "badCredential", "\(answer.text)")
      }
      #expect(!server.logged.text.contains(session) && server.logged.text.contains("opentok.refused"))
    }
  }

  @Test("wrong values, types and encodings of the form are refused with the reason")
  func badForms() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      func send(_ body: [UInt8], _ headers: HTTPHeaders = [:], method: String = "POST") async throws -> TestAnswer {
        var all: HTTPHeaders = ["X-OPENTOK-AUTH": try api.jwt(), "Accept": "application/json"]
        for (name, value) in headers.fields { all[name] = value }
        return try await TestServer.request(method, server.url + "/session/create", all, method == "GET" ? nil : body)
      }
      for form in [
        "p2p.preference=maybe", "archiveMode=sometimes", "e2ee=1", "location=here", "location=2001:db8::1",
        "archiveMode=always&p2p.preference=enabled", "e2ee=true&p2p.preference=enabled", "archiveName=x",
        "archiveMode=always&archiveResolution=1x1",
        "archiveMode=always&archiveName=" + String(repeating: "x", count: 81), "archiveResolution=640x480",
      ] {
        let answer = try await send(Array(form.utf8))
        #expect(answer.status == 400 && answer.openTokCode == "badBody", "\(form): \(answer.text)")
      }
      let secret = try await send(Array("archiveMode=always&e2ee=true".utf8))
      #expect(secret.status == 409 && secret.openTokCode == "encrypted", "\(secret.text)")
      #expect(try await send([0xFF, 0xFE]).openTokCode == "badBody")
      #expect(try await send(Array("api_key=1".utf8)).openTokCode == "wrongProject")
      #expect(try await send(Array("{}".utf8), ["Content-Type": "application/json"]).status == 415)
      #expect(try await send(Array("a=b".utf8), ["Content-Encoding": "gzip"]).status == 415)
      #expect(try await send([UInt8](repeating: 97, count: 70_000)).openTokCode == "tooLarge")
      let read = try await send([], method: "GET")
      #expect(read.status == 405 && read.headers["allow"] == "POST")
      for good in [
        "archiveMode=always&archiveName=a&archiveResolution=640x480&p2p.preference=disabled&unknown=1&e2ee=false",
        "archiveName=&archiveResolution=&archiveMode=&p2p.preference=&e2ee=&location=&api_key=",
        "archiveMode=always&archiveName=&archiveResolution",
      ] {
        #expect(try await send(Array(good.utf8)).status == 200, "\(good)")
      }
      #expect(server.logged.text.contains("opentok.notRecorded"))
    }
  }

  @Test("threat 33: a session's room needs a token for it, whatever the case of its name")
  func closed() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      for name in [session, session.lowercased(), session.uppercased()] {
        let answer = try await server.get("/discover/" + name)
        #expect(answer.status == 401 && answer.text.contains("tokenRequired"), "\(name): \(answer.text)")
      }
      #expect(try await server.get("/discover/daily").status == 200)
      let token = try api.token(session).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      #expect(try await server.get("/discover/\(session)?anonymousMeetingJoinContext=psat%3D\(token)").status == 200)
    }
  }

  @Test("threat 28: foreign pages may load the script; the demo page runs only ours")
  func script() async throws {
    try await TestServer.run { server in
      let script = try await server.get("/opentok.js", headers: ["Origin": "https://app.example"])
      #expect(script.status == 200 && script.text == "script" && script.headers["access-control-allow-origin"] == "*")
      #expect(script.headers["content-type"]?.hasPrefix("text/javascript") == true)
      let demo = try await server.get("/browser_demo.html")
      #expect(demo.status == 200 && demo.headers["content-security-policy"]?.contains("script-src 'self';") == true)
      #expect(demo.headers["access-control-allow-origin"] == nil)
      for path in ["/opentok.js", "/browser_demo.html"] { #expect(try await server.post(path, "").status == 405) }
      #expect(try await server.get("/opentok.js/x").status == 404)
    }
  }

  @Test(
    "only in development does a browser get a session by GET, without an origin too")
  func development() async throws {
    try await TestServer.run { server in
      #expect(try await server.get("/hl/session/create").status == 405)
      #expect(try await server.get("/session").status == 404)
      let socket = try await server.connect(origin: "null")
      try socket.send(
        .join(.init(token: try await server.discover("daily").token ?? "", name: "Ann", offer: "", tracks: [])))
      #expect(try await socket.error() == (.wrongOrigin, true))
      await socket.close()
    }
    try await TestServer.run({ $0.isDevelopment = true }) { server in
      let page = try await server.get("/hl/session/create", headers: ["Accept": "text/html,application/xhtml+xml"])
      #expect(page.status == 200 && page.text.contains("<session_id>2_MX4"))
      let sample = try await server.get("/session")
      let id = try #require(sample["sessionId"] as? String)
      #expect(sample["token"] as? String == "devtoken" && OpenTokSession(id)?.apiKey == sample["apiKey"] as? String)
      #expect(sample.headers["access-control-allow-origin"] == "*")
      #expect(try await server.get("/session")["sessionId"] as? String == id)
      let (ann, welcome) = try await server.join("", "Ann", token: "devtoken", enters: id, origin: "null")
      #expect(welcome.meeting.name == id)
      let back = try await server.connect(origin: "null")
      try back.send(.resume(token: welcome.resumeToken))
      _ = try await back.first { if case .resumed = $0 { true } else { nil } }
      for client in [ann, back] { await client.close() }
    }
  }
}
