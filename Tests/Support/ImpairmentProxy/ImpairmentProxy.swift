import Basics
import NetworkEmulator
import Transport

/// UDP between clients and one server, each way over an ``NetworkEmulator/EmulatedLink``, in real time.
///
/// Each client address has a socket of its own towards the server, so that the server tells clients apart by their
/// addresses as it does without the proxy.
actor ImpairmentProxy {
  private final class Client {
    let remote: TransportAddress
    let upstream: UDPSocket
    let path: Path

    init(remote: TransportAddress, path: Path) throws(TransportError) {
      self.remote = remote
      self.path = path
      upstream = try UDPSocket(
        bind: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0), bufferSize: 1 << 20, coalesce: false)
    }
  }

  /// The two links that a client's packets take, its own or shared; packets carry the number of their client.
  private final class Path {
    var up: EmulatedLink<AddressedPacket<Int>>
    var down: EmulatedLink<AddressedPacket<Int>>

    init(_ options: ProxyOptions, number: UInt64) {
      up = EmulatedLink(options.up, seed: options.seed &+ number &* 2)
      down = EmulatedLink(options.down, seed: options.seed &+ number &* 2 &+ 1)
    }

    var deadline: Instant { min(up.deadline, down.deadline) }
  }

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Its conditions are those of links that are still to come.
  private var options: ProxyOptions
  private let socket: UDPSocket
  private let slab: ReceiveSlab
  private var clients: [Client] = []
  private var numbers: [TransportAddress: Int] = [:]
  private var paths: [Path] = []
  private var started: Instant?
  private var refused = 0

  /// More client addresses than these are ignored.
  private static let maximumClients = 256

  /// A proxy that listens from ``start()`` on.
  init(_ options: ProxyOptions) throws(TransportError) {
    self.options = options
    loop = try EventLoop(name: "proxy")
    socket = try UDPSocket(bind: options.listen, coalesce: false)
    slab = try ReceiveSlab(slots: 32, slotSize: 2_048)
  }

  /// Begins; returns the port that clients send to.
  func start() throws(TransportError) -> UInt16 {
    loop.setHandlers(
      onDeadline: {}, onTickEnd: { [unowned self] in self.assumeIsolated { $0.deliver() } })
    _ = try loop.register(socket.descriptor, for: .readable) { [unowned self] _ in
      self.assumeIsolated { $0.receiveFromClients() }
    }
    return socket.localAddress.port
  }

  private func receiveFromClients() {
    let now = loop.now
    while socket.receive(
      into: slab,
      { datagram, remote, _ in
        guard let number = self.number(of: remote, now) else { return }
        let path = self.clients[number].path
        path.up.send(Self.bytes(of: datagram.span), to: number, now: now)
      })
    {}
  }

  private func receiveFromServer(_ number: Int) {
    let now = loop.now
    let client = clients[number]
    while client.upstream.receive(
      into: slab,
      { datagram, _, _ in client.path.down.send(Self.bytes(of: datagram.span), to: number, now: now) })
    {}
  }

  /// Hands over what has arrived, and says when the next packet will have.
  private func deliver() {
    let now = MonotonicClock.now
    for path in paths {
      while let packet = path.up.deliver(now: now) {
        clients[packet.destination].upstream.send(packet.bytes.span, to: options.forward, from: nil)
      }
      while let packet = path.down.deliver(now: now) {
        socket.send(packet.bytes.span, to: clients[packet.destination].remote, from: nil)
      }
    }
    loop.setDeadline(paths.reduce(Instant.distantFuture) { min($0, $1.deadline) })
  }

  /// The number of the client at `remote`, a new one where it is new.
  private func number(of remote: TransportAddress, _ now: Instant) -> Int? {
    if let number = numbers[remote] { return number }
    guard clients.count < Self.maximumClients, let client = try? Client(remote: remote, path: path(now)) else {
      refused += 1
      return nil
    }
    let number = clients.count
    let registered = try? loop.register(client.upstream.descriptor, for: .readable) { [unowned self] _ in
      self.assumeIsolated { $0.receiveFromServer(number) }
    }
    guard registered != nil else { return nil }
    clients.append(client)
    numbers[remote] = number
    return number
  }

  private func path(_ now: Instant) -> Path {
    let began = started ?? now
    started = began
    if options.isShared, let shared = paths.first { return shared }
    let path = Path(options, number: UInt64(paths.count))
    var up = options.up
    var down = options.down
    for change in options.changes {
      up = change.up ?? up
      down = change.down ?? down
      path.up.schedule(up, at: began + change.after)
      path.down.schedule(down, at: began + change.after)
    }
    paths.append(path)
    return path
  }

  /// Changes all links now, also those of clients that are still to come.
  func change(_ change: ProxyOptions.Change) {
    let now = MonotonicClock.now
    options.up = change.up ?? options.up
    options.down = change.down ?? options.down
    for path in paths {
      if let up = change.up { path.up.change(up, now: now) }
      if let down = change.down { path.down.change(down, now: now) }
    }
    deliver()
  }

  private static func bytes(of datagram: Span<UInt8>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: datagram.count) { buffer, count in
      for index in datagram.indices { buffer.initializeElement(at: index, to: datagram[index]) }
      count = datagram.count
    }
  }

  /// The counts so far, one line of JSON.
  func statistics() -> String {
    let up = Self.json(paths.map(\.up.statistics))
    let down = Self.json(paths.map(\.down.statistics))
    return
      "{\"seed\":\(options.seed),\"clients\":\(clients.count),\"refusedClients\":\(refused),\"up\":\(up),\"down\":\(down)}"
  }

  private static func json(_ links: [LinkStatistics]) -> String {
    func sum(_ value: (LinkStatistics) -> Int) -> Int { links.reduce(0) { $0 + value($1) } }
    func worst(_ share: Double) -> Double {
      links.map { $0.queueingDelay(percentile: share).seconds * 1_000 }.max() ?? 0
    }
    return "{\"sent\":\(sum(\.sent)),\"sentBytes\":\(sum(\.sentBytes)),\"lost\":\(sum(\.lost)),"
      + "\"dropped\":\(sum(\.dropped)),\"delivered\":\(sum(\.delivered)),\"deliveredBytes\":\(sum(\.deliveredBytes)),"
      + "\"queueMillisecondsP50\":\(worst(0.5)),\"queueMillisecondsP95\":\(worst(0.95))}"
  }
}
