import Basics
import RTC
import TestSeeds

/// A client `PeerConnection` behind a NAT, a server `PeerConnection`, and a STUN and TURN server, on a network in
/// virtual time with rules of what gets through.
final class IceWorld {
  enum Kind { case udp, tcp, tls }

  struct Flight {
    let at: Instant
    let order: Int
    let bytes: [UInt8]
    let from: TransportAddress
    let to: TransportAddress
    let stream: UInt32
  }

  struct Stream {
    let remote: TransportAddress
    let local: TransportAddress
    let kind: Kind
  }

  static let media = address(203, 0, 113, 5, 10_000)
  static let turnAddress = address(198, 51, 100, 9, 3_478)
  static let inside = address(10, 0, 0, 2, 4_000)
  static let outsideIP = IPAddress(v4: 0xC000_0237)

  static func address(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ port: UInt16) -> TransportAddress {
    TransportAddress(ip: IPAddress(v4: a << 24 | b << 16 | c << 8 | d), port: port)
  }

  static func server(_ urls: String..., password: String = "secret") -> IceServer {
    IceServer(urls: urls, username: "ann", credential: Secret(password))
  }

  var now = Instant.milliseconds(1_000)
  var delay = TimeSpan.milliseconds(10)
  let client: PeerConnection
  let server: PeerConnection
  var turn: TurnServerModel
  var clientEvents: [(at: Instant, event: PeerConnectionEvent)] = []
  var clientMedia: [[UInt8]] = []
  var serverMedia: [[UInt8]] = []
  /// From whom the server has received anything.
  var seenByServer: Set<TransportAddress> = []
  /// Whether packets of the client reach this address.
  var passes: (_ to: TransportAddress, _ kind: Kind) -> Bool = { _, _ in true }
  /// Whether a stream to this address can be opened.
  var opens: (_ to: TransportAddress, _ kind: Kind) -> Bool = { _, _ in true }
  var names: [String: [IPAddress]] = ["turn.example.org": [turnAddress.ip]]
  var streams: [UInt32: Stream] = [:]
  var closedStreams: [UInt32] = []
  var asked: [IceRequest] = []
  var sockets: [TransportAddress: UInt32]
  private var flights: [Flight] = []
  private var order = 0
  private var nextHandle: UInt32 = 100
  private var isNATed: Bool
  private var mappings: [TransportAddress: TransportAddress] = [:]

  init(
    servers: [IceServer] = [IceWorld.server("turn:198.51.100.9")], policy: IceTransportPolicy = .all, nat: Bool = true,
    seed: UInt64 = 1, sockets: [TransportAddress] = [IceWorld.inside]
  ) {
    let seed = TestSeed.of(seed)
    isNATed = nat
    turn = TurnServerModel(Self.turnAddress)
    self.sockets = [:]
    var list: [PeerConnectionConfiguration.Socket] = []
    for (index, address) in sockets.enumerated() {
      self.sockets[address] = UInt32(7 + index)
      list.append(.init(address: address, handle: UInt32(7 + index)))
    }
    server = PeerConnection(
      .server,
      configuration: PeerConnectionConfiguration(
        dtls: TestCertificates.server,
        candidates: [.host(Self.media, transport: .udp), .host(Self.media, transport: .tcp)]),
      random: SeededRandom(seed: seed &+ 10))
    client = PeerConnection(
      .client,
      configuration: PeerConnectionConfiguration(
        dtls: TestCertificates.client, sockets: list, iceServers: servers, iceTransportPolicy: policy),
      random: SeededRandom(seed: seed &+ 20))
    _ = client.addTrack(.audio)
  }

  func negotiate(restartsIce: Bool = false, change: (String) -> String = { $0 }) throws {
    let offer = try client.createOffer(restartsIce: restartsIce)
    try client.setAnswer(change(server.setRemoteOffer(offer, now: now)), now: now)
    drain()
  }

  var isConnected: Bool { client.isConnected && server.isConnected && client.selectedPath != nil }

  func connect(within limit: TimeSpan = .seconds(20)) throws {
    try negotiate()
    run(for: limit) { self.isConnected }
  }

  func has(_ event: PeerConnectionEvent) -> Bool { clientEvents.contains { $0.event == event } }

  // MARK: Time

  func run(for limit: TimeSpan, until isDone: () -> Bool = { false }) {
    let end = now + limit
    drain()
    while !isDone() {
      let arrival = flights.min { ($0.at, $0.order) < ($1.at, $1.order) }
      let next = min(arrival?.at ?? .distantFuture, client.deadline, server.deadline)
      guard next <= end else {
        now = end
        return
      }
      now = max(now, next)
      if let arrival, arrival.at <= now {
        flights.removeAll { $0.order == arrival.order }
        deliver(arrival)
      }
      if client.deadline <= now { client.handleTimeout(now: now) }
      if server.deadline <= now { server.handleTimeout(now: now) }
      drain()
    }
  }

  func drain() {
    while let request = client.pollIceRequest() { answer(request) }
    while let datagram = client.pollTransmit() { sendFromClient(datagram.bytes, datagram.path) }
    while let datagram = server.pollTransmit() { sendFromServer(datagram.bytes, datagram.path) }
    while let event = client.pollEvent() { clientEvents.append((now, event)) }
    while server.pollEvent() != nil {}
  }

