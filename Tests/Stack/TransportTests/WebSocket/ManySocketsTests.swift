import Basics
import Testing

@testable import Transport

/// The work of a service's thread so far.
private struct Waiting: Sendable {
  var ticks: UInt64
  var epollWaits: UInt64
}

/// The loop of a server with more sockets than are left to the kernel's `poll`.
@Suite(.timeLimit(.minutes(20))) struct ManySocketsTests {
  private static let idleCount = 60

  /// Opens idle WebSockets besides those that `body` opens.
  private func withIdle(
    _ configuration: HTTPServer.Configuration,
    _ serve: @escaping @Sendable (WebSocketConnection) async -> Void,
    _ body: (HTTPServer, TransportAddress, [WebSocketConnection]) async throws -> Void
  ) async throws {
    try await withServer(configuration, webSocketHandler: serve) { server, address in
      var idle: [WebSocketConnection] = []
      for _ in 0..<Self.idleCount { idle.append(try await WebSocketClient.connect("ws://\(address.text)/idle")) }
      await wait("the sockets") { server.webSockets.count == Self.idleCount }
      try await body(server, address, idle)
      for client in idle { client.close() }
    }
  }

  private func waiting(_ server: HTTPServer) async -> Waiting {
    let service = server.service
    return await withCheckedContinuation { continuation in
      let posted = service.post {
        continuation.resume(
          returning: Waiting(ticks: service.ticks, epollWaits: service.polling.waits))
      }
      if !posted { continuation.resume(returning: Waiting(ticks: 0, epollWaits: 0)) }
    }
  }

  private static let echo: @Sendable (WebSocketConnection) async -> Void = { connection in
    while case .text(let text) = await connection.receive() { connection.send(text: text) }
  }

  @Test("epoll serves a busy WebSocket and the idle ones beside it; an idle loop rests")
  func busyAndIdle() async throws {
    try await withIdle(HTTPServer.Configuration(), Self.echo) { server, address, idle in
      let busy = try await WebSocketClient.connect("ws://\(address.text)/busy")
      for number in 0..<300 {
        busy.send(text: "\(number)")
        #expect(await busy.receive() == .text("\(number)"))
      }
      for client in idle { client.send(text: "still here") }
      for client in idle { #expect(await client.receive() == .text("still here")) }
      let start = await waiting(server)
      #expect(start.epollWaits > 300)
      var end = start
      var probes: UInt64 = 0
      await wait("ticks") {
        end = await waiting(server)
        probes += 1
        return end.ticks >= start.ticks + 2
      }
      // Each probe wakes it once or twice, and each tick once or twice.
      #expect(end.epollWaits - start.epollWaits <= 3 * (probes + end.ticks - start.ticks) + 20)
    }
  }

  @Test("the numbers of closed sockets are watched again, also after a callback's close")
  func closedInCallbacks() async throws {
    try await withIdle(
      HTTPServer.Configuration(),
      { connection in
        while case .text(let text) = await connection.receive() {
          if text == "close" { return connection.close(code: 1_000, reason: "") }
          connection.send(text: text)
        }
      }
    ) { server, address, idle in
      for round in 0..<20 {
        var clients: [WebSocketConnection] = []
        for _ in 0..<10 { clients.append(try await WebSocketClient.connect("ws://\(address.text)/")) }
        for client in clients { client.send(text: "\(round)") }
        for client in idle { client.send(text: "\(round)") }
        for client in clients { client.send(text: "close") }
        for client in clients {
          #expect(await client.receive() == .text("\(round)"))
          #expect(await client.closed().code == 1_000)
        }
        for client in idle { #expect(await client.receive() == .text("\(round)")) }
      }
      await wait("the closed ones") { server.webSockets.count == Self.idleCount }
    }
  }

  @Test("a loop with a paused reader, whose socket has bytes, doesn't spin")
  func pausedReader() async throws {
    let isOver = Shared(false)
    var configuration = HTTPServer.Configuration()
    configuration.webSocket.inboundQueue = 1_024
    try await withIdle(
      configuration,
      { connection in
        if connection.request.path == "/paused" { await wait("the end") { isOver.value } }
        await Self.echo(connection)
      }
    ) { server, address, _ in
      let paused = try RawClient(address)
      #expect(await paused.upgrade("/paused") == 101)
      for _ in 0..<64 { paused.frame(1, [UInt8](repeating: 0x61, count: 1_000)) }
      let busy = try await WebSocketClient.connect("ws://\(address.text)/busy")
      func exchange(_ count: Int) async {
        for _ in 0..<count {
          busy.send(text: "x")
          #expect(await busy.receive() == .text("x"))
        }
      }
      await exchange(20)
      let start = await waiting(server)
      await exchange(200)
      let end = await waiting(server)
      // Each exchange is a message, a wake-up to write the answer, and writing it.
      #expect(end.epollWaits - start.epollWaits - (end.ticks - start.ticks) < 200 * 10)
      isOver.value = true
    }
  }
}
