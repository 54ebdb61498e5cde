import Basics
import NetworkEmulator
import RTC
@testable import SFU

/// The server of a call in virtual time: its peer connections and its router, joined as the media worker joins them,
/// but without sockets.
final class SimulatedServer: PacketSink {
  /// One participant's place on the server, and both directions of its network.
  final class Port {
    let peer: PeerConnection
    let member: Member
    /// The participant's address on the emulated network.
    let address: TransportAddress
    var up: NetworkEmulator
    var down: NetworkEmulator
    var path: IcePath?
    var isOpen = false
    var slots: [MID: Subscription] = [:]

    init(
      peer: PeerConnection, member: Member, address: TransportAddress, up: NetworkEmulator, down: NetworkEmulator
    ) {
      self.peer = peer
      self.member = member
      self.address = address
      self.up = up
      self.down = down
    }
  }

  static let address = TransportAddress(ip: IPAddress(v4: 0xC000_0201), port: 4_000)

  let router: Router
  private let batch = OutputBatch()
  private(set) var ports: [Port] = []
  private let dtls: DTLSContext
  private let seed: UInt64
  private var now = Instant.zero
  /// The load that packets wait under, as in a busy worker (``LoadGauge/hold``); nil where they leave at once.
  var load: TimeSpan?

  init(dtls: DTLSContext, seed: UInt64) {
    self.dtls = dtls
    self.seed = seed
    router = Router(
      clock: NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)), seed: seed)
  }

  /// A new participant behind a network of its own.
  func join(_ name: String, address: TransportAddress, up: LinkConditions, down: LinkConditions, now: Instant) -> Port {
    let member = router.add(ParticipantID(rawValue: name), now: now)
    member.egress.connection = ports.count
    let number = seed &* 8 &+ UInt64(ports.count)
    let peer = PeerConnection(
      .server,
      configuration: PeerConnectionConfiguration(dtls: dtls, candidates: [.host(Self.address, transport: .udp)]),
      random: EmulatorRandom(seed: number &+ 500))
    let port = Port(
      peer: peer, member: member, address: address, up: NetworkEmulator(up, seed: number &* 2 &+ 1),
      down: NetworkEmulator(down, seed: number &* 2 &+ 2))
    ports.append(port)
    return port
  }

  /// Takes an offer: every section that is sent becomes a publication named by its MID, every slot one of the router's.
  func answer(_ offer: String, of port: Port, now: Instant) throws -> String {
    let answer = try port.peer.setRemoteOffer(offer, now: now)
    for media in port.peer.media {
      switch media.role {
      case .receive:
        _ = router.publish(PublicationID(rawValue: media.mid.rawValue), media: media, isMuted: false, by: port.member)
      case .send: port.slots[media.mid] = router.addSlot(media, of: port.member)
      case .inactive: break
      }
    }
    settle(port)
    return answer
  }

  /// Lets `slot` of a participant carry the publication of a MID.
  func attach(_ publication: MID, to slot: MID, of port: Port) -> Bool {
    guard let publication = router.publication(PublicationID(rawValue: publication.rawValue)),
      let slot = port.slots[slot]
    else { return false }
    return router.attach(publication, to: slot)
  }

  // MARK: Time

  var deadline: Instant {
    var next = router.deadline
    if router.needsFlush { next = min(next, flushDeadline) }
    for port in ports { next = min(next, min(port.peer.deadline, port.up.deadline)) }
    return next
  }

  private var flushDeadline: Instant { load.map { router.flushDeadline(load: $0) } ?? .zero }

  /// Takes what has arrived, forwards it, and does what is due.
  func step(_ now: Instant) {
    self.now = now
    for port in ports {
      while var datagram = port.up.deliver(now: now) { receive(&datagram, port) }
      if port.peer.deadline <= now {
        port.peer.handleTimeout(now: now)
        settle(port)
      }
    }
    if router.needsFlush, flushDeadline <= now { router.flush(now: now, batch: batch, to: self) }
    if router.deadline <= now { router.handleTimeout(now: now, batch: batch, to: self) }
    while router.pollEvent() != nil {}
  }

  private func receive(_ datagram: inout [UInt8], _ port: Port) {
    let path = IcePath(transport: .udp, local: Self.address, remote: port.address, handle: 1)
    var span = datagram.mutableSpan
    switch port.peer.receive(&span, path: path, now: now) {
    case .rtp(let header, let length):
      router.receiveRTP(span.span.extracting(0..<length), header: header, from: port.member, now: now)
      if router.pendingPackets >= 64 { router.flush(now: now, batch: batch, to: self) }
    case .rtcp(let length):
      router.receiveRTCP(span.span.extracting(0..<length), from: port.member, now: now)
    case .handled: settle(port)
    case .dropped: break
    }
  }

  private func settle(_ port: Port) {
    while let event = port.peer.pollEvent() {
      switch event {
      case .iceSelectedPathChanged(let path):
        port.path = path
        updateEgress(port)
      case .connected, .iceConsentRestored: updateEgress(port)
      case .iceConsentLost, .iceFailed, .closed:
        router.close(port.member)
        port.isOpen = false
      default: break
      }
    }
    while let datagram = port.peer.pollTransmit() { port.down.send(datagram.bytes, now: now) }
  }

  private func updateEgress(_ port: Port) {
    guard let sender = port.peer.srtpSender, port.path != nil, port.peer.isConnected, !port.isOpen else { return }
    port.isOpen = true
    router.open(port.member, sender: sender)
  }

  func send(_ batch: OutputBatch, to egress: Egress) {
    guard ports.indices.contains(egress.connection) else { return }
    for run in batch.runs {
      var offset = run.offset
      let end = run.offset + run.length
      while offset < end {
        let next = min(offset + run.segment, end)
        ports[egress.connection].down.send((offset..<next).map { batch.bytes[$0] }, now: now)
        offset = next
      }
    }
  }
}
