import Basics
import RTC
import Transport

/// The UDP socket of a session and the streams that ICE asked for, by handle.
final class SessionPorts: PacketOutput {
  /// The handle of the UDP socket, which serves every address of this machine.
  static let socketHandle: UInt32 = 0

  let socket: UDPSocket
  var streams: [UInt32: SessionStream] = [:]
  private var lastHandle = SessionPorts.socketHandle

  init(socket: UDPSocket) { self.socket = socket }

  /// The local addresses of ICE: every address of the machine, at the socket's port.
  func addresses(_ interfaces: [NetworkInterface]) -> [PeerConnectionConfiguration.Socket] {
    let takesIPv6 = !socket.localAddress.ip.isIPv4
    return interfaces.flatMap(\.addresses).filter { $0.isIPv4 || takesIPv6 }.map { ip in
      .init(address: TransportAddress(ip: ip, port: socket.localAddress.port), handle: Self.socketHandle)
    }
  }

  var receiveBufferDrops: UInt64 { socket.receiveBufferDrops }

  func nextHandle() -> UInt32 {
    lastHandle += 1
    return lastHandle
  }

  func add(_ stream: ClientStream, handle: UInt32, framing: StreamFraming) {
    streams[handle] = SessionStream(stream, framing: framing)
  }

  func close(_ handle: UInt32) { streams.removeValue(forKey: handle)?.stream.close() }

  func closeStreams() {
    let open = streams
    streams = [:]
    for stream in open.values { stream.stream.close() }
  }

  func send(media packet: Span<UInt8>, over route: IceRoute) {
    if route.transport == .udp {
      socket.send(packet, to: route.remote, from: route.local)
    } else {
      streams[route.handle]?.stream.send(packet)
    }
  }

  func send(control packet: Span<UInt8>, over path: IcePath) {
    guard path.transport == .tcp else {
      socket.send(packet, to: path.remote, from: path.local)
      return
    }
    guard let stream = streams[path.handle] else { return }
    if stream.framed.framing == .turn {
      stream.stream.send(packet)
    } else if let framed = FramedStream.framed(packet) {
      stream.stream.send(framed.span)
    }
  }
}

/// A TCP or TLS stream, and what has arrived on it of the next packet.
final class SessionStream {
  let stream: ClientStream
  var framed: FramedStream
  var wasOpen = false

  init(_ stream: ClientStream, framing: StreamFraming) {
    self.stream = stream
    framed = FramedStream(framing: framing)
  }

  /// Cuts received bytes into packets; false when it isn't such a stream.
  func read(_ bytes: Span<UInt8>, _ body: (inout MutableSpan<UInt8>) -> Void) -> Bool {
    var rest = 0
    while rest < bytes.count {
      let taken = framed.append(bytes.extracting(rest..<bytes.count))
      rest += taken
      do {
        while let frame = try framed.nextFrame() {
          var packet = framed.bytes(of: frame)
          body(&packet)
        }
      } catch { return false }
      if taken == 0 { return false }
    }
    return true
  }
}
