import Synchronization
import Signaling

/// A client's WebSocket, as sessions and rooms need it.
protocol SignalingSocket: Sendable {
  /// The next frame; nil when the socket is gone. One reader.
  func next() async -> SignalingFrame?
  /// Queues a text frame; never blocks. Frames arrive in the order of the calls. Does nothing once the socket is
  /// closed.
  func send(_ text: String)
  /// Says that the socket stands for a participant: it gives way to no other where too many are open.
  func prove()
  /// Closes after what was queued has been sent. `code` is that of RFC 6455 section 7.4.
  func close(code: UInt16, reason: String)
}

extension SignalingSocket {
  func prove() {}
}

/// A frame of a client.
enum SignalingFrame: Sendable {
  /// A text frame's bytes.
  case text([UInt8])
  /// A binary frame, which the protocol does not know.
  case binary
}

/// One socket that stands for a participant, told apart from the sockets before and after it.
struct SignalingChannel: Sendable {
  private static let counter = Atomic<UInt64>(0)

  let id: UInt64
  private let socket: any SignalingSocket

  init(socket: any SignalingSocket) {
    id = Self.counter.add(1, ordering: .relaxed).newValue
    self.socket = socket
  }

  /// Sends a message that only this client gets.
  func send(_ message: ServerMessage) {
    guard let text = try? SignalingEncoder().encode(message) else { return }
    socket.send(text)
  }

  /// Sends the message that somebody is in, or waits. By then they have their session, or their place in the lobby.
  func admit(with message: ServerMessage) {
    socket.prove()
    send(message)
  }

  /// Sends a message that was encoded for many.
  func send(text: String) { socket.send(text) }

  /// Says why with a fatal `error`, and closes.
  func fail(_ refusal: SignalingRefusal, id: Int? = nil) {
    send(.error(code: refusal.code, message: refusal.message, fatal: true, id: id))
    socket.close(code: 1008, reason: refusal.code.rawValue)
  }

  /// Refuses one message without ending anything.
  func refuse(_ refusal: SignalingRefusal, id: Int? = nil) {
    send(.error(code: refusal.code, message: refusal.message, fatal: false, id: id))
  }

  /// Acknowledges a request by its number, or refuses when its audit entry isn't on the disk.
  func answer(_ id: Int, isWritten: Bool) {
    if isWritten { return send(.room(.done(id: id))) }
    refuse(
      .init(.internalError, "It is done, but the server cannot write down just now who did it."), id: id)
  }

  /// Says that the meeting is over for this client, and closes.
  func end(_ reason: EndReason, _ message: String) {
    send(.ended(reason: reason, message: message))
    socket.close(code: reason == .shutdown ? 1001 : 1000, reason: reason.rawValue)
  }

  /// Closes after a `leave`.
  func close() { socket.close(code: 1000, reason: "left") }
}
