import Basics
import TestSupport
import Testing
import Transport

@Suite("Requests that two readers could read differently", .timeLimit(.minutes(5)))
struct MalformedHeaderTests {
  private static let upgrade =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

  private static let lines = [
    "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", "Content-Length : 40", " Transfer-Encoding: chunked",
    "X-Own: 1\r\n folded: 2", "X-Own: 1\nTransfer-Encoding: chunked", "X-Own: 1\rTransfer-Encoding: chunked",
    "X-Own\u{0}: 1", "X-Own: \u{0}", "X-\u{1}Own: 1", "X-Own: \u{8}", "X(Own): 1", ": nothing", "nothing", "Host: y",
    "X: 1",
    "GET /other HTTP/1.1", "Transfer-Encoding: chunked\r\nContent-Length: 4",
  ]

  // Whole and byte by byte.
  @Test(
    "threat 37: a malformed head gets 400 before anything acts on it",
    arguments: lines)
  func refused(line: String) async throws {
    let (handled, opened) = (Shared(0), Shared(0))
    try await withServer(
      webSocketDecision: { _ in
        opened.change { $0 += 1 }
        return .accept
      },
      bodySink: { _ in
        handled.change { $0 += 1 }
        return nil
      },
      handler: { _ in
        handled.change { $0 += 1 }
        return .text("no")
      }
    ) { server, address in
      // A reader that ends this request elsewhere would take the following bytes for another one.
      let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
      for (method, fields, body) in [
        ("GET", "", ""), ("POST", line.contains("Content-Length") ? "" : "Content-Length: 4\r\n", "body"),
        ("GET", Self.upgrade, ""),
      ] {
        let request = Array("\(method) /a HTTP/1.1\r\nHost: x\r\n\(line)\r\n\(fields)\r\n\(body)\(smuggled)".utf8)
        for isWhole in [true, false] {
          let client = try RawClient(address)
          if isWhole {
            client.write(request)
          } else {
            for byte in request where client.write([byte]) {}
          }
          let answer = try #require(await client.response(), "\(method) \(isWhole)")
          #expect(answer.status == 400, "\(method) \(isWhole)")
          #expect(String(decoding: answer.body, as: UTF8.self).contains("\"code\":\"badHeader\""))
          #expect(answer.headers["connection"] == "close")
          #expect(await client.readToEnd().isEmpty)
        }
      }
      #expect(handled.value == 0 && opened.value == 0)
    }
  }

  @Test("threat 37: it is found on a kept connection, and behind another request")
  func kept() async throws {
    try await withServer { _, address in
      let client = try RawClient(address)
      for _ in 0..<3 {
        client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
        #expect(await client.response()?.status == 200)
      }
      client.write("GET / HTTP/1.1\r\nHost: x\r\nX-Own : 1\r\n\r\n")
      #expect(await client.response()?.status == 400)
      #expect(await client.readToEnd().isEmpty)
      // A body isn't a request, whatever the method.
      for method in ["GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH"] {
        let client = try RawClient(address)
        let body = "GET /smuggled HTTP/1.1\r\nHost: x\r\nX : 1\r\n\r\n"
        client.write("\(method) / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(await client.head()?.contains("200 OK") == true, "\(method)")
      }
    }
  }

  // A record for each byte.
  @Test("threat 37: over TLS it is found after decryption, in one record or many")
  func secure() async throws {
    var configuration = HTTPServer.Configuration()
    let identity = try TLSIdentity.selfSigned(
      hosts: ["127.0.0.1"], directory: TemporaryDirectory.shared.directory())
    configuration.tls = identity
    let handled = Shared(0)
    try await withServer(
      configuration,
      handler: { request in
        handled.change { $0 += 1 }
        return .text("\(request.path) \(request.body.count)")
      }
    ) { _, address in
      for piece in [Int.max, 1, 5_000] {
        let client = try await SecureRawClient(address, trusting: identity.certificatePath)
        // Longer than what the library reads at once.
        let long = String(repeating: "a", count: 9_000)
        for number in 0..<2 {
          let body = String(repeating: "b", count: 6_000)
          client.write(
            "POST /\(number) HTTP/1.1\r\nHost: x\r\nX-Own: \(long)\r\nContent-Length: 6000\r\n\r\n\(body)", piece: piece
          )
          #expect(await client.answer(endingIn: "/\(number) 6000")?.hasPrefix("HTTP/1.1 200") == true, "\(piece)")
        }
        let before = handled.value
        client.write("GET / HTTP/1.1\r\nHost: x\r\nX-Own: \(long)\r\nX-Other : 1\r\n\r\n", piece: piece)
        #expect(await client.answer(endingIn: "}")?.contains("badHeader") == true, "\(piece)")
        #expect(handled.value == before)
      }
    }
  }

  @Test("names of every allowed sign, long and many, reach the handler")
  func served() async throws {
    let seen = Shared<HTTPHeaders>(HTTPHeaders())
    try await withServer(handler: { request in
      seen.value = request.headers
      return .text("yes")
    }) { _, address in
      let client = try RawClient(address)
      let names = [
        "!#$%&'*+-.^_`|~09azAZ", "Priority", "Sec-GPC", "Upgrade-Insecure-Requests",
        String(repeating: "n", count: 2_000),
      ]
      let many = (0..<200).map { "Own-\($0): a: b : c\r\n" }.joined() + names.map { "\($0): x y\r\n" }.joined()
      for pieces in [20_000, 1] {
        var rest = Array("GET /a/../b&c?d=1&e HTTP/1.1\r\nHost: x\r\n\(many)\r\n".utf8)[...]
        while !rest.isEmpty {
          client.write(Array(rest.prefix(pieces)))
          rest = rest.dropFirst(pieces)
        }
        #expect(await client.response()?.status == 200)
        #expect(seen.value["own-199"] == "a: b : c" && names.allSatisfy { seen.value[$0] == "x y" })
      }
    }
  }
}
