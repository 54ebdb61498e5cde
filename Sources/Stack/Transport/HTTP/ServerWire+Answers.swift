import Basics
import CLinux
import CWebSockets
import Glibc

/// The sending side: answers of the handler, and refusals of unhandled requests.
extension ServerWire {
  func respond(_ response: HTTPResponse, to serial: UInt64, isHead: Bool) {
    guard !isGone, phase == .handling, serial == self.serial, let wsi = unsafe wsi else { return }
    task = nil
    phase = .responding
    advance(.transferring)
    // The library would parse a request that was sent together with this one from its own buffer, and take the head of
    // a POST for its body. The client is asked to send it again on a new connection (RFC 9112 section 9.3.2).
    if unsafe parley_ws_has_leftover(wsi) != 0 { closeAfter = true }
    output = HTTPOutput(response, isHead: isHead, close: closeAfter)
    deadline = MonotonicClock.now + limits.writeTimeout
    if !pump() { unsafe parley_ws_kill(wsi) }
  }

  /// Writes until the socket is full; false when the connection is to be closed.
  ///
  /// Reading stays off until the whole answer has left. A client may send its next request as soon as it has the
  /// answer, and the library would take the head of that request for more of the body before it.
  func pump() -> Bool {
    guard let output, let wsi = unsafe wsi else { return false }
    while true {
      if unsafe lws_partial_buffered(wsi) != 0 {
        if unsafe parley_ws_flush(wsi) < 0 { return false }
        // Closing now, or going on to read, would cut the answer short.
        if unsafe lws_partial_buffered(wsi) != 0 { return wait(for: .milliseconds(1)) }
      }
      if output.isDone { break }
      if unsafe lws_send_pipe_choked(wsi) != 0 { return wait(for: .milliseconds(10)) }
      if unsafe !output.writePiece(service, wsi) { return false }
      deadline = MonotonicClock.now + limits.writeTimeout
    }
    output.close()
    self.output = nil
    if closeAfter {
      phase = .closing
      discardInput()
      return false
    }
    phase = .headers
    deadline = MonotonicClock.now + limits.idleTimeout
    return nextRequest()
  }

  /// Has ``pump()`` called again; true.
  private func wait(for span: TimeSpan) -> Bool {
    service.requestTick(in: span)
    return true
  }

  /// Answers at once, from inside the library's callback, and closes.
  func refuseAndClose(_ response: HTTPResponse) -> Int32 {
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
  func discardInput() { Self.discardInput(of: descriptor) }

  static func discardInput(of descriptor: Int32) {
    var rounds = 0
    // The pointer and size are those of a local array.
    var trash = [UInt8](repeating: 0, count: 16_384)
    while rounds < 128, unsafe recv(descriptor, &trash, trash.count, Int32(0x40)) > 0 { rounds += 1 }  // MSG_DONTWAIT
  }

  /// The answer for a client whose time is over in the middle of a request (RFC 9110 section 15.5.9); nil if it hasn't
  /// begun one that could be answered.
  func lateness() -> HTTPResponse? {
    let sentence: String
    switch phase {
    case .headers:
      guard Self.methods.contains(where: { $0.0 == head.method }) else { return nil }
      sentence =
        "The headers did not end within \(limits.headerTimeout.milliseconds / 1_000) s. Each is a line with a colon, and an empty line ends them."
    case .body where upload == nil:
      sentence = "The body did not come whole within \(limits.bodyTimeout.milliseconds / 1_000) s."
    case .body:
      sentence =
        "The body came too slowly: for \(limits.bodyTimeout.milliseconds / 1_000) s less than \(limits.uploadRate >> 10) KiB a second. Send it again over a faster connection."
    default: return nil
    }
    return .refusal(sentence, status: 408, code: "requestTimeout")
  }

  static let unknownMethod = HTTPResponse.refusal(
    "This method is not served here.", status: 501, code: "methodNotServed")

  // MARK: Input that the library can't parse

  /// Makes the library report the end of this connection before it comes.
  func watchEnd() {
    guard let wsi = unsafe wsi else { return }
    let second = dup(descriptor)
    service.isNew(second)
    // On failure the library has closed the descriptor already.
    if second >= 0 { unsafe companion = parley_ws_adopt_companion(wsi, second, tag | WireService.companion) }
    // Without it nothing could be read.
    guard let companion = unsafe companion else { return unsafe parley_ws_abort(wsi) }
    unsafe lws_rx_flow_control(companion, 0)
    if !isTLS { return awaitHead() }
    guard unsafe parley_ws_watch_handshake(wsi) == 0 else { return unsafe parley_ws_abort(wsi) }
    // On a busy machine the client has answered before the library's first call of OpenSSL has returned.
    if unsafe parley_ws_is_open(wsi) != 0 { handshakeEnded() }
  }

  /// The library ends this connection. When it does so in the middle of the headers and the client is there, it has met
  /// what it cannot parse, and says nothing of it.
  func answerUnreadable() {
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
}
