import Basics
import RTC
import TestSeeds

/// Certificates that all tests share; making one costs more than a handshake's other parts.
enum TestCertificates {
  static let server = context()
  static let client = context()
  static let stranger = context()

  private static func context() -> DTLSContext {
    do {
      return try DTLSContext(certificate: .selfSigned(unixTime: 1_800_000_000))
    } catch { preconditionFailure("\(error)") }
  }
}

/// A client and a server joined by a simulated network in virtual time: loss, delay, reordering and duplicates from one
/// seed.
final class PeerPair {
  struct Network {
    var loss = 0.0
    var duplication = 0.0
    var minimumDelay = TimeSpan.milliseconds(5)
    var jitter = TimeSpan.zero
  }

  struct Flight {
    let at: Instant
    let toServer: Bool
    /// As the receiver sees it.
    let path: IcePath
    let bytes: [UInt8]
  }

  static let serverAddress = TransportAddress(ip: IPAddress(v4: 0xC000_0201), port: 4_000)
  static let clientAddress = TransportAddress(ip: IPAddress(v4: 0xC633_6402), port: 5_000)

  var network: Network
  var random: SeededRandom
  var now = Instant.milliseconds(1_000)
  let server: PeerConnection
  let client: PeerConnection
  var flights: [Flight] = []
  var serverEvents: [PeerConnectionEvent] = []
  var clientEvents: [PeerConnectionEvent] = []
  /// The media that the server received, in order of arrival.
  var serverMedia: [[UInt8]] = []
  var clientMedia: [[UInt8]] = []
  /// All control datagrams that the server sent.
  var sentByServer: [OutgoingDatagram] = []
  var largestDatagram = 0
  /// The client's address as the server sees it; changing it is a NAT rebinding.
  var clientAsSeen = PeerPair.clientAddress
  /// Returns false for datagrams that the network swallows.
  var passes: (_ bytes: [UInt8], _ toServer: Bool) -> Bool = { _, _ in true }

  init(
    seed: UInt64 = 1, network: Network = Network(), clientContext: DTLSContext = TestCertificates.client,
    dataChannels: Bool = false
  ) {
    let seed = TestSeed.of(seed)
    self.network = network
    random = SeededRandom(seed: seed)
    server = PeerConnection(
      .server,
      configuration: PeerConnectionConfiguration(
        dtls: TestCertificates.server,
        candidates: [
          .host(Self.serverAddress, transport: .udp), .host(Self.serverAddress, transport: .tcp),
        ]),
      random: SeededRandom(seed: seed &+ 1_000))
    client = PeerConnection(
      .client,
      configuration: PeerConnectionConfiguration(
        dtls: clientContext, sockets: [.init(address: Self.clientAddress, handle: 7)]),
      random: SeededRandom(seed: seed &+ 2_000))
    _ = client.addTrack(.audio)
    _ = client.addTrack(.video)
    _ = client.addSlot(.video)
    if dataChannels { client.addDataChannels() }
  }

  /// Offer and answer; `change` may damage the offer on the way.
  func negotiate(restartsIce: Bool = false, change: (String) -> String = { $0 }) throws {
    let offer = try client.createOffer(restartsIce: restartsIce)
    try client.setAnswer(server.setRemoteOffer(change(offer), now: now), now: now)
  }

  /// Negotiates and runs until both sides are connected.
  @discardableResult
  func connected() throws -> PeerPair {
    try negotiate()
    run(for: .seconds(20)) { self.server.isConnected && self.client.isConnected }
    return self
  }

  /// Lets virtual time pass until `isDone` or until `limit` is over.
  func run(for limit: TimeSpan, until isDone: () -> Bool = { false }) {
    let end = now + limit
    drain()
    while !isDone() {
      var next = min(server.deadline, client.deadline)
      for flight in flights { next = min(next, flight.at) }
      guard next <= end else {
        now = end
        return
      }
      now = max(now, next)
      let arrived = flights.filter { $0.at <= now }
      flights.removeAll { $0.at <= now }
      for flight in arrived.sorted(by: { $0.at < $1.at }) {
        deliver(flight.bytes, over: flight.path, toServer: flight.toServer)
        drain()
      }
      if server.deadline <= now { server.handleTimeout(now: now) }
      if client.deadline <= now { client.handleTimeout(now: now) }
      drain()
    }
  }

