import Basics
import CWebSockets

/// The framing side of a ``WebSocketConnection``: on the service thread only.
final class WebSocketWire {
  let connection: WebSocketConnection
  private let limits: WebSocketLimits
  private let isClient: Bool
  private let service: WireService
  private var assembly: [UInt8] = []
  /// Room for a message that is kept for the next one. The first, with an offer in it, is long and the only long one of
  /// most connections.
  private static let keptCapacity = 512
  private var lastHeard: Instant
  private var lastPing: Instant
  private var pingSent: Instant?
  private var pingDue = false
  private var heldBack = false
  private var masks: MaskCheck?
  private var closeDeadline: Instant?
  private var peerClosing: WebSocketConnection.Closing?
  private var ownClosing: WebSocketConnection.Closing?

  init(
    _ connection: WebSocketConnection, limits: WebSocketLimits, service: WireService, isClient: Bool,
    masks: MaskCheck? = nil
  ) {
    self.masks = masks
    self.connection = connection
    self.isClient = isClient
    self.limits = limits
    self.service = service
    lastHeard = MonotonicClock.now
    lastPing = lastHeard
  }

  /// A piece of a message.
  func received(_ wsi: OpaquePointer, _ piece: UnsafeRawBufferPointer) -> Int32 {
    lastHeard = MonotonicClock.now
    pingSent = nil
    if ownClosing != nil { return 0 }
    if unsafe lws_is_first_fragment(wsi) != 0 {
      assembly.removeAll(keepingCapacity: assembly.capacity <= Self.keptCapacity)
    }
    let announced = unsafe lws_remaining_packet_payload(wsi)
    if masks?.take(piece: piece.count, remaining: Int(clamping: announced)) == false {
      return unsafe refuse(wsi, 1_002, "a client has to mask its frames")
    }
    guard announced <= limits.maxMessageSize,
      assembly.count + piece.count
        <= limits.maxMessageSize - Int(announced)
    else {
      return unsafe refuse(wsi, 1_009, "message larger than \(limits.maxMessageSize) bytes")
    }
    unsafe assembly.append(contentsOf: piece)
    guard unsafe lws_is_final_fragment(wsi) != 0 else { return 0 }
    let message: WebSocketConnection.Message
    if unsafe lws_frame_is_binary(wsi) != 0 {
      message = .binary(assembly)
    } else {
      guard let text = String(validating: assembly, as: UTF8.self) else {
        return unsafe refuse(wsi, 1_007, "text is not UTF-8")
      }
      message = .text(text)
    }
    assembly.removeAll(keepingCapacity: assembly.capacity <= Self.keptCapacity)
    if !connection.deliver(message) && !heldBack {
      heldBack = true
      unsafe lws_rx_flow_control(wsi, 0)
    }
    return 0
  }

  /// A pong: the peer lives.
  func pong() {
    lastHeard = MonotonicClock.now
    pingSent = nil
  }

  /// The peer's close frame.
  func peerCloses(_ payload: UnsafeRawBufferPointer) {
    guard peerClosing == nil, ownClosing == nil else { return }
    if payload.count >= 2 {
      let code = unsafe UInt16(payload[0]) << 8 | UInt16(payload[1])
      let reason = unsafe String(decoding: payload[2...], as: UTF8.self)
      peerClosing = WebSocketConnection.Closing(code: code, reason: reason, byPeer: true)
    } else {
      peerClosing = WebSocketConnection.Closing(code: 1_005, reason: "", byPeer: true)
    }
  }

  /// The user did something: there is something to write, to close, or room to read again.
  func woken(_ wsi: OpaquePointer) {
    let (paused, closing, overflowed) = connection.state.withLock { state in
      state.scheduled = false
      return (state.paused, state.closing, state.overflowed)
    }
    if heldBack && !paused {
      heldBack = false
      lastHeard = MonotonicClock.now
      pingSent = nil
      unsafe lws_rx_flow_control(wsi, 1)
    }
    if overflowed {
      ownClosing = closing
      unsafe parley_ws_abort(wsi)
      return
    }
    if closing != nil && closeDeadline == nil { closeDeadline = MonotonicClock.now + .seconds(5) }
    unsafe lws_callback_on_writable(wsi)
  }

