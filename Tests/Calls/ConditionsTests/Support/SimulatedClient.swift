import Basics
import Media
import NetworkEmulator
@testable import Parley
import RTC

/// One participant of a call in virtual time: the SDK's session, without a socket.
final class SimulatedClient {
  /// The packets that the session sends, in order.
  final class Output: PacketOutput {
    var packets: [[UInt8]] = []
    let receiveBufferDrops: UInt64 = 0
    func send(media packet: Span<UInt8>, over route: IceRoute) { append(packet) }
    func send(control packet: Span<UInt8>, over path: IcePath) { append(packet) }
    private func append(_ packet: Span<UInt8>) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(packet.count)
      for index in packet.indices { bytes.append(packet[index]) }
      packets.append(bytes)
    }
  }

  let session: MediaSession
  let port: SimulatedServer.Port
  /// The size and time of every media and control packet sent.
  private(set) var sent: [(time: Instant, bytes: Int)] = []
  private let output = Output()
  private let address: TransportAddress
  /// Waking ups at one instant, to notice a deadline that does not move.
  private(set) var idleWakes = 0
  private var lastWake = (time: Instant.zero, count: 0)

  init(_ port: SimulatedServer.Port, dtls: DTLSContext, configuration: SessionConfiguration, seed: UInt64) {
    self.port = port
    address = port.address
    let (_, events) = AsyncStream.makeStream(of: SessionEvent.self, bufferingPolicy: .bufferingNewest(1))
    session = MediaSession(
      configuration, dtls: dtls, sockets: [.init(address: port.address, handle: 7)], events: events, output: output,
      random: EmulatorRandom(seed: seed))
  }

  var deadline: Instant { min(session.deadline, port.down.deadline) }

  func step(_ now: Instant) {
    let path = IcePath(transport: .udp, local: address, remote: SimulatedServer.address, handle: 7)
    while var datagram = port.down.deliver(now: now) {
      var span = datagram.mutableSpan
      session.receive(&span, path: path, now: now)
    }
    if session.deadline <= now { session.handleTimeout(now: now) }
    session.flush(now: now)
    for packet in output.packets {
      sent.append((now, packet.count + 28))
      port.up.send(packet, now: now)
    }
    output.packets.removeAll(keepingCapacity: true)
    lastWake = lastWake.time == now ? (now, lastWake.count + 1) : (now, 0)
    idleWakes = max(idleWakes, lastWake.count)
  }

  /// Bits a second on the wire from `start` to `end`.
  func rate(from start: Instant, to end: Instant) -> Double {
    guard end > start else { return 0 }
    return Double(sent.reduce(0) { $0 + ($1.time >= start && $1.time < end ? $1.bytes : 0) }) * 8
      / (end - start).seconds
  }
}
