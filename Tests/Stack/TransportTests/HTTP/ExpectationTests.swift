import Basics
import Testing
import Transport

/// A sink that wants a body or does not.
private struct DecidedSink: HTTPBodySink {
  let limit = 1 << 20
  let wants: Bool
  let taken = Shared(0)

  func begin(length: Int) async -> HTTPResponse? { wants ? nil : .text("no room", status: 507) }
  func take(_ piece: [UInt8]) async -> HTTPResponse? {
    taken.change { $0 += piece.count }
    return nil
  }
  func finish() async -> HTTPResponse { .text("\(taken.value)", status: 201) }
  func cancel() async {}
}

// RFC 9110 section 10.1.1.
@Suite("Expect: 100-continue", .timeLimit(.minutes(20))) struct ExpectationTests {
  private func head(
    _ path: String, _ length: Int, _ expect: String = "100-continue", version: String = "1.1"
  ) -> String {
    "POST \(path) HTTP/\(version)\r\nHost: x\r\nContent-Length: \(length)\r\nExpect: \(expect)\r\n\r\n"
  }

  @Test("a client is told to send its body, twice on one connection", arguments: ["100-continue", "100-Continue"])
  func told(expectation: String) async throws {
    let sink = DecidedSink(wants: true)
    try await withServer(
      bodySink: { $0.path == "/file" ? sink : nil }, handler: { .text(String(decoding: $0.body, as: UTF8.self)) }
    ) { server, address in
      let client = try RawClient(address)
      for (path, status) in [("/form", 200), ("/file", 201)] {
        client.write(head(path, 4, expectation))
        #expect(await client.head() == "HTTP/1.1 100 Continue")
        client.write("body")
        let answer = try #require(await client.response())
        #expect(answer.status == status && answer.headers["connection"] == "keep-alive")
        #expect(String(decoding: answer.body, as: UTF8.self) == (status == 200 ? "body" : "4"))
      }
      #expect(server.counters.requests == 2)
    }
  }

  @Test("a body that nobody wants is refused before it is sent", arguments: ["/file", "/form"])
  func refused(path: String) async throws {
    let sink = DecidedSink(wants: false)
    var configuration = HTTPServer.Configuration()
    configuration.refusedBodyTimeout = .seconds(3_600)
    try await withServer(configuration, bodySink: { $0.path == "/file" ? sink : nil }) { _, address in
      let client = try RawClient(address)
      client.write(head(path, path == "/file" ? 100_000 : 1 << 40))
      let text = await client.textToEnd()
      #expect(text.hasPrefix(path == "/file" ? "HTTP/1.1 507" : "HTTP/1.1 413") && text.contains("Connection: close"))
      #expect(sink.taken.value == 0)
    }
  }

  @Test("other expectations, HTTP/1.0 and requests without a body get no interim answer")
  func without() async throws {
    try await withServer { _, address in
      let cases = [
        head("/", 2, "tea") + "ab", head("/", 2, version: "1.0") + "ab", head("/", 0),
        "GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n",
      ]
      for text in cases {
        let client = try RawClient(address)
        client.write(text)
        #expect(await client.response()?.status == 200, "\(text)")
      }
    }
  }
}
