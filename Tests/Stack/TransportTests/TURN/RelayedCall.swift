import Basics
import Foundation
import RTC
import Transport

/// One `PeerConnection` with a real UDP socket, and real streams where it asks for them. Lives on the thread of its
/// loop.
final class NetworkPeer {
  let peer: PeerConnection
  let socket: UDPSocket
  private let loop: EventLoop
  private let slab: ReceiveSlab
  private let trust: TLSClientContext?
  private var streams: [UInt32: (stream: ClientStream, frames: FrameReader)] = [:]
  private var opening: [ClientStream] = []
  private var nextHandle: UInt32 = 100
  private var scratch = [UInt8](repeating: 0, count: 2_048)
  private(set) var events: [PeerConnectionEvent] = []
  private(set) var media = 0
  private(set) var closings: [TransportError] = []
  private(set) var sources: Set<TransportAddress> = []
  private var sequence: UInt16 = 0

  /// Holds what is not copyable.
  final class FrameReader {
    var frames: FramedStream
    init(_ framing: StreamFraming) { frames = FramedStream(framing: framing) }
  }

  init(
    _ role: PeerConnection.Role, loop: EventLoop, socket: UDPSocket, configuration: PeerConnectionConfiguration,
    trust: TLSClientContext? = nil
  ) throws {
    self.loop = loop
    self.socket = socket
    self.trust = trust
    slab = try ReceiveSlab(slots: 16)
    peer = PeerConnection(role, configuration: configuration)
    _ = try loop.register(socket.descriptor, for: .readable) { [unowned self] _ in receive() }
  }

  private func receive() {
    var more = true
    while more {
      more = socket.receive(into: slab) { datagram, remote, _ in
        self.sources.insert(remote)
        self.take(&datagram, IcePath(transport: .udp, local: self.socket.localAddress, remote: remote))
      }
    }
    drain()
  }

  private func take(_ datagram: inout MutableSpan<UInt8>, _ path: IcePath) {
    if case .rtp = peer.receive(&datagram, path: path, now: MonotonicClock.now) { media += 1 }
  }

  func tick() {
    if peer.deadline <= MonotonicClock.now { peer.handleTimeout(now: MonotonicClock.now) }
    drain()
  }

  func drain() {
    while let request = peer.pollIceRequest() { answer(request) }
    while let datagram = peer.pollTransmit() {
      send(datagram.bytes, datagram.path.transport, datagram.path.handle, datagram.path.remote)
    }
    while let event = peer.pollEvent() { events.append(event) }
  }

  private func send(_ bytes: [UInt8], _ transport: IceTransport, _ handle: UInt32, _ remote: TransportAddress) {
    if transport == .tcp {
      streams[handle]?.stream.send(bytes.span)
    } else {
      socket.send(bytes.span, to: remote, from: nil)
    }
  }

  private func answer(_ request: IceRequest) {
    switch request {
    case .resolve(let name):
      peer.nameResolved(
        name, addresses: name == "localhost" ? [IPAddress(v4: 0x7F00_0001)] : [], now: MonotonicClock.now)
    case .closeStream(let handle): streams[handle]?.stream.close()
    case .openStream(let wanted): open(wanted)
    }
  }

  private func open(_ wanted: IceStreamRequest) {
    let (ip, name): (IPAddress, String) =
      switch wanted.host {
      case .ip(let ip): (ip, ip.text)
      case .name(let name): (IPAddress(v4: 0x7F00_0001), name)
      }
    let remote = TransportAddress(ip: ip, port: wanted.port)
    nextHandle += 1
    let handle = nextHandle
    let reader = FrameReader(wanted.framing)
    var security = ClientStream.Security.none
    if wanted.security == .tls, let trust { security = .tls(host: name, context: trust) }
    var opened: ClientStream?
    do {
      opened = try ClientStream(
        to: remote, security: security, on: loop, timeLimit: .seconds(300),
        onOpen: { [unowned self] in
          guard let stream = opening.first(where: { $0.isOpen && $0.remote == remote }) else { return }
          opening.removeAll { $0 === stream }
          streams[handle] = (stream, reader)
          peer.streamOpened(wanted.id, handle: handle, local: stream.local, remote: remote, now: MonotonicClock.now)
          drain()
        },
        onBytes: { [unowned self] bytes in read(bytes, reader, handle, remote) },
        onClose: { [unowned self] error in
          if let error { closings.append(error) }
          if streams.removeValue(forKey: handle) != nil {
            peer.streamClosed(handle, now: MonotonicClock.now)
          } else {
            peer.streamFailed(wanted.id, now: MonotonicClock.now)
          }
          drain()
        })
    } catch {
      peer.streamFailed(wanted.id, now: MonotonicClock.now)
    }
    if let opened { opening.append(opened) }
  }

