import Basics
import RTC
import Transport

/// A ``MediaSession`` with its sockets and streams, on the media thread.
final class SocketSession: TimedSession {
  /// Runs a closure with this session on the media thread later, unless it is closed by then.
  typealias Later = @Sendable (@escaping @Sendable (SocketSession, Instant) -> Void) -> Void

  let media: MediaSession
  private let ports: SessionPorts
  private let loop: EventLoop
  private let later: Later
  private let timers: SessionTimers
  private var timer: SessionTimers.ID?
  private var registration: EventLoop.Registration?

  init(
    _ configuration: SessionConfiguration, dtls: DTLSContext, loop: EventLoop, slab: ReceiveSlab,
    timers: SessionTimers, events: AsyncStream<SessionEvent>.Continuation, later: @escaping Later
  ) throws(JoinError) {
    self.loop = loop
    self.later = later
    self.timers = timers
    do throws(TransportError) {
      ports = SessionPorts(socket: try Self.openSocket())
    } catch { throw .mediaFailed("No socket for media could be opened: \(error)") }
    media = MediaSession(
      configuration, dtls: dtls, sockets: ports.addresses(((try? NetworkInterfaces.list()) ?? [])), events: events,
      output: ports)
    do throws(TransportError) {
      // Held by the loop until `close()`, since a weak reference would cost every packet.
      registration = try loop.register(ports.socket.descriptor, for: [.readable, .edgeTriggered]) { _ in
        self.receive(into: slab)
      }
    } catch { throw .mediaFailed("The media socket could not be watched: \(error)") }
    timer = timers.add(self)
    flush(now: loop.now)
  }

  /// One socket for every interface and both families where the system has IPv6.
  private static func openSocket() throws(TransportError) -> UDPSocket {
    let any6 = TransportAddress(ip: IPAddress(high: 0, low: 0), port: 0)
    if let socket = try? UDPSocket(bind: any6, dualStack: true, bufferSize: 1 << 20) { return socket }
    return try UDPSocket(bind: TransportAddress(ip: IPAddress(v4: 0), port: 0), bufferSize: 1 << 20)
  }

  private func receive(into slab: ReceiveSlab) {
    var more = true
    // The time of the newest packet: a report that it made due leaves now, and not after another wake-up.
    var now = loop.now
    while more {
      more = ports.socket.receive(into: slab) { datagram, remote, local in
        now = MonotonicClock.now
        media.receive(&datagram, path: IcePath(transport: .udp, local: local, remote: remote), now: now)
      }
    }
    flushDue(now: now)
  }

  func handleTimeout(now: Instant) {
    media.handleTimeout(now: now)
    flushDue(now: now)
  }

  /// Runs `body` and sends what came of it.
  func perform<Value>(_ body: (MediaSession, Instant) -> Value) -> Value {
    let now = MonotonicClock.now
    let value = body(media, now)
    flush(now: now)
    return value
  }

  /// This machine's addresses are now those of `interfaces`.
  func networkChanged(_ interfaces: [NetworkInterface]) {
    media.updateAddresses(ports.addresses(interfaces), now: MonotonicClock.now)
    flush(now: MonotonicClock.now)
  }

  func close() {
    media.close()
    if let registration { loop.unregister(registration) }
    registration = nil
    if let timer { timers.remove(timer) }
    timer = nil
    ports.closeStreams()
  }

  private func flush(now: Instant) {
    media.markAllDue()
    flushDue(now: now)
  }

  private func flushDue(now: Instant) {
    if media.isConnectionDue {
      while let request = media.peer.pollIceRequest() { serve(request, now) }
    }
    media.flush(now: now)
    if let timer { timers.set(media.deadline, for: timer) }
  }

  // MARK: Requests of ICE

  private func serve(_ request: IceRequest, _ now: Instant) {
    switch request {
    case .resolve(let name):
      resolve(name) { session, addresses, now in
        session.media.peer.nameResolved(name, addresses: addresses, now: now)
      }
    case .closeStream(let handle): ports.close(handle)
    case .openStream(let wanted):
      switch wanted.host {
      case .ip(let ip): open(wanted, ip)
      case .name(let name):
        resolve(name) { session, addresses, now in
          guard let ip = addresses.first else { return session.media.peer.streamFailed(wanted.id, now: now) }
          session.open(wanted, ip)
        }
      }
    }
  }

  private func resolve(
    _ name: String, _ body: @escaping @Sendable (SocketSession, [IPAddress], Instant) -> Void
  ) {
    let later = self.later
    Task {
      let addresses = (try? await NameResolver.resolve(name)) ?? []
      later { session, now in
        body(session, addresses, now)
        session.flush(now: now)
      }
    }
  }

  private func open(_ request: IceStreamRequest, _ ip: IPAddress) {
    do throws(TransportError) {
      let security: ClientStream.Security
      switch request.security {
      case .none: security = .none
      case .tls:
        let name = if case .name(let name) = request.host { name } else { ip.text }
        security = .tls(host: name, context: try TLSClientContext())
      }
      let handle = ports.nextHandle()
      let stream = try ClientStream(
        to: TransportAddress(ip: ip, port: request.port), security: security, on: loop,
        onOpen: { [weak self] in self?.streamOpened(request, handle) },
        onBytes: { [weak self] bytes in self?.streamReceived(handle, bytes) ?? false },
        onClose: { [weak self] _ in self?.streamClosed(request, handle) })
      ports.add(stream, handle: handle, framing: request.framing)
    } catch { media.peer.streamFailed(request.id, now: MonotonicClock.now) }
  }

  private func streamOpened(_ request: IceStreamRequest, _ handle: UInt32) {
    guard let stream = ports.streams[handle] else { return }
    stream.wasOpen = true
    let now = MonotonicClock.now
    media.peer.streamOpened(
      request.id, handle: handle, local: stream.stream.local, remote: stream.stream.remote, now: now)
    flush(now: now)
  }

  private func streamReceived(_ handle: UInt32, _ bytes: Span<UInt8>) -> Bool {
    guard let stream = ports.streams[handle] else { return false }
    let path = IcePath(transport: .tcp, local: stream.stream.local, remote: stream.stream.remote, handle: handle)
    let isGood = stream.read(bytes) { frame in media.receive(&frame, path: path, now: MonotonicClock.now) }
    flush(now: MonotonicClock.now)
    return isGood
  }

  private func streamClosed(_ request: IceStreamRequest, _ handle: UInt32) {
    guard let stream = ports.streams.removeValue(forKey: handle) else { return }
    let now = MonotonicClock.now
    if stream.wasOpen {
      media.peer.streamClosed(handle, now: now)
    } else {
      media.peer.streamFailed(request.id, now: now)
    }
    flush(now: now)
  }
}
