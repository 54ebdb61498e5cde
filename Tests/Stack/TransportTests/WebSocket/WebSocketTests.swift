import Basics
import Testing

@testable import Transport

private let echo: @Sendable (WebSocketConnection) async -> Void = { connection in
  for await message in connection.messages {
    switch message {
    case .text(let text): connection.send(text: text)
    case .binary(let bytes): connection.send(binary: bytes)
    }
  }
}

@Suite(.timeLimit(.minutes(20))) struct WebSocketTests {
  @Test("messages of every size come back as they were sent, in order (RFC 6455)", arguments: [loopbackV4, loopbackV6])
  func roundTrip(ip: IPAddress) async throws {
    try await withServer(ip: ip, webSocketHandler: echo) { server, address in
      let client = try await WebSocketClient.connect("ws://\(address.text)/signal?x=1", headers: ["Origin": "http://o"])
      var sent: [WebSocketConnection.Message] = []
      for size in [0, 1, 125, 126, 2_048, 65_535, 65_536, 262_144] {
        sent.append(.binary((0..<size).map { UInt8(truncatingIfNeeded: $0 &+ size) }))
      }
      sent += [.text(""), .text("Grüße, 世界 🎉"), .text(String(repeating: "é", count: 50_000))]
      for message in sent {
        switch message {
        case .text(let text): #expect(client.send(text: text))
        case .binary(let bytes): #expect(client.send(binary: bytes))
        }
      }
      for message in sent { #expect(await client.receive() == message) }
      #expect(server.webSockets.count == 1)
      #expect(server.webSockets.first?.request.path == "/signal")
      #expect(server.webSockets.first?.request.query == "x=1")
      #expect(server.webSockets.first?.request.headers["origin"] == "http://o")
      client.close(code: 1_000, reason: "bye")
      #expect(await client.closed() == .init(code: 1_000, reason: "bye", byPeer: false))
      await wait("the server to notice") { server.webSockets.isEmpty }
    }
  }

  @Test("fragments are put together, with a ping between them")
  func fragments() async throws {
    try await withServer(webSocketHandler: echo) { _, address in
      let client = try RawClient(address)
      #expect(await client.upgrade("/") == 101)
      client.frame(1, Array("Hel".utf8), final: false)
      client.frame(9, [1, 2])
      client.frame(0, Array("lo, w".utf8), final: false)
      client.frame(0, Array("örld".utf8))
      let pong = await client.read(4)
      let text = await client.read(2 + 13)
      let all = pong + text
      #expect(all.starts(with: [0x8A, 2, 1, 2]))
      #expect(String(decoding: all.dropFirst(6), as: UTF8.self) == "Hello, wörld")
    }
  }

  // Also after some masked frames.
  @Test("an unmasking client is closed with 1002 (RFC 6455 5.1)")
  func unmasked() async throws {
    let received = Shared<[WebSocketConnection.Message]>([])
    try await withServer(webSocketHandler: { connection in
      for await message in connection.messages { received.change { $0.append(message) } }
    }) { _, address in
      for masked in [0, 3] {
        let client = try RawClient(address)
        #expect(await client.upgrade("/") == 101)
        received.value = []
        for length in [1, 200, 66_000].prefix(masked) {
          let bytes = [UInt8](repeating: 7, count: length)
          client.frame(2, bytes)
          await wait("the message of \(length) bytes") { received.value.last == .binary(bytes) }
        }
        client.write([0x82, 5] + Array("hello".utf8))
        let closing = await client.read(4)
        #expect(closing.count == 4 && closing[0] == 0x88 && closing.dropFirst(2) == [0x03, 0xEA])
        #expect(received.value.count == masked)
      }
    }
  }

  // Whole or in fragments.
  @Test("threat 27: a message over the limit closes with 1009 before buffering")
  func oversize() async throws {
    let closings = Shared<[WebSocketConnection.Closing]>([])
    try await withServer(webSocketHandler: { connection in
      connection.onClose { closing in closings.change { $0.append(closing) } }
      await echo(connection)
    }) { _, address in
      // Only the length is sent: it must be refused without waiting for the bytes.
      let announced = try RawClient(address)
      #expect(await announced.upgrade("/") == 101)
      announced.frame(2, [UInt8](repeating: 0, count: 4_096), announced: 1 << 40)
      #expect(await announced.read(4).dropFirst(2) == [0x03, 0xF1])
      announced.close()
      let fragmented = try RawClient(address)
      #expect(await fragmented.upgrade("/") == 101)
      fragmented.frame(2, [UInt8](repeating: 0, count: 200_000), final: false)
      fragmented.frame(0, [UInt8](repeating: 0, count: 100_000))
      #expect(await fragmented.read(4).dropFirst(2) == [0x03, 0xF1])
      fragmented.close()
      await wait("both closed with 1009") { closings.value.map(\.code) == [1_009, 1_009] }
    }
  }

  // A fragmented control frame or a reserved opcode.
  @Test("invalid UTF-8 closes with 1007, bad control frames and opcodes with 1002")
  func badFrames() async throws {
    try await withServer(webSocketHandler: echo) { server, address in
      for (opcode, payload, final, code) in [
        (UInt8(1), [UInt8](arrayLiteral: 0xC3, 0x28), true, 1_007), (9, [], false, 1_002), (3, [1], true, 1_002),
        (0, [1], true, 1_002),
      ] {
        let client = try RawClient(address)
        #expect(await client.upgrade("/") == 101)
        client.frame(opcode, payload, final: final)
        let close = await client.read(4)
        #expect(close.count == 4 && Int(close[2]) << 8 | Int(close[3]) == code)
        client.close()
      }
      await wait("all gone") { server.counters.open == 0 }
    }
  }

  @Test(
    "threat 28: path and Origin decide before the WebSocket opens, and are answered")
  func decision() async throws {
    let decide: @Sendable (HTTPRequest) -> WebSocketDecision = { request in
      if request.path != "/signal" { return .reject(.text("nothing here", status: 404)) }
      return request.headers["origin"] == "http://evil" ? .reject(.text("not from there", status: 403)) : .accept
    }
    try await withServer(webSocketDecision: decide, webSocketHandler: echo) { server, address in
      for (path, origin, status) in [
        ("/other", nil, 404), ("/signal", "http://evil", 403), ("/signal", "http://good", 101),
      ] {
        let client = try RawClient(address)
        #expect(await client.upgrade(path, origin: origin) == status)
      }
      await #expect(throws: TransportError.self) {
        _ = try await WebSocketClient.connect("ws://\(address.text)/other")
      }
    }
  }

  @Test("threat 27: a half-open WebSocket is noticed by its missing pongs")
  func halfOpen() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.webSocket.pingInterval = .milliseconds(100)
    // Long enough for a living client on a busy machine.
    configuration.webSocket.pongTimeout = .seconds(3)
    let closings = Shared<[WebSocketConnection.Closing]>([])
    try await withServer(
      configuration,
      webSocketHandler: { connection in
        await echo(connection)
        closings.change { $0.append(connection.closing ?? .init(code: 0, reason: "", byPeer: false)) }
      }
    ) { server, address in
      // This client lives: libwebsockets answers its pings.
      let alive = try await WebSocketClient.connect("ws://\(address.text)/")
      // This one is connected and says nothing any more.
      let dead = try RawClient(address)
      #expect(await dead.upgrade("/") == 101)
      await wait("the dead one to be noticed") { closings.value.count == 1 }
      #expect(closings.value.first?.reason == "no answer to a ping")
      #expect(alive.send(text: "still here"))
      #expect(await alive.receive() == .text("still here"))
      alive.close()
      _ = await alive.closed()
    }
  }

  @Test("threat 27: permessage-deflate isn't negotiated, so no bomb can arrive")
  func noCompression() async throws {
    try await withServer(webSocketHandler: echo) { _, address in
      let client = try RawClient(address)
      client.write(
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
      let response = try #require(await client.response())
      #expect(response.status == 101)
      #expect(response.headers["sec-websocket-extensions"] == nil)
      #expect(response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
      // The bit that would mean "compressed".
      client.frame(0x41, [1, 2, 3])
      #expect(await client.read(4).dropFirst(2) == [0x03, 0xEA])
    }
  }

  @Test("a peer that does not read what it is sent is disconnected when the queue is full")
  func slowReader() async throws {
    let closing = Shared<WebSocketConnection.Closing?>(nil)
    try await withServer(webSocketHandler: { connection in
      connection.onClose { closing.value = $0 }
      let text = String(repeating: "x", count: 100_000)
      while connection.send(text: text) { await Task.yield() }
      _ = await connection.closed()
    }) { server, address in
      let client = try RawClient(address, receiveBuffer: 4_096)
      #expect(await client.upgrade("/") == 101)
      await wait("the disconnection") { closing.value != nil }
      #expect(closing.value?.code == 1_008)
      await wait("the end") { server.counters.open == 0 }
    }
  }

  @Test("a message over the queue's limit arrives with the next, and two are too many")
  func longMessage() async throws {
    let answers = Shared<[Bool]>([])
    try await withServer(webSocketHandler: { connection in
      let long = String(repeating: "x", count: 3 << 20)
      var sent = [connection.send(text: long)]
      for _ in 0..<1_000 { sent.append(connection.send(text: "abc")) }
      answers.value = sent
      _ = await connection.closed()
    }) { _, address in
      let client = try RawClient(address)
      #expect(await client.upgrade("/") == 101)
      // The first header has a length of 64 bits, the others one of 7.
      let count = 10 + (3 << 20) + 1_000 * 5
      let all = await client.read(count)
      #expect(all.count == count && all.suffix(5) == [0x81, 3, 0x61, 0x62, 0x63])
      #expect(answers.value.count == 1_001 && answers.value.allSatisfy { $0 })
    }
    var state = WebSocketConnection.State()
    #expect(!state.overflows(adding: 3 << 20, limit: 1 << 20))
    state.outbound = [.text(String(repeating: "x", count: 3 << 20))]
    state.outboundBytes = 3 << 20
    #expect(!state.overflows(adding: 1 << 20, limit: 1 << 20))
    #expect(state.overflows(adding: 1 << 20 + 1, limit: 1 << 20))
  }

  @Test("a sender faster than the reader is held back, and every message arrives in order")
  func backpressure() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.webSocket.inboundQueue = 64 << 10
    let go = Shared(false)
    let received = Shared<[Int]>([])
    try await withServer(
      configuration,
      webSocketHandler: { connection in
        await wait("the reader's start") { go.value }
        for await message in connection.messages {
          if case .binary(let bytes) = message { received.change { $0.append(Int(bytes[0])) } }
        }
      }
    ) { _, address in
      let client = try await WebSocketClient.connect("ws://\(address.text)/")
      for i in 0..<100 { #expect(client.send(binary: [UInt8(i)] + [UInt8](repeating: 0, count: 9_999))) }
      client.close()
      go.value = true
      await wait("100 messages, not \(received.value.count)") { received.value.count == 100 }
      #expect(received.value == Array(0..<100))
      _ = await client.closed()
    }
  }

  @Test("the server closes every WebSocket with 1001 when it shuts down")
  func shutdown() async throws {
    let server = try HTTPServer(
      webSocketDecision: { _ in .accept }, webSocketHandler: echo, handler: { _ in .text("x") })
    let address = try server.listen(on: TransportAddress(ip: loopbackV4, port: 0))
    var clients: [WebSocketConnection] = []
    for _ in 0..<10 { clients.append(try await WebSocketClient.connect("ws://\(address.text)/")) }
    // A client has the answer before the server counts the socket.
    await wait("all ten") { server.webSockets.count == 10 }
    await server.shutdown()
    for client in clients {
      #expect(await client.closed() == .init(code: 1_001, reason: "the server is going away", byPeer: true))
    }
    #expect(server.counters.open == 0 && server.webSockets.isEmpty)
  }

  @Test("a connection that breaks without a closing frame is 1006, and its reader ends")
  func broken() async throws {
    let ended = Shared<WebSocketConnection.Closing?>(nil)
    try await withServer(webSocketHandler: { connection in
      while await connection.receive() != nil {}
      ended.value = await connection.closed()
      #expect(!connection.send(text: "too late"))
    }) { _, address in
      let client = try RawClient(address)
      #expect(await client.upgrade("/") == 101)
      client.close()
      await wait("the end") { ended.value?.code == 1_006 }
    }
  }

  @Test("a cancelled reader stops waiting")
  func cancelledReader() async throws {
    try await withServer(webSocketHandler: echo) { _, address in
      let client = try await WebSocketClient.connect("ws://\(address.text)/")
      let reader = Task { await client.receive() }
      reader.cancel()
      #expect(await reader.value == nil)
      client.send(text: "x")
      #expect(await client.receive() == .text("x"))
      client.close()
      _ = await client.closed()
    }
  }
}
