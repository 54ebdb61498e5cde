import Crypto
package import Messaging

extension Messenger {
  /// The most bytes of a file.
  package static let maximumFileSize = 128 << 20

  /// Encrypts and uploads a file, then queues the message. `fileProgress` reports its way.
  package func send(
    file path: String, name: String, contentType: String, _ content: MessageContent, to chat: ChatID, cookie: String
  ) async throws(MessengerError) -> Message {
    var content = content
    content.file = try await upload(path, name: name, contentType: contentType, chat, cookie: cookie)
    return try await send(content, to: chat, cookie: cookie)
  }

  private func upload(
    _ path: String, name: String, contentType: String, _ chat: ChatID, cookie: String
  ) async throws(MessengerError) -> AttachedFile {
    guard let key = try? SecretBytes.random(AttachmentCipher.keyLength) else { throw .failed }
    guard let file = try? SealedFileReader(path, key: key) else { throw .fileFailed }
    guard file.size <= Self.maximumFileSize else { throw .tooLarge }
    report(chat, cookie, isUpload: true, 0, of: file.size, .active)
    guard
      case .answer(.ticket(let ticket)) = try await perform(
        .request(.attachmentUpload(chatId: chat, bytes: file.sealedSize)))
    else { throw .failed }
    do {
      try await network.upload(file, ticket)
    } catch {
      report(chat, cookie, isUpload: true, 0, of: file.size, .failed)
      throw .fileFailed
    }
    report(chat, cookie, isUpload: true, file.size, of: file.size, .done)
    return AttachedFile(
      name: name, contentType: contentType, size: file.size, attachment: ticket.attachment,
      key: Base64URL.encode(key.bytes))
  }

  /// Downloads and decrypts the file of a message to `path`. Nothing of a file that was tampered with gets there.
  /// While a download to that path is running, this returns at once: that one's `fileProgress` reports for both.
  package func download(_ message: Message, to path: String) async throws(MessengerError) {
    guard let file = message.content.file, var key = Base64URL.decode(file.key) else { throw .notFound }
    guard file.size <= Self.maximumFileSize else { throw .tooLarge }
    guard downloads.insert(path).inserted else { return }
    defer { downloads.remove(path) }
    report(message.chat, message.cookie, isUpload: false, 0, of: file.size, .active)
    let secret = SecretBytes(wiping: &key)
    do throws(MessengerError) {
      try await fetch(file, secret, of: message, to: path)
      report(message.chat, message.cookie, isUpload: false, file.size, of: file.size, .done, path)
    } catch {
      report(message.chat, message.cookie, isUpload: false, 0, of: file.size, .failed)
      throw error
    }
  }

  private func fetch(
    _ file: AttachedFile, _ key: SecretBytes, of message: Message, to path: String
  ) async throws(MessengerError) {
    guard
      case .answer(.ticket(let ticket)) = try await perform(
        .request(.attachmentDownload(chatId: message.chat, attachment: file.attachment)))
    else { throw .failed }
    let (chat, cookie, events) = (message.chat, message.cookie, eventContinuation)
    do {
      let writer = try OpenedFileWriter(path, size: file.size, key: key)
      try await network.download(ticket) { bytes in
        guard writer.receive(bytes) else { return false }
        if let count = writer.progress() {
          let progress = FileProgress(
            chat: chat, cookie: cookie, isUpload: false, bytes: count, total: file.size, state: .active)
          events.yield(.fileProgress(progress))
        }
        return true
      }
      try writer.finish()
    } catch {
      throw .fileFailed
    }
  }

  private func report(
    _ chat: ChatID, _ cookie: String, isUpload: Bool, _ bytes: Int, of total: Int, _ state: FileProgress.State,
    _ path: String? = nil
  ) {
    let progress = FileProgress(
      chat: chat, cookie: cookie, isUpload: isUpload, bytes: bytes, total: total, state: state, path: path)
    eventContinuation.yield(.fileProgress(progress))
  }
}
