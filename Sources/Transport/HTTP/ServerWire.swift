import Basics
import CLinux
import CWebSockets
import Glibc

/// One connection of an ``HTTPServer``: on the service thread only.
///
/// While a request is being answered, reading is off: further requests wait in the kernel, and libwebsockets is not asked
/// to parse them in a state that does not expect any. Pipelined requests are not served: the first is answered, and the
/// connection closed.
@safe final class ServerWire: ServerSide, @unchecked Sendable {
  // Unchecked because: it is created, called and let go on the service thread; other threads only carry it back there.

  private enum Phase {
    case headers, body, handling, responding, webSocket, closing
  }

  let remote: TransportAddress
  let local: TransportAddress
  let isTLS: Bool
  var tag: UInt = 0
  // The library's handle, valid until `wireClosed`.
  var wsi: OpaquePointer?
  private(set) var isGone = false
  // As above: closed before the connection is.
  private var companion: OpaquePointer?

  private unowned let server: HTTPServer
  private let service: WireService
  private let limits: HTTPServer.Configuration
  private let descriptor: Int32
  private var phase = Phase.headers
  private var deadline: Instant
  private var request: HTTPRequest?
  private var expected = 0
  private var task: Task<Void, Never>?
  private var upload: HTTPBodyQueue?
  private var uploadEnd = Instant.distantFuture
  /// Bytes that are still read of a body that was refused; nil while none is.
  private var refusedRest: Int?
  private var output: HTTPOutput?
  private var closeAfter = false
  private var serial: UInt64 = 0
  private var webSocket: WebSocketWire?
  private var webSocketTask: Task<Void, Never>?

  init(_ server: HTTPServer, _ accepted: TCPListener.Accepted, isTLS: Bool) {
    self.server = server
    service = server.service
    limits = server.configuration
    remote = accepted.remote
    local = accepted.local
    descriptor = accepted.descriptor
    self.isTLS = isTLS
    unsafe wsi = nil
    unsafe companion = nil
    deadline = EventLoop.clock + limits.headerTimeout
    // Room for several pieces: a piece that is written when the socket is writable is then taken whole.
    setBuffer(descriptor, 128 << 10)
  }

  /// Tells a connection that is one too many so, without any parsing.
  static func refuse(_ accepted: TCPListener.Accepted) {
    let text = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"
    var bytes = Array(text.utf8)
    // A fresh socket takes these few bytes or the client gets none; the pointer is the array's.
    _ = unsafe send(accepted.descriptor, &bytes, bytes.count, Int32(0x4000 | 0x40))  // MSG_NOSIGNAL | MSG_DONTWAIT
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
      if phase == .body { if upload == nil { dispatch() } else { endUpload() } }
      return 0
    case LWS_CALLBACK_HTTP_WRITEABLE:
      // Only after a piece that the socket took in part.
      if phase == .responding { return pump() ? 0 : -1 }
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
    // A sink is told itself, and has to clean up undisturbed.
    if let upload { upload.end(isWhole: false) } else { task?.cancel() }
    output?.close()
    output = nil
    if let webSocket {
      server.state.withLock { $0.webSockets[tag] = nil }
      webSocket.closed()
    }
    server.closed(remote.ip)
  }

