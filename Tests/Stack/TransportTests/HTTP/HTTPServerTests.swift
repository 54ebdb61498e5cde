import Basics
import Testing
import Transport

/// Runs `body` with a server on a free loopback port and shuts it down.
func withServer(
  _ configuration: HTTPServer.Configuration = HTTPServer.Configuration(), ip: IPAddress = loopbackV4,
  webSocketDecision: @escaping @Sendable (HTTPRequest) -> WebSocketDecision = { _ in .accept },
  webSocketHandler: @escaping @Sendable (WebSocketConnection) async -> Void = { _ in },
  bodySink: @escaping @Sendable (HTTPRequest) -> (any HTTPBodySink)? = { _ in nil },
  handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { _ in .text("hello") },
  _ body: (HTTPServer, TransportAddress) async throws -> Void
) async throws {
  let server = try HTTPServer(
    configuration, webSocketDecision: webSocketDecision, webSocketHandler: webSocketHandler, bodySink: bodySink,
    handler: handler)
  let address: TransportAddress
  do {
    address = try server.listen(on: TransportAddress(ip: ip, port: 0))
    try await body(server, address)
  } catch {
    await server.shutdown(grace: .zero)
    throw error
  }
  await server.shutdown(grace: .seconds(2))
  #expect(server.counters.open == 0)
}

/// A configuration whose every time is `span`.
func impatient(_ span: TimeSpan) -> HTTPServer.Configuration {
  var configuration = HTTPServer.Configuration()
  configuration.headerTimeout = span
  configuration.bodyTimeout = span
  configuration.idleTimeout = span
  configuration.writeTimeout = span
  return configuration
}

