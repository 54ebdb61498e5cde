import Transport

/// A WebSocket of `Transport` as sessions see it.
struct WebSocketAdapter: SignalingSocket {
  let connection: WebSocketConnection

  func next() async -> SignalingFrame? {
    switch await connection.receive() {
    case .text(let text): .text(Array(text.utf8))
    case .binary: .binary
    case nil: nil
    }
  }

  func send(_ text: String) { connection.send(text: text) }

  func prove() { connection.prove() }

  func close(code: UInt16, reason: String) { connection.close(code: code, reason: reason) }
}
