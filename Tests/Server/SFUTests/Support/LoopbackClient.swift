import Basics
import Foundation
import Glibc
import Transport

@testable import RTC

/// A WebRTC client on a real socket: our own `PeerConnection` in the client role, driven by ``pump()``.
final class LoopbackClient {
  let peer: PeerConnection
  private let socket: UDPSocket
  private let slab: ReceiveSlab
  private(set) var events: [PeerConnectionEvent] = []
  private(set) var received: [UInt32: Int] = [:]
  private(set) var keyframeRequests = 0
  private(set) var transportFeedbacks = 0
  private var sequence: UInt16 = 100
  /// The TCP connection, when the client may not use UDP.
  private var stream: Int32 = -1
  private var streamLocal = TransportAddress(ip: IPAddress(v4: 0), port: 0)
  private var streamRemote = TransportAddress(ip: IPAddress(v4: 0), port: 0)
  private var streamBytes: [UInt8] = []
  private var transportSequence: UInt16 = 0

  /// - Parameter usesUDP: false for a client whose UDP is blocked; call ``connectStream()`` after the answer.
  init(dtls: DTLSContext, usesUDP: Bool = true) throws {
    socket = try UDPSocket(bind: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0))
    slab = try ReceiveSlab(slots: 8)
    peer = PeerConnection(
      .client,
      configuration: PeerConnectionConfiguration(
        dtls: dtls, sockets: usesUDP ? [.init(address: socket.localAddress)] : [], codecs: [.opus, .vp8]))
  }

  var isConnected: Bool { peer.isConnected && peer.selectedPath != nil }

  /// Takes what has come, sends what is to be sent, lets time pass.
  func pump() {
    let now = MonotonicClock.now
    _ = socket.receive(into: slab) { datagram, remote, local in
      let path = IcePath(transport: .udp, local: local, remote: remote)
      switch self.peer.receive(&datagram, path: path, now: now) {
      case .rtp(let header, _): self.received[header.ssrc.rawValue, default: 0] += 1
      case .rtcp(let length): self.read(datagram.span.extracting(0..<length))
      case .handled, .dropped: break
      }
    }
    receiveStream(now)
    if peer.deadline <= now { peer.handleTimeout(now: now) }
    while let datagram = peer.pollTransmit() { transmit(datagram.bytes, datagram.path) }
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
    transmit(Array(output[..<total]), path)
  }

  private func transmit(_ bytes: [UInt8], _ path: IcePath) {
    guard path.transport == .tcp else {
      socket.send(bytes.span, to: path.remote, from: path.local)
      return
    }
    guard let frame = FramedStream.framed(bytes.span) else { return }
    _ = Glibc.send(stream, frame, frame.count, Int32(truncatingIfNeeded: Int(MSG_NOSIGNAL)))
  }

  /// Ends the DTLS association with a fatal alert, as after an error of its own, and makes the next one over the same
  /// path.
  func restartDTLS() throws {
    guard let dtls = peer.dtls, var records = dtls.records, let path = peer.selectedPath else {
      throw CancellationError()
    }
    let alert: [UInt8] = [2, 80]  // fatal: internal_error
    guard let record = records.seal(.alert, alert.span) else { throw CancellationError() }
    transmit(record, path)
    try dtls.reset()
    peer.startHandshakeIfReady(now: MonotonicClock.now)
  }

  /// Opens TCP connections to the server's TCP candidate on loopback that say nothing; the caller closes them.
  func openSilentStreams(_ count: Int) throws -> [Int32] {
    try (0..<count).map { _ in try openStream().descriptor }
  }

  /// Connects to the server's TCP candidate on loopback and has it checked (RFC 6544 section 4.1).
  func connectStream() throws {
    let (descriptor, candidate, remote) = try openStream()
    stream = descriptor
    _ = fcntl(stream, F_SETFL, O_NONBLOCK)
    streamRemote = remote
    streamLocal = TransportAddress(ip: remote.ip, port: 9)
    peer.check(candidate, local: streamLocal, handle: 77, now: MonotonicClock.now)
  }

  private func openStream() throws -> (descriptor: Int32, candidate: IceCandidate, remote: TransportAddress) {
    let candidate = peer.remoteCandidates.first {
      $0.transport == .tcp && $0.transportAddress?.ip == IPAddress(v4: 0x7F00_0001)
    }
    guard let candidate, let remote = candidate.transportAddress else { throw CancellationError() }
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = remote.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw CancellationError() }
    return (descriptor, candidate, remote)
  }

  func closeStream() {
    if stream >= 0 { Glibc.close(stream) }
    stream = -1
  }

  private func receiveStream(_ now: Instant) {
    guard stream >= 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(stream, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      streamBytes += buffer[..<count]
    }
    while streamBytes.count >= 2 {
      let length = Int(streamBytes[0]) << 8 | Int(streamBytes[1])
      guard streamBytes.count >= 2 + length else { return }
      var frame = Array(streamBytes[2..<(2 + length)])
      streamBytes.removeFirst(2 + length)
      var span = frame.mutableSpan
      let path = IcePath(transport: .tcp, local: streamLocal, remote: streamRemote, handle: 77)
      switch peer.receive(&span, path: path, now: now) {
      case .rtp(let header, _): received[header.ssrc.rawValue, default: 0] += 1
      case .rtcp(let length): read(span.span.extracting(0..<length))
      case .handled, .dropped: break
      }
    }
  }

  /// Sends bytes from another address than the proven one.
  func sendFromElsewhere(_ bytes: [UInt8]) throws {
    guard let path = peer.selectedPath else { return }
    let other = try UDPSocket(bind: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0))
    other.send(bytes.span, to: path.remote, from: nil)
  }
}
