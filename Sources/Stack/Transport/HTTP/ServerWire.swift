import Basics
import CLinux
import CWebSockets
import Glibc

/// One connection of an ``HTTPServer``: on the service thread only.
///
/// The library reads a request only after its head has been seen whole and found well-formed (`ServerWire+Head`). While
/// a request is being answered, reading is off: further requests wait in the kernel, and libwebsockets is not asked to
/// parse them in a state that does not expect any. Pipelined requests are not served: the first is answered, and the
/// connection closed.
@safe final class ServerWire: ServerSide, @unchecked Sendable {
  // Unchecked because: it is created, called and let go on the service thread; other threads only carry it back there.

  enum Phase {
    case headers, body, handling, responding, webSocket, closing
  }

  let remote: TransportAddress
  let local: TransportAddress
  let isTLS: Bool
  let tag: UInt
  /// Only what comes back is served: who has too many connections.
  enum Reserve { case network, everybody }
  var reserve: Reserve?
  /// Whether the connection, which is a proxy's, counts for the client of its request.
  var isAssigned = false
  // The library's handle, valid until `wireClosed`.
  var wsi: OpaquePointer?
  private(set) var isGone = false
  // As above: closed before the connection is. It watches the same socket.
  var companion: OpaquePointer?
  var head: HTTPHeadParser
  /// Whether the library reads by itself: a head is whole, or the TLS handshake goes on.
  var isReading = true
  /// Bytes of a TLS record that were parsed and that the library has not read yet.
  var parsedAhead = 0
  /// The TLS handshake is over, or there is none.
  var isOpen: Bool
  var hasLowWater = false
  /// The socket reports bytes but has nothing new: check it in the next tick.
  var looksAgain = false

  unowned let server: HTTPServer
  let service: WireService
  let limits: HTTPServer.Configuration
  let descriptor: Int32
  var phase = Phase.headers
  var deadline: Instant
  var request: HTTPRequest?
  var expected = 0
  /// The client sends its body only after an interim answer (`ServerWire+Expectation`).
  var awaitsContinue = false
  var task: Task<Void, Never>?
  var upload: HTTPBodyQueue?
  var uploadPace: UploadPace?
  /// Bytes that are still read of a body that was refused; nil while none is.
  var refusedRest: Int?
  var output: HTTPOutput?
  var closeAfter = false
  var serial: UInt64 = 0
  var webSocket: WebSocketWire?
  var webSocketTask: Task<Void, Never>?

  init(_ server: HTTPServer, _ accepted: TCPListener.Accepted, isTLS: Bool, tag: UInt, reserve: Reserve?) {
    self.tag = tag
    self.reserve = reserve
    self.server = server
    service = server.service
    limits = server.configuration
    remote = accepted.remote
    local = accepted.local
    descriptor = accepted.descriptor
    self.isTLS = isTLS
    unsafe wsi = nil
    unsafe companion = nil
    head = HTTPHeadParser(limit: limits.headerLimit, isAmbiguous: AmbiguousNames.contains)
    isOpen = !isTLS
    deadline = MonotonicClock.now + limits.headerTimeout
    // Room for several pieces: a piece that is written when the socket is writable is then taken whole.
    setBuffer(descriptor, 128 << 10)
  }

  /// Refuses a connection that is one too many, without any parsing.
  static func refuse(_ accepted: TCPListener.Accepted, with response: HTTPResponse) {
    var bytes = HTTPOutput(response, isHead: false, close: true).whole
    // A fresh socket takes these few bytes or the client gets none; the pointer is the array's.
    _ = unsafe send(accepted.descriptor, &bytes, bytes.count, Int32(0x4000 | 0x40))  // MSG_NOSIGNAL | MSG_DONTWAIT
    discardInput(of: accepted.descriptor)
  }

