import Basics
import Testing
import Transport

/// A TLS client that says how its handshake went.
private actor HandshakeProbe {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var stream: ClientStream?
  private(set) var isOpen = false
  private(set) var isOver = false

  init() throws { loop = try EventLoop(name: "test handshake") }

  func open(_ address: TransportAddress, _ security: ClientStream.Security) throws {
    stream = try ClientStream(
      to: address, security: security, on: loop, timeLimit: .seconds(300),
      onOpen: { [unowned self] in
        assumeIsolated {
          $0.isOpen = true
          $0.isOver = true
        }
      }, onBytes: { _ in true }, onClose: { [unowned self] _ in assumeIsolated { $0.isOver = true } })
  }

  func close() {
    stream?.close()
    stream = nil
  }
}

@Suite(.timeLimit(.minutes(20))) struct TLSTests {
  // Other clients refuse it.
  @Test("a self-made certificate serves HTTPS and wss to clients that trust it")
  func selfSigned() async throws {
    var configuration = HTTPServer.Configuration()
    let directory = TemporaryDirectory.shared.directory()
    configuration.tls = try TLSIdentity.selfSigned(hosts: ["localhost", "127.0.0.1", "::1"], directory: directory)
    try await withServer(
      configuration,
      webSocketHandler: { connection in
        for await message in connection.messages {
          if case .text(let text) = message { connection.send(text: text) }
        }
      }, handler: { .text("\($0.isTLS) \($0.body.count)") }
    ) { server, address in
      let url = "https://127.0.0.1:\(address.port)/"
      #expect(try await HTTPClient.request("GET", url, allowsSelfSigned: true).text == "true 0")
      #expect(
        try await HTTPClient.request(
          "POST", url, body: [UInt8](repeating: 1, count: 100_000), allowsSelfSigned: true
        ).text == "true 100000")
      await #expect(throws: TransportError.self) { _ = try await HTTPClient.request("GET", url) }
      let client = try await WebSocketClient.connect("wss://127.0.0.1:\(address.port)/", allowsSelfSigned: true)
      let long = String(repeating: "secret ", count: 30_000)
      client.send(text: long)
      #expect(await client.receive() == .text(long))
      client.close()
      _ = await client.closed()
      // Plain HTTP on the TLS port gets no plain answer.
      let plain = try RawClient(address)
      plain.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(await !plain.textToEnd().contains("200 OK"))
    }
  }

  @Test("threat 27: a TLS handshake that never ends is closed")
  func slowHandshake() async throws {
    var configuration = impatient(.seconds(1))
    configuration.tls = try TLSIdentity.selfSigned(
      hosts: ["localhost"], directory: TemporaryDirectory.shared.directory())
    try await withServer(configuration) { server, address in
      let client = try RawClient(address)
      client.write([22, 3, 1, 2, 0])
      await wait("the connection") { server.counters.accepted == 1 }
      await wait("its end") { server.counters.open == 0 }
      #expect(await client.readToEnd().count < 100)
    }
  }

  // It is made again for another host.
  @Test("the self-made certificate stays while it fits, and is renewed otherwise")
  func stable() throws {
    let directory = TemporaryDirectory.shared.directory()
    func contents(_ identity: TLSIdentity) -> String { readText(identity.certificatePath) }
    let first = try TLSIdentity.selfSigned(hosts: ["localhost", "10.0.0.1"], directory: directory)
    let text = contents(first)
    #expect(text.contains("BEGIN CERTIFICATE"))
    #expect(contents(try TLSIdentity.selfSigned(hosts: ["10.0.0.1"], directory: directory)) == text)
    #expect(contents(try TLSIdentity.selfSigned(hosts: ["10.0.0.2"], directory: directory)) != text)
  }

  @Test("a self-made certificate is made anew in the last month before its end")
  func renewal() throws {
    let directory = TemporaryDirectory.shared.directory()
    func made(_ now: Int64) throws -> TLSCertificate {
      try TLSIdentity.selfSigned(hosts: ["localhost"], directory: directory, now: now).load()
    }
    let start: Int64 = 1_800_000_000
    let first = try made(start)
    #expect(first.begins == start - 86_400 && first.ends == start + 390 * 86_400)
    let lastDay = first.ends - TLSIdentity.renewal - 1
    #expect(try made(lastDay).fingerprint == first.fingerprint)
    let next = try made(lastDay + 1)
    #expect(next.fingerprint != first.fingerprint && next.ends == lastDay + 1 + 390 * 86_400)
  }

  @Test("another certificate is for new handshakes, and connections that are open go on")
  func replaced() async throws {
    let identities = try (0..<2).map { _ in
      try TLSIdentity.selfSigned(hosts: ["localhost"], directory: TemporaryDirectory.shared.directory())
    }
    let trusted = try identities.map { try TLSClientContext(trust: .file($0.certificatePath)) }
    var configuration = HTTPServer.Configuration()
    configuration.tls = identities[0]
    try await withServer(
      configuration,
      webSocketHandler: { connection in
        for await message in connection.messages {
          if case .text(let text) = message { connection.send(text: text) }
        }
      }, handler: { _ in .text("ok") }
    ) { server, address in
      func trusts(_ index: Int) async throws -> Bool {
        let probe = try HandshakeProbe()
        defer { probe.loop.stop() }
        try await probe.open(address, .tls(host: "localhost", context: trusted[index]))
        await wait("the end of a handshake") { await probe.isOver }
        let isOpen = await probe.isOpen
        await probe.close()
        return isOpen
      }
      #expect(try await [trusts(0), trusts(1)] == [true, false])
      let old = try await WebSocketClient.connect("wss://127.0.0.1:\(address.port)/", allowsSelfSigned: true)
      server.replaceCertificate(try identities[1].load())
      #expect(try await [trusts(0), trusts(1)] == [false, true])
      old.send(text: "still here")
      #expect(await old.receive() == .text("still here"))
      old.close()
      _ = await old.closed()
    }
  }

  @Test("files that are no certificate and key are an error that says which")
  func badFiles() throws {
    let good = try TLSIdentity.selfSigned(hosts: ["a"], directory: TemporaryDirectory.shared.directory())
    let other = try TLSIdentity.selfSigned(hosts: ["a"], directory: TemporaryDirectory.shared.directory())
    let junk = try TemporaryDirectory.shared.file(Array("junk".utf8))
    let chain = try TemporaryDirectory.shared.file(
      Array((readText(good.certificatePath) + readText(other.certificatePath)).utf8))
    try TLSIdentity(certificatePath: chain, keyPath: good.keyPath).check()
    func cut(of path: String) throws -> String {
      try TemporaryDirectory.shared.file(Array(readText(path).utf8.dropLast(40)))
    }
    // openssl genpkey -algorithm ed25519 -aes128 -pass pass:secret
    let locked = try TemporaryDirectory.shared.file(
      Array(
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhmBFAqQMnezgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEMFRoJtZhev50/Xq7ORkQMsEQOio
        iVjipsPBFxmY3zRTzKedugHTr3P+X/10JiDIQlhGUjh7PXmyKxXK4PwPKJyOTvJU
        3J6izdXidyL2OJIF2Yo=
        -----END ENCRYPTED PRIVATE KEY-----
        """.utf8))
    for (certificate, key, text) in [
      ("/nonexistent", good.keyPath, "/nonexistent cannot be read"), (junk, good.keyPath, "no PEM certificate"),
      (good.certificatePath, junk, "no PEM private key"), (good.certificatePath, other.keyPath, "is not the key of"),
      (try TemporaryDirectory.shared.file([]), good.keyPath, "no PEM certificate"),
      (try cut(of: chain), good.keyPath, "is cut short or damaged"), (good.certificatePath, locked, "a passphrase"),
    ] {
      let identity = TLSIdentity(certificatePath: certificate, keyPath: key)
      let error = #expect(throws: TransportError.self) { try identity.check() }
      #expect(error.map { "\($0)" }?.contains(text) == true)
    }
    #expect(throws: TransportError.self) {
      _ = try TLSIdentity.selfSigned(hosts: ["a"], directory: "/nonexistent/directory")
    }
  }
}
