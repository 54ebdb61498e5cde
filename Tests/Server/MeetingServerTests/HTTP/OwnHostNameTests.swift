import Testing

@testable import MeetingServer

@Suite("The server's own name")
struct OwnHostNameTests {
  @Test(
    "addresses and localhost are believed",
    arguments: ["localhost", "LOCALHOST", "app.localhost", "127.0.0.1", "192.0.2.7", "[::1]", "[2001:db8::1]"])
  func accepted(host: String) {
    #expect(OwnHostName.accepts(host))
  }

  @Test(
    "threat 28: a name that somebody else's DNS may point here is not believed",
    arguments: ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1", "[evil]"])
  func refused(host: String) {
    #expect(!OwnHostName.accepts(host))
  }

  @Test("threat 28: only under the server's own name works what needs it; pages always do")
  func doors() async throws {
    try await TestServer.run { server in
      let port = server.server.port
      func ask(_ host: String, _ method: String, _ path: String) async throws -> RawHTTP.Answer {
        let request = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        return try #require(try await RawHTTP.send(Array(request.utf8), to: port))
      }
      for (method, path) in [
        ("GET", "/discover/hello"), ("GET", "/signin"), ("GET", "/signout"), ("POST", "/GetAdhocMeetingJob"),
        ("POST", "/GetAnonTokenJob"), ("POST", "/api/v1/meetings"), ("GET", "/api/v1/meetings/hello"),
      ] {
        let answer = try await ask("evil.example", method, path)
        #expect(answer.status == 421 && answer.body.contains("unknownHost"), "\(path): \(answer.status) \(answer.body)")
        #expect(try await ask("localhost", method, path).status != 421, "\(path)")
      }
      for path in ["/", "/hello", "/opentok.js", "/sdk/parley.js", "/healthz", "/readyz"] {
        let answer = try await ask("evil.example", "GET", path)
        #expect(answer.status == 200, "\(path): \(answer.status)")
        #expect(answer.body == (try await ask("localhost", "GET", path)).body, "\(path)")
      }
    }
  }

  @Test("threat 28: a WebSocket under another name or none is refused before it opens")
  func webSocket() async throws {
    try await TestServer.run { server in
      func open(_ host: String, _ port: UInt16) async throws -> RawHTTP.Answer {
        let request =
          "GET /signal HTTP/1.1\r\nHost: \(host)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        return try #require(try await RawHTTP.send(Array(request.utf8), to: port))
      }
      #expect(try await open("localhost", server.server.port).status == 101)
      for (host, port, status, code) in [
        ("evil.example", server.server.port, 421, "unknownHost"), ("a@b", server.server.port, 400, "badHost"),
        ("localhost", try #require(server.server.adminPort), 404, "notFound"),
      ] {
        let answer = try await open(host, port)
        #expect(answer.status == status && answer.body.contains(code), "\(host): \(answer.status) \(answer.body)")
      }
    }
  }
}