  /// The socket takes more: a ping first, then one message a time.
  func writable(_ wsi: OpaquePointer) -> Int32 {
    if pingDue {
      pingDue = false
      // Four bytes: libwebsockets reports no pong that is empty.
      if unsafe !service.write(wsi, kind: PARLEY_WS_PING, whole: [0x70, 0x61, 0x72, 0x6C]) { return -1 }
      pingSent = MonotonicClock.now
      unsafe lws_callback_on_writable(wsi)
      return 0
    }
    if unsafe lws_partial_buffered(wsi) != 0 { return 0 }
    let (next, more, closing) = connection.state.withLock { state in
      let next = state.outbound.isEmpty ? nil : state.outbound.removeFirst()
      if let next { state.outboundBytes -= next.size }
      return (next, !state.outbound.isEmpty, state.closing)
    }
    if let next {
      let written =
        switch next {
        case .text(let text): unsafe service.write(wsi, kind: PARLEY_WS_TEXT, whole: Array(text.utf8))
        case .binary(let bytes): unsafe service.write(wsi, kind: PARLEY_WS_BINARY, whole: bytes)
        }
      if !written { return -1 }
      if more || closing != nil { unsafe lws_callback_on_writable(wsi) }
      return 0
    }
    if let closing, ownClosing == nil { return unsafe fail(wsi, closing.code, closing.reason) }
    return 0
  }

  /// Checks the peer's life and the time allowed for closing.
  func tick(_ wsi: OpaquePointer, now: Instant) {
    if let closeDeadline, now >= closeDeadline {
      unsafe parley_ws_abort(wsi)
      return
    }
    // While the reader holds the sender back, its pongs are not read either: no verdict then.
    if heldBack { return }
    if let pingSent, now - pingSent >= limits.pongTimeout {
      ownClosing = WebSocketConnection.Closing(code: 1_006, reason: "no answer to a ping", byPeer: false)
      unsafe parley_ws_abort(wsi)
      return
    }
    if pingSent == nil, !pingDue, now - lastPing >= limits.pingInterval {
      lastPing = now
      pingDue = true
      unsafe lws_callback_on_writable(wsi)
    } else if pingDue, now - lastPing >= limits.pongTimeout + limits.pingInterval {
      // The socket has not taken even the ping: nothing is read at the other end.
      ownClosing = WebSocketConnection.Closing(code: 1_006, reason: "the socket takes nothing", byPeer: false)
      unsafe parley_ws_abort(wsi)
    }
  }

  /// The connection is gone.
  func closed() {
    let lost = WebSocketConnection.Closing(code: 1_006, reason: "connection lost", byPeer: true)
    connection.finish(peerClosing ?? ownClosing ?? lost)
  }

  /// Ends the connection for what was received; the value to return from the callback.
  ///
  /// A server closes with the handshake. At a client the library goes on filling its buffer of one piece after a
  /// callback that failed, past the buffer's end: there the connection is broken off, and what still comes is taken and
  /// dropped until it is gone.
  private func refuse(_ wsi: OpaquePointer, _ code: UInt16, _ reason: String) -> Int32 {
    guard isClient else { return unsafe fail(wsi, code, reason) }
    ownClosing = WebSocketConnection.Closing(code: code, reason: reason, byPeer: false)
    assembly = []
    unsafe parley_ws_abort(wsi)
    return 0
  }

  /// Starts the closing handshake; the value to return from a callback.
  private func fail(_ wsi: OpaquePointer, _ code: UInt16, _ reason: String) -> Int32 {
    ownClosing = WebSocketConnection.Closing(code: code, reason: reason, byPeer: false)
    var bytes = Array(reason.utf8.prefix(123))
    // A cut character at the end would make the reason invalid.
    while !bytes.isEmpty && String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
    unsafe bytes.withUnsafeMutableBufferPointer { b in
      unsafe parley_ws_close_reason(wsi, Int32(code), b.baseAddress, b.count)
    }
    return -1
  }
}
