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
    guard let file = try? StoredFile.read(path) else { throw .fileFailed }
    guard file.count <= Self.maximumFileSize else { throw .tooLarge }
    let key: SecretBytes
    let sealed: [UInt8]
    do throws(CryptoError) {
      key = try .random(AttachmentCipher.keyLength)
      sealed = try AttachmentCipher.seal(file, key: key)
    } catch {
      throw .failed
    }
    report(chat, cookie, isUpload: true, 0, of: file.count, .active)
    guard
      case .answer(.ticket(let ticket)) = try await perform(
        .request(.attachmentUpload(chatId: chat, bytes: sealed.count)))
    else { throw .failed }
    do {
      try await network.upload(sealed, ticket)
    } catch {
      report(chat, cookie, isUpload: true, 0, of: file.count, .failed)
      throw .fileFailed
    }
    report(chat, cookie, isUpload: true, file.count, of: file.count, .done)
    return AttachedFile(
      name: name, contentType: contentType, size: file.count, attachment: ticket.attachment,
      key: Base64URL.encode(key.bytes))
  }

  /// Downloads and decrypts the file of a message to `path`. Nothing of a file that was tampered with gets there.
  package func download(_ message: Message, to path: String) async throws(MessengerError) {
    guard let file = message.content.file, var key = Base64URL.decode(file.key) else { throw .notFound }
    guard file.size <= Self.maximumFileSize else { throw .tooLarge }
    report(message.chat, message.cookie, isUpload: false, 0, of: file.size, .active)
    let secret = SecretBytes(wiping: &key)
    do throws(MessengerError) {
      let opened = try await fetch(file, secret, in: message.chat)
      guard (try? StoredFile.replace(path, with: opened)) != nil else { throw MessengerError.fileFailed }
      report(message.chat, message.cookie, isUpload: false, opened.count, of: file.size, .done, path)
    } catch {
      report(message.chat, message.cookie, isUpload: false, 0, of: file.size, .failed)
      throw error
    }
  }

  private func fetch(
    _ file: AttachedFile, _ key: SecretBytes, in chat: ChatID
  ) async throws(MessengerError) -> [UInt8] {
    guard
      case .answer(.ticket(let ticket)) = try await perform(
        .request(.attachmentDownload(chatId: chat, attachment: file.attachment)))
    else { throw .failed }
    guard let sealed = try? await network.download(ticket), let opened = try? AttachmentCipher.open(sealed, key: key),
      opened.count == file.size
    else { throw .fileFailed }
    return opened
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
