import Basics
import Foundation
import Transport

@testable import RTC

/// A WebRTC client on a real socket: our own `PeerConnection` in the client role, driven by ``pump()``.
final class LoopbackClient {
  let peer: PeerConnection
  private let socket: UDPSocket
  private let slab: ReceiveSlab
  private(set) var events: [PeerConnectionEvent] = []
  /// Packets by SSRC.
  private(set) var received: [UInt32: Int] = [:]
  private(set) var keyframeRequests = 0
  private(set) var transportFeedbacks = 0
  private var sequence: UInt16 = 100
  private var transportSequence: UInt16 = 0

  init(dtls: DTLSContext) throws {
    socket = try UDPSocket(bind: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0))
    slab = try ReceiveSlab(slots: 8)
    peer = PeerConnection(
      .client,
      configuration: PeerConnectionConfiguration(
        dtls: dtls, sockets: [.init(address: socket.localAddress)], codecs: [.opus, .vp8]))
  }

  var isConnected: Bool { peer.isConnected && peer.selectedPath != nil }

  /// Takes what has come, sends what is to be sent, lets time pass.
  func pump() {
    let now = EventLoop.clock
    _ = socket.receive(into: slab) { datagram, remote, local in
      let path = IcePath(transport: .udp, local: local, remote: remote)
      switch self.peer.receive(&datagram, path: path, now: now) {
      case .rtp(let header, _): self.received[header.ssrc.rawValue, default: 0] += 1
      case .rtcp(let length): self.read(datagram.span.extracting(0..<length))
      case .handled, .dropped: break
      }
    }
    if peer.deadline <= now { peer.handleTimeout(now: now) }
    while let datagram = peer.pollTransmit() {
      socket.send(datagram.bytes.span, to: datagram.path.remote, from: datagram.path.local)
    }
    while let event = peer.pollEvent() { events.append(event) }
  }

  private func read(_ datagram: Span<UInt8>) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: datagram) {
      switch message {
      case .pli: keyframeRequests += 1
      case .transportFeedback: transportFeedbacks += 1
      default: break
      }
    }
  }

  /// Sends one packet of the track in `mid`.
  func send(_ mid: MID, payload: [UInt8], timestamp: UInt32) {
    guard let media = peer.media.first(where: { $0.mid == mid }), let source = media.localSource,
      let sender = peer.srtpSender, let path = peer.selectedPath
    else { return }
    var header = [UInt8](repeating: 0, count: 64)
    var output = [UInt8](repeating: 0, count: payload.count + 128)
    var span = header.mutableSpan
    var writer = RTPHeaderWriter()
    guard
      let length = try? {
        try writer.begin(
          payloadType: media.codecs[0].payloadType, marker: true, sequenceNumber: SequenceNumber(rawValue: sequence),
          timestamp: RTPTimestamp(rawValue: timestamp), ssrc: source.ssrc, into: &span)
        if let id = media.extensions[.mid], let text = HeaderExtensionText(mid.rawValue) {
          try writer.append(id: id, text: text, into: &span)
        }
        if let id = media.extensions[.transportSequenceNumber] {
          transportSequence &+= 1
          try writer.append(id: id, uint16: transportSequence, into: &span)
        }
        if let id = media.extensions[.audioLevel] { try writer.append(id: id, uint8: 20, into: &span) }
        return try writer.finish(into: &span)
      }()
    else { return }
    sequence &+= 1
    var out = output.mutableSpan
    guard
      let total = try? sender.protectRTP(
        header: header.span.extracting(0..<length), payload: payload.span, into: &out)
    else { return }
    socket.send(output.span.extracting(0..<total), to: path.remote, from: path.local)
  }

  /// Sends bytes from another address than the proven one.
  func sendFromElsewhere(_ bytes: [UInt8]) throws {
    guard let path = peer.selectedPath else { return }
    let other = try UDPSocket(bind: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0))
    other.send(bytes.span, to: path.remote, from: nil)
  }
}