  func tick(now: Instant) {
    guard let wsi = unsafe wsi else { return }
    if let webSocket {
      unsafe webSocket.tick(wsi, now: now)
      return
    }
    if phase == .responding, unsafe lws_partial_buffered(wsi) == 0 {
      let before = output?.progress
      if !pump() {
        unsafe parley_ws_kill(wsi)
        return
      }
      if output?.progress != before { return }
    }
    if phase == .body, refusedRest != nil, now >= deadline { return cutUpload() }
    if phase != .handling && now >= deadline {
      if phase != .closing { server.state.withLock { $0.counters.timedOut &+= 1 } }
      phase = .closing
      // Not with each tick: the library first waits some seconds for what is unsent, and would begin to wait anew.
      deadline = now + .seconds(6)
      unsafe parley_ws_kill(wsi)
    }
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

  // MARK: Requests

  /// Reads what the library has parsed; nil when it is no request to be answered, with the answer to give instead.
  @unsafe private func read(_ wsi: OpaquePointer) -> (HTTPRequest?, HTTPResponse?) {
    let methods: [(String, lws_token_indexes)] = [
      ("GET", WSI_TOKEN_GET_URI), ("POST", WSI_TOKEN_POST_URI), ("HEAD", WSI_TOKEN_HEAD_URI),
      ("OPTIONS", WSI_TOKEN_OPTIONS_URI), ("PUT", WSI_TOKEN_PUT_URI), ("PATCH", WSI_TOKEN_PATCH_URI),
      ("DELETE", WSI_TOKEN_DELETE_URI),
    ]
    guard
      let (method, token) = methods.first(where: {
        unsafe parley_ws_header_length(wsi, Int32($0.1.rawValue)) > 0
      })
    else { return (nil, Self.unknownMethod) }
    // The library splits at `&` in the path too, where it means nothing.
    let pathBytes = Array(unsafe WireHeaders.fragments(wsi, token).joined(separator: [0x26]))
    guard let path = String(validating: pathBytes, as: UTF8.self), path.hasPrefix("/"),
      path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return (nil, .refusal("The path is not valid UTF-8 text.", status: 400, code: "badRequest")) }
    let arguments = unsafe WireHeaders.fragments(wsi, WSI_TOKEN_HTTP_URI_ARGS)
    let query = arguments.isEmpty ? nil : PercentCoding.query(arguments)
    guard pathBytes.count + arguments.reduce(0, { $0 + $1.count + 1 }) <= limits.uriLimit else {
      return (
        nil, .refusal("The address is longer than \(limits.uriLimit) bytes.", status: 414, code: "addressTooLong")
      )
    }
    let headers = unsafe WireHeaders.all(wsi)
    guard headers.fields.allSatisfy({ CombiningMarks.areBounded(in: $0.value) }) else {
      let most = CombiningMarks.longestRun
      return (
        nil, .refusal("A header has more than \(most) combining marks in a row.", status: 400, code: "badRequest")
      )
    }
    return (
      HTTPRequest(
        method: method, path: path, query: query, headers: headers, remote: remote, local: local, isTLS: isTLS), nil
    )
  }

  /// The headers are there.
  @unsafe private func began(_ wsi: OpaquePointer) -> Int32 {
    serial &+= 1
    // The deadlines are kept here.
    unsafe parley_ws_clear_timeout(wsi)
    let (parsed, refusal) = unsafe read(wsi)
    let headers = parsed?.headers ?? HTTPHeaders()
    let connection = headers["connection"]?.lowercased() ?? ""
    let version = unsafe WireHeaders.value(wsi, WSI_TOKEN_HTTP) ?? []
    let isOld = version == Array("HTTP/1.0".utf8)
    closeAfter = closeAfter || connection.contains("close") || (isOld && !connection.contains("keep-alive"))
    if server.state.withLock({ $0.stopping }) { closeAfter = true }
    guard var request = parsed else {
      return refuseAndClose(refusal ?? .refusal("Bad request.", status: 400, code: "badRequest"))
    }
    // libwebsockets takes an encoded line break in path or query for the end of the line, and what comes after it is lost.
    guard isOld || version == Array("HTTP/1.1".utf8) else {
      return refuseAndClose(
        .refusal(
          "The request line is not one of HTTP/1.1, or its address has an encoded line break (%0A, %0D): send such text in the body.",
          status: 400, code: "badRequest"))
    }
    if headers["transfer-encoding"] != nil {
      return refuseAndClose(.refusal("Send the body with a Content-Length.", status: 411, code: "lengthRequired"))
    }
    var length = 0
    if let text = headers["content-length"] {
      // Digits only, one number: two lengths are how requests are smuggled past a proxy.
      guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let n = Int(text)
      else { return refuseAndClose(.refusal("Content-Length is not a number.", status: 400, code: "badRequest")) }
      length = n
    }
    let sink = length > 0 ? server.sink(request) : nil
    let bodyLimit = sink?.limit ?? limits.bodyLimit
    if length > bodyLimit {
      return refuseAndClose(
        .refusal("The body is larger than \(bodyLimit) bytes.", status: 413, code: "tooLarge"))
    }
    if let sink {
      beginUpload(to: sink, length: length)
      return 0
    }
    request.body.reserveCapacity(length)
    self.request = request
    expected = length
    if length > 0 {
      phase = .body
      deadline = EventLoop.clock + limits.bodyTimeout
      return 0
    }
    // Without a length the library would wait for a body after POST, PUT and PATCH; there is none. With reading off
    // it waits for nothing, and the connection is closed after the answer.
    if headers["content-length"] == nil && ["POST", "PUT", "PATCH"].contains(request.method) { closeAfter = true }
    dispatch()
    return 0
  }

