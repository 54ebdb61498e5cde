import Messaging
import Synchronization

/// An endpoint's socket, told apart from the sockets before and after it.
struct MessagingChannel: Sendable {
  private static let counter = Atomic<UInt64>(0)

  let id: UInt64
  private let socket: any SignalingSocket

  init(socket: any SignalingSocket) {
    id = Self.counter.add(1, ordering: .relaxed).newValue
    self.socket = socket
  }

  func send(_ message: ServiceMessage) {
    guard let text = try? MessagingCoder().encode(message) else { return }
    socket.send(text)
  }

  /// Sends a message that was encoded for several.
  func send(text: String) { socket.send(text) }

  /// Says that the socket stands for an endpoint: it gives way to no other where too many are open.
  func prove() { socket.prove() }

  /// Refuses to go on, and closes.
  func refuse(_ failure: MessagingFailure) {
    send(.refused(failure))
    socket.close(code: 1008, reason: failure.code.rawValue)
  }

  func close(_ reason: String) { socket.close(code: 1000, reason: reason) }

  /// Says that another endpoint, or a forgotten passcode, has ended this one, and closes.
  func deregister() {
    send(.endpointDeregistered)
    close("endpointDeregistered")
  }
}
