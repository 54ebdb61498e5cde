import Basics
import Testing
import Transport

@Suite(.timeLimit(.minutes(20))) struct TLSTests {
  @Test("a self-made certificate serves HTTPS and wss, to clients told to trust it and to no others")
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

  @Test("the self-made certificate stays the same while it fits, and is made anew for another host")
  func stable() throws {
    let directory = TemporaryDirectory.shared.directory()
    func contents(_ identity: TLSIdentity) -> String { readText(identity.certificatePath) }
    let first = try TLSIdentity.selfSigned(hosts: ["localhost", "10.0.0.1"], directory: directory)
    let text = contents(first)
    #expect(text.contains("BEGIN CERTIFICATE"))
    #expect(contents(try TLSIdentity.selfSigned(hosts: ["10.0.0.1"], directory: directory)) == text)
    #expect(contents(try TLSIdentity.selfSigned(hosts: ["10.0.0.2"], directory: directory)) != text)
  }

  @Test("files that are no certificate and key are an error that says which")
  func badFiles() throws {
    let good = try TLSIdentity.selfSigned(hosts: ["a"], directory: TemporaryDirectory.shared.directory())
    let other = try TLSIdentity.selfSigned(hosts: ["a"], directory: TemporaryDirectory.shared.directory())
    let junk = try TemporaryDirectory.shared.file(Array("junk".utf8))
    for (certificate, key, text) in [
      ("/nonexistent", good.keyPath, "/nonexistent cannot be read"), (junk, good.keyPath, "no PEM certificate"),
      (good.certificatePath, junk, "no PEM private key"), (good.certificatePath, other.keyPath, "is not the key of"),
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