  private func bodyPiece(_ piece: UnsafeRawBufferPointer) -> Int32 {
    if let upload, phase == .body { return unsafe uploadPiece(piece, upload) }
    guard phase == .body, let have = request?.body.count, have + piece.count <= expected else {
      return phase == .body ? -1 : 0
    }
    unsafe request?.body.append(contentsOf: piece)
    return 0
  }

  // MARK: Bodies that go to a sink

  private func beginUpload(to sink: any HTTPBodySink, length: Int) {
    let service = service
    let current = serial
    let queue = HTTPBodyQueue(
      resume: { [weak self] in service.post { [weak self] in self?.resumeUpload(current) } },
      refused: { [weak self] in service.post { [weak self] in self?.refuseUpload(current) } })
    phase = .body
    refusedRest = nil
    expected = length
    upload = queue
    uploadEnd =
      EventLoop.clock + limits.bodyTimeout + .milliseconds(Int64(length) * 1_000 / Int64(max(limits.uploadRate, 1)))
    deadline = min(EventLoop.clock + limits.bodyTimeout, uploadEnd)
    task = Task { [weak self] in
      let response = await queue.run(sink, length: length)
      service.post { [weak self] in
        self?.upload = nil
        self?.respond(response, to: current, isHead: false)
      }
    }
  }

  private func uploadPiece(_ piece: UnsafeRawBufferPointer, _ queue: HTTPBodyQueue) -> Int32 {
    guard piece.count <= expected, let wsi = unsafe wsi else { return -1 }
    expected -= piece.count
    if let rest = refusedRest {
      refusedRest = rest - piece.count
      // At the end the library says so, and the connection can go on.
      if rest < piece.count && expected > 0 { cutUpload() }
      return 0
    }
    deadline = min(EventLoop.clock + limits.bodyTimeout, uploadEnd)
    // Not at the end: the library has to say that it is one.
    if unsafe queue.add(piece) && expected > 0 { unsafe lws_rx_flow_control(wsi, 0) }
    return 0
  }

  /// The sink wants no more: what the client still sends is read for a moment.
  private func refuseUpload(_ serial: UInt64) {
    guard !isGone, phase == .body, serial == self.serial else { return }
    refusedRest = limits.refusedBodyLimit
    uploadEnd = min(uploadEnd, EventLoop.clock + limits.refusedBodyTimeout)
    deadline = uploadEnd
  }

  /// A body that was refused takes too long, or is too much: the client is answered in the middle of it.
  private func cutUpload() {
    guard let wsi = unsafe wsi else { return }
    phase = .handling
    closeAfter = true
    unsafe lws_rx_flow_control(wsi, 0)
    server.state.withLock { $0.counters.requests &+= 1 }
    upload?.end(isWhole: false)
  }

  /// The sink has taken what waited.
  private func resumeUpload(_ serial: UInt64) {
    guard !isGone, phase == .body, serial == self.serial, let wsi = unsafe wsi else { return }
    deadline = min(EventLoop.clock + limits.bodyTimeout, uploadEnd)
    unsafe lws_rx_flow_control(wsi, 1)
  }

