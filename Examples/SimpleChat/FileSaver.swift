import BBMEnterprise
import Foundation

/// Saves the files of messages. Those that aren't on this endpoint yet are downloaded first.
@MainActor final class FileSaver {
  /// The monitors of savings that wait for their files; a message may be saved to several places.
  private var monitors: [UUID: ObservableMonitor] = [:]

  /// Copies the file of a message to a path; the callback gets nil, or in words why that failed.
  func save(_ message: BBMChatMessage, to path: String, callback: @escaping @MainActor (String?) -> Void) {
    guard let chatId = message.chatId else { return }
    let id = UUID()
    // One that is on its way already isn't asked for again.
    if message.file == nil, ChatModel.progress(of: message) == nil {
      ChatActions.download(message.messageId, in: chatId)
    }
    monitors[id] = ObservableMonitor(name: "save") { [weak self] () -> Bool in
      if let file = message.file {
        callback(Self.copy(file, to: path))
      } else if message.fileState == kBBMChatMessage_FileStateFailed {
        callback("The file could not be downloaded.")
      } else if message.bbmState == kBBMStateMissing {
        callback("The message is gone.")
      } else {
        return false
      }
      // The monitor is let go once its block is through.
      Task { self?.monitors[id] = nil }
      return true
    }
    monitors[id]?.activate()
  }

  private static func copy(_ file: String, to path: String) -> String? {
    do {
      if FileManager.default.fileExists(atPath: path) { return "There is a file \(path) already." }
      try FileManager.default.copyItem(atPath: file, toPath: path)
      return nil
    } catch {
      return "The file can't be saved as \(path): \(error.localizedDescription)"
    }
  }
}