  @unsafe func handle(
    _ event: WireEvent, _ wsi: OpaquePointer, _ bytes: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int32 {
    if unsafe self.wsi == nil { unsafe self.wsi = wsi }
    switch event {
    case LWS_CALLBACK_HTTP: return unsafe began(wsi)
    case LWS_CALLBACK_HTTP_BODY:
      return unsafe bodyPiece(unsafe UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
      switch phase {
      case .body: if upload == nil { dispatch() } else { endUpload() }
      // The library says it also after the head of a POST without a body, which is being handled already.
      case .handling: break
      // It reads on in the middle of an answer, and would say this again without end.
      case .headers, .responding, .webSocket, .closing: return -1
      }
      return 0
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return unsafe confirmUpgrade(wsi, bytes)
    case LWS_CALLBACK_ESTABLISHED: return opened()
    case LWS_CALLBACK_RECEIVE:
      return unsafe webSocket?.received(wsi, UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
        ?? -1
    case LWS_CALLBACK_RECEIVE_PONG:
      webSocket?.pong()
      return 0
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      unsafe webSocket?.peerCloses(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
      return 0
    case LWS_CALLBACK_RAW_CLOSE_FILE:
      answerUnreadable()
      return 0
    case LWS_CALLBACK_RAW_RX_FILE:
      arrived()
      return 0
    case LWS_CALLBACK_USER:
      handshakeEnded()
      return 0
    case LWS_CALLBACK_RAW_ADOPT:
      // After CONNECT the library takes the connection for no HTTP any more.
      return refuseAndClose(Self.unknownMethod)
    case LWS_CALLBACK_SERVER_WRITEABLE: return unsafe webSocket?.writable(wsi) ?? 0
    default: return 0
    }
  }

  func wireClosed() {
    if isGone { return }
    isGone = true
    unsafe wsi = nil
    // A sink is notified itself, and has to clean up undisturbed.
    if let upload { upload.end(isWhole: false) } else { task?.cancel() }
    output?.close()
    output = nil
    if let webSocket {
      server.state.withLock { $0.webSockets[tag] = nil }
      webSocket.closed()
    }
    server.closed(tag)
  }

  func tick(now: Instant) {
    guard let wsi = unsafe wsi else { return }
    if let webSocket {
      unsafe webSocket.tick(wsi, now: now)
      return
    }
    if looksAgain { watchHead() }
    if phase == .responding {
      let before = output?.progress
      if !pump() {
        unsafe parley_ws_kill(wsi)
        return
      }
      if output?.progress != before { return }
    }
    // The library's own time for a body would be over first, and it says nothing.
    if phase == .body { unsafe parley_ws_clear_timeout(wsi) }
    if phase == .body, refusedRest != nil, now >= deadline { return cutUpload() }
    if phase != .handling && now >= deadline {
      if phase != .closing { server.state.withLock { $0.counters.timedOut &+= 1 } }
      if let late = lateness() { _ = refuseAndClose(late) }
      phase = .closing
      // Not with each tick: the library first waits some seconds for unsent bytes, and would start that wait again.
      deadline = now + .seconds(6)
      unsafe parley_ws_kill(wsi)
    }
  }

  /// The connection has come to another stage.
  func advance(_ stage: ConnectionTable.Stage) { server.state.withLock { $0.connections.advance(tag, to: stage) } }

  /// Whether what a request's connection counts for may have it; else the answer is given instead.
  func admit(_ request: HTTPRequest, isWebSocket: Bool) -> HTTPResponse? {
    if let client = server.countedClient(of: request) {
      switch server.state.withLock({ $0.connections.assign(tag, to: client) }) {
      case .admitted(let evicted):
        isAssigned = true
        server.evict(evicted)
      case .reserved, .refused: reserve = .network
      }
    }
    guard let reserve, !isWebSocket else { return nil }
    server.state.withLock { $0.counters.refused &+= 1 }
    return limits.crowded(reserve == .network)
  }

  /// Another connection has got the place of this one.
  func giveWay() {
    guard let wsi = unsafe wsi else { return }
    phase = .closing
    deadline = MonotonicClock.now + .seconds(6)
    unsafe parley_ws_abort(wsi)
  }

  func beginShutdown() {
    closeAfter = true
    guard let wsi = unsafe wsi else { return }
    switch phase {
    case .headers:
      phase = .closing
      unsafe parley_ws_kill(wsi)
    case .webSocket: webSocket?.connection.close(code: 1_001, reason: "the server is going away")
    case .body, .handling, .responding, .closing: break
    }
  }
}

private func setBuffer(_ descriptor: Int32, _ size: Int32) {
  var size = size
  // Four bytes of a local variable.
  _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, 4)
}