  /// Hands bytes to one side as if they had just arrived.
  @discardableResult
  func deliver(_ bytes: [UInt8], over path: IcePath, toServer: Bool) -> ReceiveResult {
    var copy = bytes
    let result: ReceiveResult
    do {
      var span = copy.mutableSpan
      result = (toServer ? server : client).receive(&span, path: path, now: now)
    }
    let media: [UInt8]? =
      switch result {
      case .rtp(_, let length), .rtcp(let length): Array(copy.prefix(length))
      default: nil
      }
    if let media { if toServer { serverMedia.append(media) } else { clientMedia.append(media) } }
    return result
  }

  /// Takes what both sides want sent, and their events.
  func drain() {
    while let datagram = client.pollTransmit() { send(datagram.bytes, over: datagram.path, toServer: true) }
    while let datagram = server.pollTransmit() {
      sentByServer.append(datagram)
      send(datagram.bytes, over: datagram.path, toServer: false)
    }
    while let event = server.pollEvent() { serverEvents.append(event) }
    while let event = client.pollEvent() { clientEvents.append(event) }
  }

  private func send(_ bytes: [UInt8], over path: IcePath, toServer: Bool) {
    largestDatagram = max(largestDatagram, bytes.count)
    guard passes(bytes, toServer) else { return }
    let isStream = path.transport == .tcp
    guard isStream || !random.chance(network.loss) else { return }
    // A datagram for an address that is no longer the client's is lost.
    guard toServer || isStream || path.remote == clientAsSeen else { return }
    let seen =
      toServer
      ? IcePath(
        transport: path.transport, local: path.remote, remote: isStream ? path.local : clientAsSeen, handle: 1)
      : IcePath(
        transport: path.transport, local: isStream ? path.remote : Self.clientAddress, remote: path.local,
        handle: isStream ? 8 : 7)
    for _ in 0..<(!isStream && random.chance(network.duplication) ? 2 : 1) {
      let jitter = network.jitter.nanoseconds > 0 && !isStream ? random.below(Int(network.jitter.nanoseconds)) : 0
      let delay = network.minimumDelay + TimeSpan(nanoseconds: Int64(jitter))
      flights.append(Flight(at: now + delay, toServer: toServer, path: seen, bytes: bytes))
    }
  }

  /// An RTP packet protected by one side.
  func packet(from side: PeerConnection, ssrc: UInt32 = 0xABCD, sequence: UInt16, payload: [UInt8] = [1, 2, 3]) throws
    -> [UInt8]
  {
    let header: [UInt8] =
      [0x80, 111, UInt8(sequence >> 8), UInt8(sequence & 255), 0, 0, 0, 1]
      + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * UInt32($0))) }
    var out = [UInt8](repeating: 0, count: 200)
    guard let sender = side.srtpSender else { throw NotConnected() }
    var span = out.mutableSpan
    let length = try sender.protectRTP(header: header.span, payload: payload.span, into: &span)
    return Array(out.prefix(length))
  }

  /// Sends one media packet over a side's selected path, if it has one.
  func sendMedia(fromServer: Bool, sequence: UInt16) throws {
    let side = fromServer ? server : client
    guard let path = side.selectedPath else { return }
    send(try packet(from: side, sequence: sequence), over: path, toServer: !fromServer)
  }

  struct NotConnected: Error {}

  /// The path of the client's first socket as the server sees it.
  static let udpPath = IcePath(transport: .udp, local: serverAddress, remote: clientAddress, handle: 1)
  /// A path from somebody else.
  static let strangerPath = IcePath(
    transport: .udp, local: serverAddress,
    remote: TransportAddress(ip: IPAddress(v4: 0xCB00_7109), port: 6_666), handle: 1)
}