@Suite(.timeLimit(.minutes(20))) struct HTTPServerTests {
  @Test(
    "a request arrives with method, path, query, headers, body and both addresses", arguments: [loopbackV4, loopbackV6])
  func request(ip: IPAddress) async throws {
    let seen = Shared<HTTPRequest?>(nil)
    try await withServer(
      ip: ip,
      handler: { request in
        seen.value = request
        return HTTPResponse(status: 201, headers: ["X-Answer": "42"], body: Array("made".utf8))
      }
    ) { _, address in
      let response = try await HTTPClient.request(
        "POST", "http://\(address.text)/a%20b/c?x=1%2B1&y=z%3d%3d&flag",
        headers: ["Content-Type": "text/weird", "Origin": "http://o"],
        body: [1, 0, 255])
      #expect(response.status == 201 && response.text == "made")
      let request = try #require(seen.value)
      #expect(request.method == "POST" && request.path == "/a b/c")
      #expect(request.query == "x=1%2B1&y=z%3D%3D&flag")
      #expect(request.headers["CONTENT-TYPE"] == "text/weird" && request.headers["origin"] == "http://o")
      #expect(request.headers["host"] == address.text)
      #expect(request.body == [1, 0, 255])
      #expect(request.local == address && request.remote.ip == ip && !request.isTLS)
    }
  }

  @Test("a body made while it is sent arrives whole; one that breaks off is no request")
  func uploads() async throws {
    let seen = Shared<[[UInt8]]>([])
    try await withServer(
      handler: { request in
        seen.change { $0.append(request.body) }
        return .text("made")
      }
    ) { _, address in
      let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let asked = Shared<[Int]>([])
      let upload = HTTPUpload(count: body.count) { offset, count in
        asked.change { $0.append(offset) }
        return Array(body[offset..<offset + count])
      }
      let response = try await HTTPClient.request("PUT", "http://\(address.text)/file", upload: upload)
      #expect(response.text == "made" && seen.value == [body])
      // A piece at a time, in its order.
      #expect(asked.value.count > 4 && asked.value == asked.value.sorted())
      for count in [nil, 5] as [Int?] {
        let broken = HTTPUpload(count: body.count) { offset, _ in
          offset == 0 ? Array(body.prefix(16_384)) : count.map { Array(body.prefix($0)) }
        }
        await #expect(throws: TransportError.cancelled) {
          try await HTTPClient.request("PUT", "http://\(address.text)/file", upload: broken)
        }
      }
      #expect(seen.value.count == 1)
    }
  }

  // HEAD without a body; it closes when asked.
  @Test("one connection serves request after request (RFC 9112 9)")
  func keepAlive() async throws {
    try await withServer(handler: { .text("\($0.method) \($0.path)") }) { server, address in
      let client = try RawClient(address)
      for i in 0..<20 {
        client.write("GET /\(i) HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = try #require(await client.response())
        #expect(response.status == 200 && String(decoding: response.body, as: UTF8.self) == "GET /\(i)")
        #expect(response.headers["connection"] == "keep-alive" && response.headers["date"]?.hasSuffix("GMT") == true)
      }
      client.write("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
      #expect(await client.response().map { String(decoding: $0.body, as: UTF8.self) } == "POST /p")
      client.write("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(await client.head()?.contains("Content-Length: 7") == true)
      client.write("OPTIONS /o HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      let text = await client.textToEnd()
      #expect(text.hasPrefix("HTTP/1.1 200 OK"))
      #expect(text.hasSuffix("OPTIONS /o") && text.contains("Connection: close"))
      #expect(server.counters.accepted == 1 && server.counters.requests == 23)
    }
  }

  // None is taken for another's body.
  @Test("of requests sent together the first is answered, the connection closed")
  func pipelining() async throws {
    let handled = Shared<[String]>([])
    try await withServer(handler: { request in
      handled.change { $0.append("\(request.method) \(request.path) \(request.body.count)") }
      return .text(request.path)
    }) { _, address in
      let client = try RawClient(address)
      client.write(
        (0..<3).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
          + "POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nabGET /4 HTTP/1.1\r\nHost: x\r\n\r\n")
      let text = await client.textToEnd()
      #expect(text.hasSuffix("/0") && text.contains("Connection: close"))
      let second = try RawClient(address)
      second.write("POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nabGET /4 HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = await second.textToEnd()
      #expect(answer.hasSuffix("/3") && answer.contains("Connection: close"))
      #expect(handled.value == ["GET /0 0", "POST /3 2"])
    }
  }

  @Test("requests that arrive during an answer are answered after it")
  func queued() async throws {
    let gate = Shared(false)
    let started = Shared(false)
    try await withServer(handler: { request in
      started.value = true
      if request.path == "/0" { await wait("the gate") { gate.value } }
      return .text(request.path)
    }) { _, address in
      let client = try RawClient(address)
      client.write("GET /0 HTTP/1.1\r\nHost: x\r\n\r\n")
      await wait("the first handler") { started.value }
      client.write("POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
      gate.value = true
      for i in 0..<2 {
        #expect(await client.response().map { String(decoding: $0.body, as: UTF8.self) } == "/\(i)")
      }
    }
  }

  @Test("a large body reaches a slow reader whole, from memory and from a file")
  func largeResponse() async throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let path = try TemporaryDirectory.shared.file(bytes)
    try await withServer(handler: { request in
      request.path == "/file" ? HTTPResponse(file: path) : HTTPResponse(body: bytes)
    }) { _, address in
      for target in ["/memory", "/file"] {
        let client = try RawClient(address, receiveBuffer: 4_096)
        client.write("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = await client.response()
        #expect(response?.body == bytes)
      }
      #expect(try await HTTPClient.request("GET", "http://\(address.text)/file").body == bytes)
    }
  }

  @Test("an unreadable file is 404, and control characters cannot split a response")
  func badResponses() async throws {
    try await withServer(handler: { request in
      request.path == "/file"
        ? HTTPResponse(file: "/nonexistent") : HTTPResponse(headers: ["Location": "/x\r\nSet-Cookie: evil=1"])
    }) { _, address in
      #expect(try await HTTPClient.request("GET", "http://\(address.text)/file").status == 404)
      let response = try await HTTPClient.request("GET", "http://\(address.text)/split")
      #expect(response.headers["set-cookie"] == nil)
      #expect(response.headers["location"] == "/x  Set-Cookie: evil=1")
    }
  }

  @Test(
    "threat 27: a large body is 413 unbuffered, a long address 414, chunks are 411")
  func limits() async throws {
    let handled = Shared(0)
    let upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    try await withServer(handler: { _ in
      handled.change { $0 += 1 }
      return .text("no")
    }) { _, address in
      for (request, status) in [
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 411),
        ("GET /\(String(repeating: "a", count: 5_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        ("GET /a?\(String(repeating: "b", count: 5_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        ("GET /%ff%fe HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /%0d%0aX: HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /a?text=one%0Atwo HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /%00a HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /a%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /a?b=%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /%4 HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /?%gg HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("\u{16}\u{3}\u{1}\u{2}\r\n\r\n", 400),
        ("CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", 501),
        ("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: smoke\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X-F: ffffffffffffffff\r\n", count: 900) + "\r\n", 400),
        ("GET / HTTP/1.0\r\nHost: x\r\n\(upgrade)\r\n", 400),
        ("GET /%0A HTTP/1.1\r\nHost: x\r\n\(upgrade)\r\n", 400),
        // A text that would take long to compare.
        ("GET / HTTP/1.1\r\nHost: x\r\nAccept: \(String(repeating: "\u{300}\u{316}", count: 500))\r\n\r\n", 400),
      ] {
        let client = try RawClient(address)
        client.write(request)
        let answer = await client.response()
        #expect(answer?.status == status, "\(request.prefix(60))")
        // Every refusal has one form, and comes once.
        let text = String(decoding: answer?.body ?? [], as: UTF8.self)
        #expect(text.contains("\"code\""), "\(request.prefix(60))")
        #expect(await client.readToEnd().isEmpty, "\(request.prefix(60))")
      }
      #expect(handled.value == 0)
    }
  }

  // A client that is gone or silent gets nothing.
  @Test("threat 27: unparsable input gets 400, also later and over TLS")
  func unreadable() async throws {
    var configuration = impatient(.seconds(1))
    configuration.tls = try TLSIdentity.selfSigned(
      hosts: ["127.0.0.1"], directory: TemporaryDirectory.shared.directory())
    try await withServer(configuration) { server, address in
      let secure = try await HTTPClient.request(
        "GET", "https://127.0.0.1:\(address.port)/a%00b", allowsSelfSigned: true)
      #expect(secure.status == 400 && secure.text.contains("badRequest"))
      // Not even a handshake.
      let silent = try RawClient(address)
      await wait("the end of the silent one") { server.counters.open == 0 }
      #expect(await silent.readToEnd().isEmpty)
    }
    try await withServer(impatient(.seconds(1))) { server, address in
      let client = try RawClient(address)
      for path in ["/", "/a"] {
        client.write("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(await client.response()?.status == 200)
      }
      client.write("GET /a%00 HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(await client.response()?.status == 400)
      let idle = try RawClient(address)
      idle.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(await idle.response()?.status == 200)
      let half = try RawClient(address)
      half.write("GET / HT")
      let gone = try RawClient(address)
      gone.close()
      await wait("all closed") { server.counters.open == 0 }
      #expect(await idle.readToEnd().isEmpty)
      #expect(await half.response()?.status == 408)
      // Three of the first, one of the idle one, and the half one.
      #expect(server.counters.requests == 5)
    }
  }

  @Test("threat 27: headers over the limit end the connection")
  func headerLimit() async throws {
    try await withServer { server, address in
      let client = try RawClient(address)
      client.write("GET / HTTP/1.1\r\nHost: x\r\n")
      for i in 0..<40 { client.write("X-Filler-\(i): \(String(repeating: "f", count: 500))\r\n") }
      client.write("\r\n")
      #expect(await !client.textToEnd().contains("200 OK"))
      await wait("the connection's end") { server.counters.open == 0 }
    }
  }

  // A slow-loris.
  @Test("threat 27: slow heads, bodies, idle connections and readers are closed")
  func slowLoris() async throws {
    let big = [UInt8](repeating: 1, count: 8 << 20)
    try await withServer(
      impatient(.seconds(3)), handler: { $0.path == "/big" ? HTTPResponse(body: big) : .text("hello") }
    ) { server, address in
      let silent = try RawClient(address)
      let dripping = try RawClient(address)
      let halfBody = try RawClient(address)
      let idle = try RawClient(address)
      let unread = try RawClient(address, receiveBuffer: 4_096)
      halfBody.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
      idle.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(await idle.response()?.status == 200)
      unread.write("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
      // One byte now and then does not buy more time.
      let drip = Task.detached {
        for byte in Array("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: yes, very slow indeed\r\n".utf8) {
          if !dripping.write([byte]) { break }
          try? await Task.sleep(for: .milliseconds(40))
        }
      }
      await wait("all five closed") { server.counters.open == 0 }
      #expect(server.counters.timedOut == 5)
      await drip.value
      // Only the client in the middle of a request gets an answer.
      let answer = await halfBody.response()
      let text = String(decoding: answer?.body ?? [], as: UTF8.self)
      #expect(answer?.status == 408 && text.contains(#""code":"requestTimeout""#), "\(text)")
      #expect(answer?.headers["connection"] == "close")
      #expect(await silent.readToEnd().isEmpty)
      #expect(await idle.readToEnd().isEmpty)
    }
  }

  @Test("this machine's connections aren't bounded if a proxy may be behind them")
  func proxyConnections() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.connectionsPerNetwork = 1
    configuration.boundsLoopback = false
    try await withServer(configuration) { server, address in
      let clients = [try RawClient(address), try RawClient(address), try RawClient(address)]
      await wait("three connections") { server.counters.open == 3 }
      #expect(server.counters.refused == 0 && clients.count == 3)
    }
  }

  @Test("many connections at once are all served")
  func manyConnections() async throws {
    try await withServer(handler: { .text($0.path) }) { server, address in
      await withTaskGroup(of: Bool.self) { group in
        for i in 0..<150 {
          group.addTask {
            let response = try? await HTTPClient.request("GET", "http://\(address.text)/\(i)")
            return response?.text == "/\(i)"
          }
        }
        for await good in group { #expect(good) }
      }
      #expect(server.counters.accepted == 150)
    }
  }

  @Test("garbage of any kind ends its own connection and nothing else")
  func garbage() async throws {
    try await withServer { server, address in
      var state: UInt64 = 0x9E37_79B9_7F4A_7C15
      func random() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
      }
      let seeds = [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        "GET /s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u{1}\u{2}\u{3}\u{4}",
        "GET /../../x;y&z%41?%%%3d=&&;; HTTP/1.0\r\nConnection: keep-alive\r\nCookie: a\r\nCookie: b\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\nConnection: Upgrade\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      ].map { Array($0.utf8) }
      for round in 0..<400 {
        var bytes = seeds[Int(random() % UInt64(seeds.count))]
        for _ in 0..<Int(random() % 6) {
          let at = Int(random() % UInt64(bytes.count))
          switch random() % 4 {
          case 0: bytes[at] = UInt8(truncatingIfNeeded: random())
          case 1: bytes.insert(UInt8(truncatingIfNeeded: random()), at: at)
          case 2: bytes.removeSubrange(at..<min(at + Int(random() % 9), bytes.count))
          default: bytes.insert(contentsOf: bytes[at..<min(at + 40, bytes.count)], at: at)
          }
          if bytes.isEmpty { bytes = [10] }
        }
        let client = try RawClient(address)
        client.write(bytes)
        if round % 3 == 0 { client.write(seeds[0]) }
        client.close()
      }
      await wait("every connection's end") { server.counters.open == 0 }
      #expect(try await HTTPClient.request("GET", "http://\(address.text)/").text == "hello")
    }
  }

  // Of body and answer, on one connection.
  @Test("requests without a pause are all answered, whatever the sizes")
  func keptConnection() async throws {
    // Between these lie the library's limits: of one write, of its earlier cut of writes (2,068 bytes), and of one read
    // (4,080).
    try await withServer(handler: { HTTPResponse(body: $0.body + $0.body) }) { server, address in
      let sizes = [1, 900, 1_030, 1_036, 1_500, 2_600, 3_900, 4_080, 5_500, 6_100, 9_000, 20_000]
      let exchanges = BlockingExchanges(address)
      let outcome = await exchanges.run(3_000) { number in
        let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: sizes[number % sizes.count])
        let head = "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n"
        return (Array(head.utf8) + body, body + body)
      }
      #expect(outcome == .init(answered: 3_000, connections: 1))
    }
  }

  @Test("a client that goes away cancels its handler")
  func cancellation() async throws {
    let started = Shared(false)
    let cancelled = Shared(false)
    try await withServer(handler: { _ in
      started.value = true
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
      cancelled.value = true
      return .text("late")
    }) { server, address in
      let client = try RawClient(address)
      client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await wait("the handler") { started.value }
      await server.shutdown(grace: .milliseconds(50))
      await wait("cancellation") { cancelled.value }
      client.close()
    }
  }

  @Test("a port in use is an error with the port in it")
  func portInUse() async throws {
    try await withServer { _, address in
      let second = try HTTPServer { _ in .text("never") }
      #expect(throws: TransportError.addressInUse(address)) { try second.listen(on: address) }
      await second.shutdown()
    }
  }

  @Test("the client's errors say what happened")
  func clientErrors() async throws {
    let closed = try TCPListener(bind: TransportAddress(ip: loopbackV4, port: 0)).localAddress
    await #expect(throws: TransportError.self) { _ = try await HTTPClient.request("GET", "http://\(closed.text)/") }
    await #expect(throws: TransportError.badURL("ftp://x/")) { _ = try await HTTPClient.request("GET", "ftp://x/") }
    await #expect(throws: TransportError.self) {
      _ = try await HTTPClient.request("GET", "http://no-such-host.invalid/")
    }
    try await withServer(handler: { request in
      if request.path == "/slow" { try? await Task.sleep(for: .seconds(5)) }
      return HTTPResponse(body: [UInt8](repeating: 0, count: 5_000))
    }) { _, address in
      await #expect(throws: TransportError.tooLarge(limit: 1_000)) {
        _ = try await HTTPClient.request("GET", "http://\(address.text)/", limit: 1_000)
      }
      await #expect(throws: TransportError.timedOut("The answer of \(address.text)")) {
        _ = try await HTTPClient.request("GET", "http://\(address.text)/slow", timeout: .milliseconds(200))
      }
    }
  }
}
