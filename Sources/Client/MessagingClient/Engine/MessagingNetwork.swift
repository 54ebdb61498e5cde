package import Messaging

/// The service as an endpoint reaches it. A role, so that tests put a service of their own in its place.
package protocol MessagingNetwork: Sendable {
  func connect() async throws -> any MessagingConnection
  /// Puts an attachment where its ticket says.
  func upload(_ file: SealedFileReader, _ ticket: AttachmentTicket) async throws
  /// Gets an attachment piece by piece; `receive` returns false to end that.
  func download(_ ticket: AttachmentTicket, receive: @escaping @Sendable ([UInt8]) -> Bool) async throws
}

/// A WebSocket from its opening to its end.
package protocol MessagingConnection: Sendable {
  /// Queues a text frame; false when the socket is gone.
  func send(_ text: String) -> Bool
  /// The next text frame; nil when the socket is closed.
  func receive() async -> [UInt8]?
  func close()
}