  private func answer(_ request: IceRequest) {
    asked.append(request)
    switch request {
    case .resolve(let name): client.nameResolved(name, addresses: names[name] ?? [], now: now)
    case .closeStream(let handle):
      streams[handle] = nil
      closedStreams.append(handle)
    case .openStream(let wanted):
      let kind: Kind = wanted.security == .tls ? .tls : .tcp
      let ip: IPAddress? =
        switch wanted.host {
        case .ip(let ip): ip
        case .name(let name): names[name]?.first
        }
      guard let ip else { return client.streamFailed(wanted.id, now: now) }
      let remote = TransportAddress(ip: ip, port: wanted.port)
      guard opens(remote, kind) else { return client.streamFailed(wanted.id, now: now) }
      nextHandle += 1
      let local = TransportAddress(ip: Self.inside.ip, port: UInt16(nextHandle))
      streams[nextHandle] = Stream(remote: remote, local: local, kind: kind)
      client.streamOpened(wanted.id, handle: nextHandle, local: local, remote: remote, now: now)
    }
  }

  // MARK: The network

  private func outside(_ local: TransportAddress) -> TransportAddress {
    guard isNATed else { return local }
    if let known = mappings[local] { return known }
    let mapped = TransportAddress(ip: Self.outsideIP, port: UInt16(20_000 + mappings.count))
    mappings[local] = mapped
    return mapped
  }

  private func fly(_ bytes: [UInt8], from: TransportAddress, to: TransportAddress, stream: UInt32 = 0) {
    order += 1
    flights.append(Flight(at: now + delay, order: order, bytes: bytes, from: from, to: to, stream: stream))
  }

  /// Handles the client's output on a socket or stream.
  func sendFromClient(_ bytes: [UInt8], _ path: IcePath) {
    if path.transport == .tcp {
      guard let stream = streams[path.handle], passes(stream.remote, stream.kind) else { return }
      fly(bytes, from: outside(stream.local), to: stream.remote, stream: path.handle)
    } else {
      guard sockets[path.local] == path.handle, passes(path.remote, .udp) else { return }
      fly(bytes, from: outside(path.local), to: path.remote)
    }
  }

  private func sendFromServer(_ bytes: [UInt8], _ path: IcePath) {
    fly(bytes, from: path.local, to: path.remote, stream: path.transport == .tcp ? path.handle : 0)
  }

  private func deliver(_ flight: Flight) {
    if flight.to == Self.media {
      seenByServer.insert(flight.from)
      receive(
        server, flight.bytes,
        IcePath(
          transport: flight.stream == 0 ? .udp : .tcp, local: Self.media, remote: flight.from,
          handle: flight.stream == 0 ? 1 : flight.stream))
    } else if flight.to == turn.address {
      take(turn.receive(flight.bytes, from: .init(address: flight.from, stream: flight.stream), now: now))
    } else if flight.to.ip == turn.address.ip && flight.from != turn.address {
      take(turn.receive(flight.bytes, from: flight.from, relayed: flight.to, now: now))
    } else if flight.stream != 0 {
      guard let stream = streams[flight.stream] else { return }
      receive(
        client, flight.bytes,
        IcePath(transport: .tcp, local: stream.local, remote: stream.remote, handle: flight.stream))
    } else {
      let local = isNATed ? mappings.first { $0.value == flight.to }?.key : flight.to
      guard let local, let handle = sockets[local], passes(flight.from, .udp) else { return }
      receive(client, flight.bytes, IcePath(transport: .udp, local: local, remote: flight.from, handle: handle))
    }
  }

  private func take(_ outputs: [TurnServerModel.Output]) {
    for output in outputs {
      switch output {
      case .toClient(let bytes, let client): fly(bytes, from: turn.address, to: client.address, stream: client.stream)
      case .toPeer(let bytes, let from, let to): fly(bytes, from: from, to: to)
      }
    }
  }

  private func receive(_ peer: PeerConnection, _ bytes: [UInt8], _ path: IcePath) {
    var copy = bytes
    let result: ReceiveResult
    do {
      var span = copy.mutableSpan
      result = peer.receive(&span, path: path, now: now)
    }
    guard case .rtp(_, let length) = result else { return }
    if peer === client {
      clientMedia.append(Array(copy.prefix(length)))
    } else {
      serverMedia.append(Array(copy.prefix(length)))
    }
  }

  // MARK: Media

  private var sequence: UInt16 = 0

  /// Sends one RTP packet each way; the client's by its selected route, sealed in place.
  func sendMedia() throws {
    sequence += 1
    let header: [UInt8] = [0x80, 111, UInt8(sequence >> 8), UInt8(sequence & 255), 0, 0, 0, 1, 0, 0, 0xAB, 0xCD]
    let payload: [UInt8] = [1, 2, 3, 4, 5]
    if let sender = client.srtpSender, let route = client.selectedRoute {
      var buffer = [UInt8](repeating: 0, count: 256)
      var packet = [UInt8](repeating: 0, count: 128)
      var space = packet.mutableSpan
      let length = try sender.protectRTP(header: header.span, payload: payload.span, into: &space)
      for index in 0..<length { buffer[route.headroom + index] = packet[index] }
      var span = buffer.mutableSpan
      if let total = route.seal(payloadLength: length, in: &span) {
        // The streams of this world carry packets, so the length before them is left out.
        let start = route.encapsulation == .length ? 2 : 0
        sendFromClient(
          Array(buffer[start..<total]),
          IcePath(transport: route.transport, local: route.local, remote: route.remote, handle: route.handle))
      }
    }
    if let sender = server.srtpSender, let path = server.selectedPath {
      var packet = [UInt8](repeating: 0, count: 128)
      var space = packet.mutableSpan
      let length = try sender.protectRTP(header: header.span, payload: payload.span, into: &space)
      sendFromServer(Array(packet.prefix(length)), path)
    }
  }
}
