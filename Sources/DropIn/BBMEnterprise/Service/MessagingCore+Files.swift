import Crypto
import Foundation
import Messaging
import MessagingClient

// Files and previews of messages, and what the app has set on this endpoint alone.

extension MessagingCore {
  private func file(_ name: String) -> URL? {
    guard let folder = folder?.appendingPathComponent("files") else { return nil }
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder.appendingPathComponent(name)
  }

  func download(_ message: Message) {
    guard let path = file(Self.name(message))?.path else { return }
    ask { [weak self] messenger in
      do throws(MessengerError) { try await messenger.download(message, to: path) } catch {
        self?.report("The file of a message did not come: \(error)")
      }
    }
  }

  /// A name of a file that nobody else chooses.
  private static func name(_ message: Message) -> String {
    let number = message.number.map { "\($0.value)" } ?? "queued"
    let suffix = (message.content.file?.name as NSString?)?.pathExtension ?? ""
    let isPlain = suffix.count <= 8 && suffix.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return "\(message.chat.text)-\(number)" + (isPlain && !suffix.isEmpty ? ".\(suffix)" : "")
  }

  func take(_ progress: FileProgress) {
    guard var mirror = chats[progress.chat], let message = mirror.message(cookie: progress.cookie),
      let id = message.number?.value
    else { return }
    let key: [String: Any] = ["chatId": progress.chat.text, "messageId": "\(id)"]
    switch progress.state {
    case .active:
      let amounts = ["bytes": "\(progress.bytes)", "total": "\(progress.total)"]
      give("listAdd", "chatMessageFileProgress", [key.merging(amounts) { $1 }])
    case .done, .failed, .cancelled:
      give("listRemove", "chatMessageFileProgress", [key])
      if !progress.isUpload { failedDownloads[progress.cookie] = progress.state == .failed ? message : nil }
      if let path = progress.path {
        // It may have been detached while it came.
        guard mirror.local.detachedFiles?.contains(progress.cookie) != true else { return removeOwnFile(path) }
        mirror.local.files[progress.cookie] = path
      }
      chats[progress.chat] = mirror
      writeLocal(progress.chat, mirror.local)
      giveMessages(progress.chat, around: message)
      if progress.state != .done, !progress.isUpload {
        give("listChange", "chatMessage", [key.merging(["fileState": "Failed"]) { $1 }])
      }
    }
  }

  /// Writes the preview of a message to a file, as apps expect it.
  func keepThumb(_ message: Message, _ mirror: inout ChatMirror) {
    guard let thumb = message.content.thumbnail, mirror.local.thumbs[message.cookie] == nil, message.number != nil,
      mirror.local.detachedThumbs?.contains(message.cookie) != true,
      let bytes = Base64URL.decode(thumb), let path = file(Self.name(message) + "-thumb")
    else { return }
    guard FileManager.default.createFile(atPath: path.path, contents: Data(bytes)) else { return }
    mirror.local.thumbs[message.cookie] = path.path
  }

  // MARK: detaching

  /// Removes a message's file or preview from this endpoint. It stays so over restarts; a file comes again when the app
  /// asks for it.
  func detach(_ fields: Fields) {
    guard var mirror = chats[fields.chat], let message = mirror.message(fields.number.value) else { return }
    let cookie = message.cookie
    if FieldValue.bool(fields.values["detachFile"]) == true {
      if let path = mirror.local.files.removeValue(forKey: cookie) { removeOwnFile(path) }
      mirror.local.detachedFiles = (mirror.local.detachedFiles ?? []).union([cookie])
      failedDownloads[cookie] = nil
    }
    if FieldValue.bool(fields.values["detachThumb"]) == true {
      if let path = mirror.local.thumbs.removeValue(forKey: cookie) { removeOwnFile(path) }
      mirror.local.detachedThumbs = (mirror.local.detachedThumbs ?? []).union([cookie])
    }
    chats[fields.chat] = mirror
    writeLocal(fields.chat, mirror.local)
    giveMessages(fields.chat, around: message)
  }

  /// Downloads a file because the app asks for it, also one that it has detached.
  func attach(_ message: Message) {
    chats[message.chat]?.local.detachedFiles?.remove(message.cookie)
    download(message)
  }

  /// Tries downloads again that have failed.
  func retryDownloads() {
    let failed = failedDownloads.values.sorted { ($0.chat.text, $0.cookie) < ($1.chat.text, $1.cookie) }
    failedDownloads = [:]
    for message in failed where chats[message.chat] != nil { download(message) }
  }

  /// Removes a file that this module has made, not one that the app has sent.
  private func removeOwnFile(_ path: String) {
    guard let folder = folder?.appendingPathComponent("files").path, path.hasPrefix(folder + "/") else { return }
    try? FileManager.default.removeItem(atPath: path)
  }

  // MARK: what the app has set on this endpoint

  func readLocal(_ id: ChatID) -> ChatMirror.LocalFields? {
    guard let path = file(id.text + ".json"), let data = try? Data(contentsOf: path) else { return nil }
    return try? JSONDecoder().decode(ChatMirror.LocalFields.self, from: data)
  }

  func writeLocal(_ id: ChatID, _ fields: ChatMirror.LocalFields?) {
    guard let path = file(id.text + ".json") else { return }
    guard let fields, let data = try? JSONEncoder().encode(fields) else {
      try? FileManager.default.removeItem(at: path)
      return
    }
    try? data.write(to: path, options: .atomic)
  }
}