  private func read(_ bytes: Span<UInt8>, _ reader: FrameReader, _ handle: UInt32, _ remote: TransportAddress) -> Bool {
    guard let local = streams[handle]?.stream.local else { return true }
    let path = IcePath(transport: .tcp, local: local, remote: remote, handle: handle)
    var taken = 0
    while taken < bytes.count {
      taken += reader.frames.append(bytes.extracting(taken..<bytes.count))
      do {
        while let frame = try reader.frames.nextFrame() {
          var content = reader.frames.bytes(of: frame)
          take(&content, path)
        }
      } catch { return false }
    }
    drain()
    return true
  }

  /// Sends one RTP packet over the selected route.
  func sendMedia() {
    guard let sender = peer.srtpSender, let route = peer.selectedRoute else { return }
    sequence &+= 1
    let header: [UInt8] = [0x80, 111, UInt8(sequence >> 8), UInt8(sequence & 255), 0, 0, 0, 1, 0, 0, 0xAB, 0xCD]
    var packet = [UInt8](repeating: 0, count: 1_300)
    var wrapped = [UInt8](repeating: 0, count: 1_400)
    var space = packet.mutableSpan
    let payload = [UInt8](repeating: 7, count: 1_001)
    guard let length = try? sender.protectRTP(header: header.span, payload: payload.span, into: &space) else { return }
    var out = wrapped.mutableSpan
    guard let total = peer.encapsulate(space.span.extracting(0..<length), route: route, into: &out) else { return }
    send(Array(wrapped.prefix(total)), route.transport, route.handle, route.remote)
  }

  func close() {
    peer.close()
    drain()
    for (_, entry) in streams { entry.stream.close() }
    for stream in opening { stream.close() }
  }
}

/// A client and a server `PeerConnection` on loopback sockets, on one loop.
actor RelayedCall {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var client: NetworkPeer?
  private var server: NetworkPeer?

  init() throws { loop = try EventLoop(name: "test relay") }

  func start(_ servers: [IceServer], policy: IceTransportPolicy = .relay, authority: String? = nil) throws {
    let dtls = try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
    let any = TransportAddress(ip: loopbackV4, port: 0)
    let (mine, theirs) = (try UDPSocket(bind: any), try UDPSocket(bind: any))
    let server = try NetworkPeer(
      .server, loop: loop, socket: theirs,
      configuration: PeerConnectionConfiguration(dtls: dtls, candidates: [.host(theirs.localAddress, transport: .udp)]))
    let client = try NetworkPeer(
      .client, loop: loop, socket: mine,
      configuration: PeerConnectionConfiguration(
        dtls: dtls, sockets: [.init(address: mine.localAddress)], iceServers: servers, iceTransportPolicy: policy),
      trust: authority.map { try TLSClientContext(trust: .file($0)) } ?? TLSClientContext())
    self.client = client
    self.server = server
    _ = client.peer.addTrack(.audio)
    loop.setHandlers(onDeadline: { [unowned self] in assumeIsolated { $0.tick() } }, onTickEnd: nil)
    let answer = try server.peer.setRemoteOffer(client.peer.createOffer(), now: MonotonicClock.now)
    try client.peer.setAnswer(answer, now: MonotonicClock.now)
    tick()
  }

  /// Gives the client other credentials, and restarts ICE.
  func restart(_ servers: [IceServer]) throws {
    guard let client, let server else { return }
    client.peer.setCredentials(of: servers)
    let offer = try client.peer.createOffer(restartsIce: true)
    try client.peer.setAnswer(server.peer.setRemoteOffer(offer, now: MonotonicClock.now), now: MonotonicClock.now)
    tick()
  }

  private func tick() {
    client?.tick()
    server?.tick()
    loop.setDeadline(MonotonicClock.now + .milliseconds(5))
  }

  struct State: Sendable {
    var isConnected = false
    var path: IcePath?
    var route: IceRoute?
    var clientMedia = 0
    var serverMedia = 0
    var events: [PeerConnectionEvent] = []
    var closings: [TransportError] = []
    /// Addresses that the server has heard from.
    var sources: Set<TransportAddress> = []
    var clientAddress: TransportAddress?
  }

  var state: State {
    guard let client, let server else { return State() }
    return State(
      isConnected: client.peer.isConnected && server.peer.isConnected, path: client.peer.selectedPath,
      route: client.peer.selectedRoute, clientMedia: client.media, serverMedia: server.media, events: client.events,
      closings: client.closings, sources: server.sources, clientAddress: client.socket.localAddress)
  }

  func sendMedia(_ count: Int) {
    for _ in 0..<count {
      client?.sendMedia()
      server?.sendMedia()
    }
  }

  func hangUp() {
    client?.close()
    server?.close()
  }

  func stop() {
    loop.setHandlers(onDeadline: nil, onTickEnd: nil)
    client = nil
    server = nil
    loop.stop()
  }
}
