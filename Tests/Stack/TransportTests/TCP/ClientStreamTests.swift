import Basics
import Testing
import Transport

/// An actor that opens streams and keeps what becomes of them.
private actor StreamOwner {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var stream: ClientStream?
  private(set) var received: [UInt8] = []
  private(set) var isOpen = false
  private(set) var ends: [TransportError?] = []

  init() throws { loop = try EventLoop(name: "test stream") }

  func open(_ address: TransportAddress, _ security: ClientStream.Security = .none, timeLimit: TimeSpan = .seconds(300))
    throws
  {
    stream = try ClientStream(
      to: address, security: security, on: loop, timeLimit: timeLimit,
      onOpen: { [unowned self] in assumeIsolated { $0.isOpen = true } },
      onBytes: { [unowned self] bytes in
        var copy: [UInt8] = []
        for index in bytes.indices { copy.append(bytes[index]) }
        assumeIsolated { $0.received += copy }
        return true
      },
      onClose: { [unowned self] error in assumeIsolated { $0.ends.append(error) } })
  }

  func send(_ bytes: [UInt8]) -> Bool { stream?.send(bytes.span) ?? false }
  func sendMany(_ count: Int, size: Int) -> Int {
    let packet = [UInt8](repeating: 7, count: size)
    return (0..<count).count { _ in stream?.send(packet.span) == true }
  }
  var dropped: UInt64 { stream?.packetsDropped ?? 0 }
  var local: TransportAddress? { stream?.local }
  func close() { stream?.close() }

  func end() {
    stream = nil
    loop.stop()
  }
}

@Suite(.timeLimit(.minutes(20))) struct ClientStreamTests {
  private func with(_ body: (StreamOwner) async throws -> Void) async throws {
    let owner = try StreamOwner()
    try await body(owner)
    await owner.close()
    await owner.end()
    owner.loop.join()
  }

  private func secured(
    _ hosts: [String], _ body: (TransportAddress, TLSIdentity) async throws -> Void
  ) async throws {
    var configuration = HTTPServer.Configuration()
    let identity = try TLSIdentity.selfSigned(hosts: hosts, directory: TemporaryDirectory.shared.directory())
    configuration.tls = identity
    try await withServer(configuration, handler: { .text("hello \($0.body.count)") }) { _, address in
      try await body(address, identity)
    }
  }

  @Test("bytes go both ways over plain TCP of either family", arguments: [loopbackV4, loopbackV6])
  func plain(ip: IPAddress) async throws {
    let listener = try TCPListener(bind: TransportAddress(ip: ip, port: 0))
    try await with { owner in
      try await owner.open(listener.localAddress)
      await wait("the connection") { await owner.isOpen }
      let accepted = try #require(listener.accept())
      #expect(await owner.local == accepted.remote)
      #expect(await owner.send([1, 2, 3]))
      accepted.close()
      await wait("the end") { await owner.ends.count == 1 }
      #expect(await owner.send([1]) == false)
    }
  }

  @Test(
    "TLS with a certificate for the name is established, and requests are answered",
    arguments: ["localhost", "127.0.0.1"])
  func tls(host: String) async throws {
    try await secured(["localhost", "127.0.0.1"]) { address, identity in
      let context = try TLSClientContext(trust: .file(identity.certificatePath))
      try await with { owner in
        try await owner.open(address, .tls(host: host, context: context))
        await wait("the connection") { await owner.isOpen }
        let body = [UInt8](repeating: 65, count: 100_000)
        #expect(await owner.send(Array("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n".utf8)))
        #expect(await owner.send(body))
        await wait("the answer") { await String(decoding: owner.received, as: UTF8.self).contains("hello 100000") }
        await owner.close()
        #expect(await owner.ends == [nil])
      }
    }
  }

  @Test("a certificate of another name or authority is refused with its reason")
  func refused() async throws {
    try await secured(["localhost"]) { address, identity in
      let known = try TLSClientContext(trust: .file(identity.certificatePath))
      for security in [
        ClientStream.Security.tls(host: "other.example", context: known),
        .tls(host: "127.0.0.1", context: known), .tls(host: "localhost", context: try TLSClientContext()),
      ] {
        try await with { owner in
          try await owner.open(address, security)
          await wait("the refusal") { await owner.ends.count == 1 }
          #expect(await owner.isOpen == false)
          guard case .untrustedCertificate(let reason) = await owner.ends.first ?? nil else {
            Issue.record("\(await owner.ends)")
            return
          }
          #expect(!reason.isEmpty)
        }
      }
    }
  }

  @Test("closed ports and silent servers are errors in the time allowed")
  func unreachable() async throws {
    var free = try TCPListener(bind: TransportAddress(ip: loopbackV4, port: 0))
    let closed = free.localAddress
    free = try TCPListener(bind: TransportAddress(ip: loopbackV4, port: 0))
    try await with { owner in
      do {
        try await owner.open(closed)
        await wait("the refusal") { await owner.ends.count == 1 }
        guard case .connectionFailed = await owner.ends.first ?? nil else {
          Issue.record("\(await owner.ends)")
          return
        }
      } catch TransportError.connectionFailed {}
    }
    let context = try TLSClientContext()
    let silent = free.localAddress
    try await with { owner in
      try await owner.open(silent, .tls(host: "localhost", context: context), timeLimit: .milliseconds(200))
      await wait("the end of patience") { await owner.ends.count == 1 }
      guard case .timedOut = await owner.ends.first ?? nil else {
        Issue.record("\(await owner.ends)")
        return
      }
    }
    #expect(throws: TransportError.self) { _ = try TLSClientContext(trust: .file("/nowhere.pem")) }
  }

  @Test("a reader that does not read costs packets, not memory")
  func slowReader() async throws {
    let listener = try TCPListener(bind: TransportAddress(ip: loopbackV4, port: 0))
    try await with { owner in
      try await owner.open(listener.localAddress)
      await wait("the connection") { await owner.isOpen }
      let sent = await owner.sendMany(20_000, size: 1_000)
      let dropped = Int(await owner.dropped)
      #expect(sent < 20_000 && dropped == 20_000 - sent)
    }
  }

  @Test("opening and closing leaves no descriptor behind")
  func descriptors() async throws {
    let listener = try TCPListener(bind: TransportAddress(ip: loopbackV4, port: 0))
    try await with { owner in
      try await owner.open(listener.localAddress)
      await wait("the first connection") { await owner.isOpen }
      listener.accept()?.close()
      await wait("its end") { await owner.ends.count == 1 }
      for round in 2...200 {
        try await owner.open(listener.localAddress)
        await owner.close()
        await wait("the end") { await owner.ends.count == round }
        while let accepted = listener.accept() { accepted.close() }
      }
      #expect(openSockets(connectedTo: listener.localAddress) == 0)
    }
  }
}
