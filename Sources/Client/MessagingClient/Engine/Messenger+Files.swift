package import Messaging

extension Messenger {
  /// Encrypts and uploads a file, then queues the message. `fileProgress` reports its way.
  package func send(
    file path: String, name: String, contentType: String, _ content: MessageContent, to chat: ChatID, cookie: String
  ) async throws(MessengerError) -> Message { throw .notReady }

  /// Downloads and decrypts the file of a message to `path`. Nothing of a file that was tampered with stays there.
  package func download(_ message: Message, to path: String) async throws(MessengerError) { throw .notReady }
}