  /// The body is whole: what is still to do is the sink's.
  private func endUpload() {
    guard let upload, let wsi = unsafe wsi else { return }
    phase = .handling
    unsafe lws_rx_flow_control(wsi, 0)
    server.state.withLock { $0.counters.requests &+= 1 }
    upload.end(isWhole: true)
  }

  /// Gives the request to the handler, on a task of its own.
  private func dispatch() {
    guard let request, let wsi = unsafe wsi else { return }
    phase = .handling
    unsafe lws_rx_flow_control(wsi, 0)
    server.state.withLock { $0.counters.requests &+= 1 }
    let isHead = request.method == "HEAD"
    let current = serial
    let handler = server.handler
    let service = service
    self.request = nil
    task = Task { [weak self] in
      let response = await handler(request)
      service.post { [weak self] in self?.respond(response, to: current, isHead: isHead) }
    }
  }

  private func respond(_ response: HTTPResponse, to serial: UInt64, isHead: Bool) {
    guard !isGone, phase == .handling, serial == self.serial, let wsi = unsafe wsi else { return }
    task = nil
    phase = .responding
    // A request sent together with this one would be parsed from libwebsockets' own buffer, where it takes the head of a
    // POST for its body. The client is told to send it again on a new connection (RFC 9112 section 9.3.2).
    if unsafe parley_ws_has_leftover(wsi) != 0 { closeAfter = true }
    output = HTTPOutput(response, isHead: isHead, close: closeAfter)
    deadline = EventLoop.clock + limits.writeTimeout
    if !pump() { unsafe parley_ws_kill(wsi) }
  }

  /// Writes what the socket takes; false when the connection is to be closed.
  private func pump() -> Bool {
    guard let output, let wsi = unsafe wsi else { return false }
    while !output.isDone {
      if unsafe lws_send_pipe_choked(wsi) != 0 {
        if unsafe lws_partial_buffered(wsi) != 0 {
          // The library has to finish its own piece, for which it must be reading.
          unsafe lws_rx_flow_control(wsi, 1)
          unsafe lws_callback_on_writable(wsi)
        } else {
          service.requestTick(in: .milliseconds(10))
        }
        return true
      }
      if unsafe !output.writePiece(service, wsi) { return false }
      deadline = EventLoop.clock + limits.writeTimeout
    }
    if unsafe lws_partial_buffered(wsi) != 0 {
      // The library holds the end of the last piece: closing now would cut the answer short.
      unsafe lws_rx_flow_control(wsi, 1)
      unsafe lws_callback_on_writable(wsi)
      return true
    }
    output.close()
    self.output = nil
    if closeAfter {
      phase = .closing
      discardInput()
      return false
    }
    phase = .headers
    deadline = EventLoop.clock + limits.idleTimeout
    unsafe lws_rx_flow_control(wsi, 1)
    if unsafe lws_http_transaction_completed(wsi) == 0 { return true }
    phase = .closing
    return false
  }

  /// Answers at once, from inside the library's callback, and closes.
  private func refuseAndClose(_ response: HTTPResponse) -> Int32 {
    guard let wsi = unsafe wsi else { return -1 }
    server.state.withLock { $0.counters.requests &+= 1 }
    let output = HTTPOutput(response, isHead: false, close: true)
    while unsafe !output.isDone && output.writePiece(service, wsi) {}
    phase = .closing
    discardInput()
    return -1
  }

  /// Reads and forgets what the client has sent so far: closing with unread bytes would reset the connection, and the
  /// client might never see the answer.
  private func discardInput() {
    var rounds = 0
    // The pointer and size are those of a local array.
    var trash = [UInt8](repeating: 0, count: 16_384)
    while rounds < 128, unsafe recv(descriptor, &trash, trash.count, Int32(0x40)) > 0 { rounds += 1 }  // MSG_DONTWAIT
  }

  private static let unknownMethod = HTTPResponse.refusal(
    "This method is not served here.", status: 501, code: "methodNotServed")

  // MARK: What the library cannot parse

