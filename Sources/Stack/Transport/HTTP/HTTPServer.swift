public import Basics
internal import CWebSockets
internal import Synchronization

/// A server's decision about a request to open a WebSocket, from its headers.
public enum WebSocketDecision: Sendable {
  /// Opens it with 101 (RFC 6455 section 4.2.2).
  case accept
  /// Answer with this instead (403 for a foreign origin, 404 for a wrong path, …).
  case reject(HTTPResponse)
}

/// An HTTP/1.1 and WebSocket server, with or without TLS, on a service thread of its own (libwebsockets).
///
/// Requests reach the handler whole and bounded: headers, path and body have limits that hold before anything is
/// buffered, and every phase of a connection has a deadline, so a client that sends or reads slowly costs a socket for
/// some seconds and nothing else. HTTP/2 is not spoken: browsers then use HTTP/1.1 over TLS as well.
@safe public final class HTTPServer: Sendable {
  struct State {
    var counters = Counters()
    var webSockets: [UInt: WebSocketConnection] = [:]
    var connections: ConnectionTable
    var stopping = false
    var stopped = false
  }

  /// How many connections that gave way may still be open: more than are accepted in one go.
  private static let closingAtOnce = 256

  let configuration: Configuration
  let handler: @Sendable (HTTPRequest) async -> HTTPResponse
  let decide: @Sendable (HTTPRequest) -> WebSocketDecision
  let serve: @Sendable (WebSocketConnection) async -> Void
  let sink: @Sendable (HTTPRequest) -> (any HTTPBodySink)?
  let service: WireService
  let state: Mutex<State>
  private let certificates: TLSServerContext?
  // Made by `init` before the service thread starts, used on that thread, freed with the service.
  private nonisolated(unsafe) let plainHost: OpaquePointer
  // Like `plainHost`: made before the service thread starts, used on that thread, freed with the service.
  private nonisolated(unsafe) let secureHost: OpaquePointer?

  /// Starts a server; it serves nothing before ``listen(on:dualStack:)``.
  ///
  /// - Parameters:
  ///   - configuration: Limits, times, certificate.
  ///   - name: The service thread's name.
  ///   - webSocketDecision: Called on the service thread with the headers of a request to open a WebSocket; must be
  ///     quick.
  ///   - webSocketHandler: Called for each open WebSocket; when it returns, the WebSocket is closed (1000).
  ///   - bodySink: Called on the service thread with the headers of a request that has a body: what takes the body, or
  ///     nil to have it whole in the request; must be quick.
  ///   - handler: Answers every other request. Its task is cancelled when the client goes away.
  public init(
    _ configuration: Configuration = Configuration(), name: String = "http",
    webSocketDecision: @escaping @Sendable (HTTPRequest) -> WebSocketDecision = { _ in
      .reject(
        .text(
          "{\"Error\":\"There is no WebSocket here.\",\"code\":\"notFound\"}", status: 404,
          contentType: "application/json; charset=utf-8"))
    },
    webSocketHandler: @escaping @Sendable (WebSocketConnection) async -> Void = { _ in },
    bodySink: @escaping @Sendable (HTTPRequest) -> (any HTTPBodySink)? = { _ in nil },
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) throws(TransportError) {
    self.configuration = configuration
    self.handler = handler
    decide = webSocketDecision
    serve = webSocketHandler
    sink = bodySink
    certificates = try configuration.tls.map { identity throws(TransportError) in TLSServerContext(try identity.load())
    }
    state = Mutex(
      State(
        connections: ConnectionTable(
          capacity: configuration.connectionLimit, reserve: configuration.reservedConnections,
          hostLimit: configuration.connectionsPerNetwork)))
    let shortest =
      [
        configuration.headerTimeout, configuration.bodyTimeout, configuration.idleTimeout,
        configuration.refusedBodyTimeout,
        configuration.webSocket.pingInterval, configuration.webSocket.pongTimeout,
      ].min() ?? .seconds(1)
    let service = try WireService(
      name: name, headerBytes: configuration.headerLimit,
      // Connections that gave way are closed a moment after those that came for them.
      descriptors: WireService.descriptorLimit(for: configuration.connectionLimit + Self.closingAtOnce),
      tickInterval: max(min(TimeSpan(nanoseconds: shortest.nanoseconds / 4), .milliseconds(500)), .milliseconds(5)))
    guard let plain = unsafe service.makeHost() else {
      service.discard()
      throw .outOfMemory("the HTTP service")
    }
    unsafe plainHost = plain
    if let certificates {
      guard let secure = unsafe service.makeHost(certificates) else {
        service.discard()
        throw .outOfMemory("the HTTPS service")
      }
      unsafe secureHost = secure
    } else {
      unsafe secureHost = nil
    }
    self.service = service
    do throws(TransportError) {
      try service.start()
    } catch {
      service.discard()
      throw error
    }
  }

  deinit {
    // A server that was not shut down leaves its thread running; say so to the one who forgot.
    assert(state.withLock { $0.stopped }, "HTTPServer.shutdown must be awaited before the server is let go")
  }

  /// Listens on an address, from now on; more than one is fine.
  ///
  /// - Parameters:
  ///   - address: The address to listen on; port 0 for any free one.
  ///   - dualStack: For an IPv6 wildcard: IPv4 too.
  /// - Returns: The address with its port.
  @discardableResult
  public func listen(on address: TransportAddress, dualStack: Bool = true) throws(TransportError) -> TransportAddress {
    if state.withLock({ $0.stopping }) { throw .stopped }
    let listener = try TCPListener(bind: address, dualStack: dualStack)
    let local = listener.localAddress
    take(connectionsOf: listener)
    return local
  }

