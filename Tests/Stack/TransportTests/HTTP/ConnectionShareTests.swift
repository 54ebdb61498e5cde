import Basics
import TestSupport
import Testing
import Transport

@Suite("Connections that are too many", .timeLimit(.minutes(5)))
struct ConnectionShareTests {
  /// An answer to everything, but to `/held` only at the end.
  private final class Held: Sendable {
    private let isOver = Shared(false)
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
      while request.path == "/held", !isOver.value, (try? await Task.sleep(for: .milliseconds(1))) != nil {}
      return .text("hello")
    }
    func end() { isOver.value = true }
  }

  private func get(_ path: String = "/") -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

  // Connections in use don't give way; then it gets 503.
  @Test("threat 38: one connection too many replaces the oldest silent one")
  func limit() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.connectionLimit = 3
    let held = Held()
    try await withServer(configuration, handler: held.answer) { server, address in
      let silent = [try RawClient(address), try RawClient(address), try RawClient(address)]
      await wait("three connections") { server.counters.accepted == 3 }
      var idle: [RawClient] = []
      for each in silent {
        let client = try RawClient(address)
        client.write(get())
        #expect(await client.response()?.status == 200)
        // The oldest was closed, and none of those that idle.
        #expect(await each.readToEnd().isEmpty)
        idle.append(client)
      }
      #expect(server.counters.evicted == 3 && server.counters.refused == 0)
      // Then those that idle give way, the oldest first.
      var users: [RawClient] = []
      for each in idle {
        let user = try RawClient(address)
        user.write(get("/held"))
        users.append(user)
        await wait("it is served") { server.counters.requests == 3 + users.count }
        #expect(await each.readToEnd().isEmpty)
      }
      let fourth = try RawClient(address)
      let refusal = await fourth.textToEnd()
      #expect(refusal.hasPrefix("HTTP/1.1 503") && refusal.contains(#""code":"tooManyConnections""#))
      #expect(server.counters.refused == 1)
      held.end()
      for user in users { #expect(await user.response()?.status == 200) }
    }
  }

  // Silent connections of others don't take it either.
  @Test("threat 38: four addresses leave room for others")
  func fewAddresses() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.connectionLimit = 96
    configuration.connectionsPerNetwork = 64
    let held = Held()
    try await withServer(configuration, handler: held.answer) { server, address in
      var clients: [RawClient] = []
      for attacker in UInt32(1)...4 {
        for number in 0..<64 {
          let client = try RawClient(address, from: IPAddress(v4: 0x7F00_0000 | attacker << 16 | 1))
          // Half of them are silent.
          if number % 2 == 0 { client.write(get("/held")) }
          clients.append(client)
        }
      }
      await wait("all have come") { server.counters.accepted + server.counters.refused == 256 }
      for other in UInt32(5)...30 {
        let client = try RawClient(address, from: IPAddress(v4: 0x7F00_0000 | other << 16 | 1))
        client.write(get())
        #expect(await client.response()?.status == 200, "\(other)")
      }
      held.end()
    }
  }

  @Test(
    "threat 38: proven WebSockets are kept, unproven ones give way to returners")
  func reserve() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.connectionLimit = 4
    configuration.reservedConnections = 1
    let reserved = Shared([String]())
    try await withServer(
      configuration,
      webSocketHandler: { connection in
        if connection.isReserved { reserved.change { $0.append(connection.request.path) } }
        // As a server does that knows what a socket stands for.
        let comesBack = connection.request.path == "/back"
        if connection.request.path == "/member" || comesBack { connection.prove() }
        if connection.isReserved, !comesBack { return }
        connection.send(text: "hello")
        while await connection.receive() != nil {}
      }
    ) { server, address in
      let idlers = [try RawClient(address), try RawClient(address), try RawClient(address)]
      for idler in idlers { #expect(await idler.upgrade("/idler") == 101) }
      for idler in idlers { #expect(await idler.read(7).count == 7) }
      var members: [RawClient] = []
      for idler in idlers {
        let member = try RawClient(address)
        #expect(await member.upgrade("/member") == 101)
        #expect(await member.read(7).count == 7)
        members.append(member)
        _ = await idler.readToEnd()
      }
      // Only one place is left, for what comes back: any request is refused there, and silence gives way.
      let silent = try RawClient(address)
      await wait("it has come") { server.counters.accepted == 7 }
      let request = try RawClient(address)
      request.write(get())
      #expect(await request.response()?.status == 503)
      #expect(await silent.readToEnd().isEmpty)
      let other = try RawClient(address)
      #expect(await other.upgrade("/other") == 101)
      _ = await other.readToEnd()
      let back = try RawClient(address)
      #expect(await back.upgrade("/back") == 101)
      #expect(await back.read(7).count == 7)
      #expect(reserved.value == ["/other", "/back"])
      // It moves up when a place is free, so that the next one finds the reserve empty.
      members.removeLast().close()
      await wait("one gone") { server.counters.open == 3 }
      let next = try RawClient(address)
      #expect(await next.upgrade("/back") == 101)
      #expect(await next.read(7).count == 7)
      withExtendedLifetime((members, back)) {}
    }
  }

  // So do WebSockets.
  @Test("threat 38: behind a proxy, requests count for the client that it names")
  func proxies() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.connectionsPerNetwork = 2
    configuration.isUnbounded = { $0 == loopbackV4 }
    configuration.client = { $0.headers["x-forwarded-for"].flatMap { IPAddress($0) } ?? $0.remote.ip }
    let held = Held()
    try await withServer(configuration, handler: held.answer) { server, address in
      func ask(_ path: String, for client: String) throws -> RawClient {
        let raw = try RawClient(address)
        raw.write("GET \(path) HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: \(client)\r\n\r\n")
        return raw
      }
      let busy = [try ask("/held", for: "192.0.2.1"), try ask("/held", for: "192.0.2.1")]
      await wait("both are served") { server.counters.requests == 2 }
      #expect(await (try ask("/", for: "192.0.2.1")).response()?.status == 503)
      #expect(await (try ask("/", for: "198.51.100.1")).response()?.status == 200)
      held.end()
      for each in busy { #expect(await each.response()?.status == 200) }
      // An answered request counts no more, though the proxy keeps its connections.
      #expect(await (try ask("/", for: "192.0.2.1")).response()?.status == 200)
    }
  }
}
