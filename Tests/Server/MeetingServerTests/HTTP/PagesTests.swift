import Testing
import Transport

@testable import MeetingServer

@Suite("Pages and files", .serialized)
struct PagesTests {
  @Test("the start page, a room's page and the client's files are served with their types")
  func files() async throws {
    try await TestServer.run { server in
      #expect(try await server.get("/").text == "start")
      #expect(try await server.get("/daily").text == "meeting")
      #expect(try await server.get("/%C3%89cole").text == "meeting")
      let script = try await server.get("/sdk/parley.js")
      #expect(script.text == "sdk")
      #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
      #expect(try await server.get("/assets/a.css").headers["content-type"] == "text/css; charset=utf-8")
      let tag = try #require(script.headers["etag"])
      let again = try await server.get("/sdk/parley.js", headers: ["If-None-Match": tag])
      #expect(again.status == 304)
      #expect(again.body.isEmpty)
    }
  }

  @Test("threat 28: pages aren't framed, run no foreign script, leak no referrer; nosniff")
  func headers() async throws {
    try await TestServer.run { server in
      for path in ["/", "/daily"] {
        let answer = try await server.get(path)
        let policy = answer.headers["content-security-policy"] ?? ""
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("script-src 'self'"))
        #expect(!policy.contains("unsafe"))
        #expect(answer.headers["referrer-policy"] == "no-referrer")
      }
      for path in ["/", "/nothing/here", "/discover/daily", "/healthz", "/sdk/parley.js"] {
        #expect(try await server.get(path).headers["x-content-type-options"] == "nosniff", "\(path)")
      }
    }
  }

  @Test("threat 28: text in a page stays text, also with an accent joined to a delimiter")
  func escaping() throws {
    let accent = "\u{301}"
    let answer = HTTPResponse.notice(
      title: "<b>", text: "a<\(accent)script>'", actions: [("\"&", "http://127.0.0.1/?a=\"\(accent) onclick=\"x")])
    guard case .bytes(let bytes) = answer.body else { throw Unexpected(text: "a page in a file") }
    let page = String(decoding: bytes, as: UTF8.self)
    #expect(page.contains("<h1>&lt;b&gt;</h1>"))
    #expect(page.contains("a&lt;\(accent)script&gt;&#39;"))
    #expect(page.contains("href=\"http://127.0.0.1/?a=&quot;\(accent) onclick=&quot;x\">&quot;&amp;</a>"))
  }

  @Test("no request path leads out of the folder of web files")
  func traversal() async throws {
    try await TestServer.run { server in
      for path in [
        "/assets/../../secret.txt", "/assets/%2e%2e/%2e%2e/secret.txt", "/sdk/..%2f..%2fsecret.txt", "//secret.txt",
        "/assets/%2e%2e%2fsecret.txt", "/sdk/\\..\\..\\secret.txt", "/assets/", "/assets", "/sdk/.", "/assets/a.css%00",
      ] {
        let answer = try? await server.get(path)
        #expect(answer?.text.contains("secret") != true || answer?.status == 404, "\(path)")
        #expect(answer?.text != "secret", "\(path)")
      }
    }
  }

  @Test("reserved and impossible names are refused: JSON for programs, a page for people")
  func names() async throws {
    try await TestServer.run { server in
      let json = try await server.get("/Whip")
      #expect(json.status == 404)
      #expect(json.text.contains("reservedName"))
      let page = try await server.get("/whip", headers: ["Accept": "text/html,*/*"])
      #expect(page.status == 404)
      #expect(page.text.contains("choose another meeting name"))
      #expect(page.headers["content-type"] == "text/html; charset=utf-8")
      let markup = try await server.get("/%5E%3Cscript%3E", headers: ["Accept": "text/html"])
      #expect(markup.status == 404)
      #expect(!markup.text.contains("<script"))
      #expect(try await server.get("/discover/a%5Cb").status == 404)
      #expect(try await server.get("/discover/signal").text.contains("reservedName"))
      #expect(try await server.post("/daily", "x").status == 405)
    }
  }

  @Test("health, readiness, and metrics on the administration port alone")
  func health() async throws {
    try await TestServer.run { server in
      #expect(try await server.get("/healthz").status == 200)
      #expect(try await server.get("/readyz").status == 200)
      #expect(try await server.get("/metrics").status == 404)
      let admin = "http://127.0.0.1:\(server.server.adminPort ?? 0)"
      let metrics = try await TestServer.request("GET", admin + "/metrics")
      #expect(metrics.status == 200)
      #expect(metrics.text.contains("\nparley_http_requests_total "))
      #expect(metrics.text.contains("\nparley_participants 0\n"))
      #expect(metrics.text.contains("test_media 1"))
      #expect(try await TestServer.request("GET", admin + "/").status == 404)
    }
  }

  @Test("a discover document carries what a client needs, with a fresh token each time")
  func discover() async throws {
    try await TestServer.run { server in
      let first = try await server.discover("Daily")
      let second = try await server.discover("dAILY")
      // As it is asked for: its meeting, which has a spelling of its own, is made by joining.
      #expect(first.meeting == "Daily" && second.meeting == "dAILY")
      #expect(first.token?.hasPrefix("psat=") == true)
      #expect(first.token != second.token)
      #expect(first.signaling == server.signal)
      #expect(first.expires != nil)
      #expect(first.links["signaling"]?.href == server.signal)
    }
  }

  @Test("asking for a room makes no meeting, and all who join come into the first one's")
  func lookingMakesNothing() async throws {
    try await TestServer.run { server in
      let store = try await server.store()
      let first = try await server.discover("Daily")
      let second = try await server.discover("daily")
      #expect(try await server.get("/discover/weekly").status == 200)
      #expect(try await store.meetings(tenant: nil, limit: 10).isEmpty)
      let (ann, _) = try await server.join("daily", "Ann", token: first.token ?? "")
      let (ben, welcome) = try await server.join("daily", "Ben", token: second.token ?? "")
      #expect(welcome.participants.map(\.name) == ["Ann", "Ben"])
      let made = try await store.meetings(tenant: nil, limit: 10)
      #expect(made.map(\.room.display) == ["Daily"])
      let later = try await server.discover("daily")
      #expect(first.conferenceId == later.conferenceId && second.conferenceId == later.conferenceId)
      await store.close()
      for client in [ann, ben] { await client.close() }
    }
  }

  @Test("a discover address with a room takes its own tokens only, one without takes any")
  func discoverWithToken() async throws {
    try await TestServer.run { server in
      let token = try await server.discover("Daily").token ?? ""
      let query = "?anonymousMeetingJoinContext=" + token
      #expect(try await server.get("/discover" + query).status == 200)
      #expect(try await server.get("/discover/dAILY" + query).status == 200)
      let other = try await server.get("/discover/weekly" + query)
      #expect(other.status == 403 && other.text.contains("wrongMeeting"))
      #expect(other.text.contains("Daily") && other.text.contains("weekly"), "\(other.text)")
      #expect(try await server.get("/discover/weekly/daily" + query).status == 404)
      #expect(try await server.get("/discover/signal" + query).text.contains("reservedName"))
      #expect(try await server.get("/discover/weekly?anonymousMeetingJoinContext=x").status == 401)
    }
  }

  @Test("with closed rooms only existing meetings are found")
  func closedRooms() async throws {
    try await TestServer.run({ $0.openRooms = false }) { server in
      #expect(try await server.get("/discover/daily").status == 404)
      _ = try await server.post("/GetAdhocMeetingJob", "Subject=x")
    }
  }

  @Test("no token reaches the log")
  func log() async throws {
    try await TestServer.run { server in
      let token = try await server.discover("daily").token ?? ""
      let (client, _) = try await server.join("daily", "Ann", token: token)
      let answer = try await server.get("/discover?anonymousMeetingJoinContext=" + token)
      #expect(answer.status == 200)
      await client.close()
      #expect(server.logged.text.contains("event=joined"))
      #expect(!server.logged.text.contains("eyJ"))
      #expect(!Log.quote("url=/x?jwt=\(token)&a=b").contains("ey"))
      #expect(Log.quote("a\nevent=forged \u{1B}[31m") == "\"a?event=forged ?[31m\"")
    }
  }
}