  /// Has the library tell before it ends this connection.
  func watchEnd() {
    guard let wsi = unsafe wsi else { return }
    let quiet = parley_event_create()
    guard quiet >= 0 else { return }
    // On failure the library has closed the descriptor already.
    unsafe companion = parley_ws_adopt_companion(wsi, quiet, tag | WireService.companion)
  }

  /// The library ends this connection. When it does so in the middle of the headers and the client is there, it has met what it cannot parse,
  /// and says nothing of it.
  private func answerUnreadable() {
    unsafe companion = nil
    guard phase == .headers, request == nil, let wsi = unsafe wsi, unsafe parley_ws_is_open(wsi) != 0
    else { return }
    var byte: UInt8 = 0
    // One byte of a local variable.
    let there = unsafe recv(descriptor, &byte, 1, Int32(0x02 | 0x40))  // MSG_PEEK | MSG_DONTWAIT
    guard there > 0 || (there < 0 && errno == EAGAIN) else { return }
    _ = refuseAndClose(
      .refusal(
        "The request cannot be read. Expected are a method of HTTP, an address without zero bytes and broken %-pairs, and at most "
          + "\(limits.headerLimit) bytes of headers.", status: 400, code: "badRequest"))
  }

  // MARK: WebSocket

  /// Someone wants to open a WebSocket: ask.
  @unsafe private func confirmUpgrade(_ wsi: OpaquePointer, _ name: UnsafeMutableRawPointer?) -> Int32 {
    let (parsed, refusal) = unsafe read(wsi)
    guard let request = parsed else {
      return answerUpgrade(refusal ?? .refusal("Bad request.", status: 400, code: "badRequest"))
    }
    // Also what the library takes for a request line: an encoded line break ends it there.
    guard unsafe WireHeaders.value(wsi, WSI_TOKEN_HTTP) == Array("HTTP/1.1".utf8) else {
      return answerUpgrade(.refusal("A WebSocket is opened with HTTP/1.1.", status: 400, code: "badRequest"))
    }
    guard request.headers["upgrade"]?.lowercased() == "websocket", request.method == "GET" else {
      return answerUpgrade(.refusal("Only upgrades to a WebSocket are served here.", status: 400, code: "badRequest"))
    }
    guard unsafe WireHeaders.value(wsi, WSI_TOKEN_VERSION) == [0x31, 0x33],
      unsafe WireHeaders.value(wsi, WSI_TOKEN_KEY)?.count == 24
    else {
      var response = HTTPResponse.refusal(
        "WebSocket version 13 and a key are expected.", status: 426, code: "upgradeRequired")
      response.headers["Sec-WebSocket-Version"] = "13"
      return answerUpgrade(response)
    }
    if server.state.withLock({ $0.stopping }) {
      return answerUpgrade(.refusal("Shutting down.", status: 503, code: "shuttingDown"))
    }
    switch server.decide(request) {
    case .accept:
      self.request = request
      return 0
    case .reject(let response):
      return answerUpgrade(response)
    }
  }

  private func answerUpgrade(_ response: HTTPResponse) -> Int32 { refuseAndClose(response) }

  private func opened() -> Int32 {
    guard let request, let wsi = unsafe wsi else { return -1 }
    self.request = nil
    phase = .webSocket
    unsafe parley_ws_clear_timeout(wsi)
    // Only requests need it.
    if let companion = unsafe companion { unsafe parley_ws_abort(companion) }
    let service = service
    let connection = WebSocketConnection(
      request: request, inboundLimit: limits.webSocket.inboundQueue, outboundLimit: limits.webSocket.outboundQueue
    ) { [weak self] in
      service.post { [weak self] in
        guard let self, let wsi = unsafe self.wsi else { return }
        unsafe self.webSocket?.woken(wsi)
      }
    }
    webSocket = WebSocketWire(connection, limits: limits.webSocket, service: service, isClient: false)
    server.state.withLock { $0.webSockets[tag] = connection }
    let serve = server.serve
    webSocketTask = Task {
      await serve(connection)
      connection.close()
    }
    return 0
  }
}

private func setBuffer(_ descriptor: Int32, _ size: Int32) {
  var size = size
  // Four bytes of a local variable.
  _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, 4)
}
