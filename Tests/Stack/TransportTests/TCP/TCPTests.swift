import Basics
import Glibc
import Testing
import Transport

/// An actor on a loop that accepts connections and keeps what they say.
private actor Acceptor {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var listener: TCPListener?
  private var registration: EventLoop.Registration?
  private var connections: [TCPConnection] = []
  var received: [UInt8] = []
  var closings: [TCPConnection.CloseReason] = []
  var echo = false
  let queueLimit: Int

  init(loop: EventLoop, queueLimit: Int = 256 << 10) {
    self.loop = loop
    self.queueLimit = queueLimit
  }

  func listen(_ address: TransportAddress, echo: Bool) throws -> TransportAddress {
    let listener = try TCPListener(bind: address)
    self.listener = listener
    self.echo = echo
    registration = try listener.start(on: loop) { [unowned self] accepted in
      self.assumeIsolated { $0.take(accepted) }
    }
    return listener.localAddress
  }

  private func take(_ accepted: TCPListener.Accepted) {
    let index = connections.count
    let connection = try? TCPConnection(
      accepted, on: loop, queueLimit: queueLimit,
      onBytes: { [unowned self] bytes in
        var copy: [UInt8] = []
        for i in bytes.indices { copy.append(bytes[i]) }
        return self.assumeIsolated { $0.bytes(copy, index) }
      },
      onClose: { [unowned self] reason in self.assumeIsolated { $0.closings.append(reason) } })
    if let connection { connections.append(connection) }
  }

  private func bytes(_ bytes: [UInt8], _ index: Int) -> Bool {
    received += bytes
    if echo { connections[index].send(bytes.span) }
    return !bytes.contains(0xFF)
  }

  func sendFrames(_ count: Int, size: Int) -> (sent: Int, dropped: UInt64) {
    var sent = 0
    let frame = [UInt8](repeating: 7, count: size)
    for _ in 0..<count where connections[0].send(frame.span) { sent += 1 }
    return (sent, connections[0].counters.framesDropped)
  }

  /// Sends a frame over a connection whose other end resets it first, before the loop can see it: whether it left,
  /// whether the end was reported during the call, and the frames dropped.
  func sendAfterReset(by client: RawClient) -> (sent: Bool, told: Bool, dropped: UInt64) {
    client.reset()
    let frame = [UInt8](repeating: 7, count: 100)
    let sent = connections[0].send(frame.span)
    return (sent, !closings.isEmpty || !connections[0].isOpen, connections[0].counters.framesDropped)
  }

  var count: Int { connections.count }

  func end() {
    if let registration { loop.unregister(registration) }
    for connection in connections { connection.close() }
    connections = []
    listener = nil
  }
}

@Suite struct TCPTests {
  @Test("bytes come as they are sent, and answers go back", arguments: [loopbackV4, loopbackV6])
  func echo(ip: IPAddress) async throws {
    let loop = try EventLoop(name: "test tcp")
    let acceptor = Acceptor(loop: loop)
    let address = try await acceptor.listen(TransportAddress(ip: ip, port: 0), echo: true)
    let client = try RawClient(address)
    client.write([1, 2, 3])
    #expect(await client.read(3) == [1, 2, 3])
    client.close()
    await wait("the end of the stream") { await acceptor.closings == [.endOfStream] }
    await acceptor.end()
    loop.stop()
    loop.join()
  }

  @Test("a receive handler that says no closes the connection")
  func refuse() async throws {
    let loop = try EventLoop(name: "test tcp")
    let acceptor = Acceptor(loop: loop)
    let address = try await acceptor.listen(TransportAddress(ip: loopbackV4, port: 0), echo: false)
    let client = try RawClient(address)
    client.write([0xFF])
    #expect(await client.readToEnd() == [])
    #expect(await acceptor.closings == [.closedHere])
    await acceptor.end()
    loop.stop()
    loop.join()
  }

  // They are counted, and never cut.
  @Test("frames for a client that doesn't read are dropped whole (RFC 4571)")
  func slowReader() async throws {
    let loop = try EventLoop(name: "test tcp")
    let acceptor = Acceptor(loop: loop, queueLimit: 64 << 10)
    let address = try await acceptor.listen(TransportAddress(ip: loopbackV4, port: 0), echo: false)
    let client = try RawClient(address)
    await wait("the connection") { await acceptor.count == 1 }
    // More than any socket buffer takes.
    let (sent, dropped) = await acceptor.sendFrames(20_000, size: 1_000)
    #expect(dropped > 0 && sent + Int(dropped) == 20_000)
    let received = await client.read(sent * 1_000)
    #expect(received.count == sent * 1_000)
    // With the queue empty again, frames go out again.
    await wait("room again") { await acceptor.sendFrames(1, size: 1_000).sent == 1 }
    client.close()
    await acceptor.end()
    loop.stop()
    loop.join()
  }

  @Test(
    "sending on a broken connection drops the frame, and the loop reports its end")
  func broken() async throws {
    let loop = try EventLoop(name: "test tcp")
    let acceptor = Acceptor(loop: loop)
    let address = try await acceptor.listen(TransportAddress(ip: loopbackV4, port: 0), echo: false)
    let client = try RawClient(address)
    await wait("the connection") { await acceptor.count == 1 }
    let (sent, told, dropped) = await acceptor.sendAfterReset(by: client)
    #expect(!sent && !told && dropped == 1)
    await wait("the end of the connection") { await acceptor.closings.count == 1 }
    await acceptor.end()
    loop.stop()
    loop.join()
  }

  @Test("a port in use is an error that names the port and says what to do")
  func portInUse() throws {
    let first = try TCPListener(bind: TransportAddress(ip: loopbackV4, port: 0))
    let error = #expect(throws: TransportError.self) { _ = try TCPListener(bind: first.localAddress) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("Port \(first.localAddress.port) on 127.0.0.1 is in use by another program"))
    #expect(text.contains("choose another port"))
  }

  @Test("an address that this machine does not have is an error that says so")
  func noSuchAddress() throws {
    let foreign = TransportAddress(ip: IPAddress(v4: 0xC000_0201), port: 0)
    #expect(throws: TransportError.addressNotAvailable(foreign)) { _ = try TCPListener(bind: foreign) }
  }

  @Test("one listener on :: takes IPv4 too, under IPv4 addresses")
  func dualStack() async throws {
    let listener = try TCPListener(bind: TransportAddress(ip: anyV6, port: 0))
    let client = try RawClient(TransportAddress(ip: loopbackV4, port: listener.localAddress.port))
    var accepted: TCPListener.Accepted?
    await wait("the connection") {
      accepted = listener.accept()
      return accepted != nil
    }
    #expect(accepted?.remote.ip == loopbackV4 && accepted?.local.ip == loopbackV4)
    accepted?.close()
    client.close()
  }
}