  /// Listens on a Unix socket, from now on: for programs of this user on this machine.
  ///
  /// - Parameter path: The socket's path, 107 bytes at most; nothing may be there. It stays when the server is gone.
  public func listen(atPath path: String) throws(TransportError) {
    if state.withLock({ $0.stopping }) { throw .stopped }
    take(connectionsOf: try TCPListener(path: path))
  }

  private func take(connectionsOf listener: sending TCPListener) {
    // The listener is used on the service thread only from here on.
    nonisolated(unsafe) let handed = listener
    service.post { [weak self] in
      guard let self else { return }
      unsafe ListenerWire.start(handed, server: self, host: self.plainHost)
    }
  }

  /// Serves a connection that was accepted elsewhere, as when one port carries media too and the first bytes said
  /// "HTTP".
  public func adopt(_ accepted: TCPListener.Accepted) {
    let posted = service.post { [weak self] in
      guard let self else { return accepted.close() }
      self.take(accepted)
    }
    if !posted { accepted.close() }
  }

  /// The server's certificate; nil without TLS.
  public var certificate: TLSCertificate? { certificates?.certificate }

  /// Proves itself with another certificate from the next handshake on; connections that are open go on as they are.
  /// Nothing without TLS.
  public func replaceCertificate(_ certificate: TLSCertificate) { certificates?.replace(certificate) }

  /// The WebSockets open now.
  public var webSockets: [WebSocketConnection] { state.withLock { Array($0.webSockets.values) } }

  /// The counts at this moment.
  public var counters: Counters { state.withLock { $0.counters } }

  /// Stops: no new connections, WebSockets closed with 1001, requests under way answered; after `grace` the rest is
  /// cut. Everything is freed when this returns.
  public func shutdown(grace: TimeSpan = .seconds(5)) async {
    let first = state.withLock { state in
      defer { state.stopping = true }
      return !state.stopping
    }
    guard first else { return }
    service.post { [weak self] in self?.beginShutdown() }
    let end = MonotonicClock.now + grace
    while MonotonicClock.now < end && state.withLock({ $0.counters.open }) > 0 {
      try? await Task.sleep(for: .milliseconds(5))
      if Task.isCancelled { break }
    }
    service.stop()
    state.withLock { $0.stopped = true }
  }

  // MARK: On the service thread

  /// Hands an accepted socket to libwebsockets, or refuses it.
  func take(_ accepted: TCPListener.Accepted) {
    let tag = service.makeTag()
    let address = countedAddress(accepted.remote.ip)
    let admission: ConnectionTable.Admission? = state.withLock { state in
      let admission = state.stopping ? nil : state.connections.admit(tag, from: address)
      switch admission {
      case nil, .refused: state.counters.refused &+= 1
      case .admitted, .reserved:
        state.counters.accepted &+= 1
        state.counters.open += 1
      }
      return admission
    }
    let isTLS = unsafe secureHost != nil
    let reserve: ServerWire.Reserve?
    switch admission {
    case nil, .refused:
      let answer: HTTPResponse
      if case .refused(let isNetwork) = admission {
        answer = configuration.crowded(isNetwork)
      } else {
        answer = .refusal("Shutting down.", status: 503, code: "shuttingDown")
      }
      if !isTLS { ServerWire.refuse(accepted, with: answer) }
      accepted.close()
      return
    case .admitted(let evicted):
      reserve = nil
      evict(evicted)
    case .reserved(let evicted, let isNetwork):
      reserve = isNetwork ? .network : .everybody
      evict(evicted)
    }
    let wire = ServerWire(self, accepted, isTLS: isTLS, tag: tag, reserve: reserve)
    service.add(wire, tag)
    service.isNew(accepted.descriptor)
    // On failure the library has closed the socket already.
    let host = unsafe secureHost ?? plainHost
    guard let wsi = unsafe parley_ws_adopt_socket(host, accepted.descriptor, isTLS ? 1 : 0, tag) else {
      service.remove(tag)
      wire.wireClosed()
      return
    }
    unsafe wire.wsi = wire.isGone ? nil : wsi
    wire.watchEnd()
  }

  /// Closes a connection that has given way to another.
  func evict(_ tag: UInt?) {
    guard let tag else { return }
    state.withLock { $0.counters.evicted &+= 1 }
    (service.handler(tag) as? ServerWire)?.giveWay()
  }

  /// A connection is closed.
  func closed(_ tag: UInt) {
    state.withLock { state in
      state.counters.open -= 1
      state.connections.remove(tag)
    }
  }

  /// The client that a request over an uncounted connection counts for; nil if the connection counts, or networks
  /// aren't bounded.
  func countedClient(of request: HTTPRequest) -> IPAddress? {
    guard configuration.connectionsPerNetwork != nil, countedAddress(request.remote.ip) == nil else { return nil }
    let client = configuration.client(request)
    return client == request.remote.ip ? nil : countedAddress(client)
  }

  /// The address that connections count for; nil if they aren't bounded.
  private func countedAddress(_ ip: IPAddress) -> IPAddress? {
    guard configuration.connectionsPerNetwork != nil, configuration.boundsLoopback || !ip.isLoopback,
      !configuration.isUnbounded(ip)
    else { return nil }
    return ip
  }

  private func beginShutdown() { service.forEach { ($0 as? any ServerSide)?.beginShutdown() } }
}

/// The part that a server's handlers share.
protocol ServerSide: WireHandler {
  /// Finish what is under way, take nothing new.
  func beginShutdown()
}
