import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// Does what a person would do in the chats, and reports what happens there.
final class ChatVisitor: Visitor {
  static let usage = [
    #"{"command":"newChat","users":[NAME, …],"subject":TEXT}, {"command":"open"}, {"command":"leave"}"#,
    #"{"command":"send","text":TEXT}, {"command":"sendFile","path":PATH}, {"command":"typing"}, {"command":"read"}"#,
    #"{"command":"recall","messageId":N}, {"command":"delete","messageId":N}"#,
    #"{"command":"saveFile","messageId":N,"path":PATH}; "chatId":ID names a chat other than the latest"#,
  ]

  private let chats: ChatListViewController
  private let recorder: ChatRecorder
  private let saver = FileSaver()

  init(_ options: AppOptions, _ screen: any AccountScreen, _ session: AppSession, _ chats: ChatListViewController) {
    self.chats = chats
    recorder = ChatRecorder(session.names)
    super.init(options, screen)
  }

  override func setupSucceeded() { recorder.begin() }

  override func perform(_ command: String, _ fields: JSONFields) -> Bool {
    if command == "newChat" {
      chats.startChat(with: fields.texts("users"), subject: fields.text("subject") ?? "")
      return true
    }
    let chatId = fields.text("chatId") ?? ChatModel.chats.first?.chatId ?? ""
    let messageId = fields.count("messageId") ?? 0
    switch command {
    case "open": chats.open(chatId)
    case "send": ChatActions.send(fields.text("text") ?? "", to: chatId)
    case "sendFile": ChatActions.sendFile(fields.text("path") ?? "", to: chatId)
    case "saveFile": save(messageId, chatId, fields.text("path") ?? "")
    case "recall": ChatActions.recall(messageId, in: chatId)
    case "delete": ChatActions.delete(messageId, in: chatId)
    case "read": if let chat = BBMAccess.getChat(forId: chatId) { ChatActions.read(chat) }
    case "typing": ChatActions.typing(in: chatId)
    case "leave": ChatActions.leave(chatId)
    default: return false
    }
    return true
  }

  private func save(_ messageId: UInt64, _ chatId: String, _ path: String) {
    guard let message = ChatModel.message(messageId, in: chatId) else { return }
    saver.save(message, to: path) { problem in
      Journal.report(
        "file",
        [
          "chatId": chatId, "messageId": messageId, "state": problem == nil ? "Saved" : "NotSaved", "path": path,
          "problem": problem ?? "",
        ])
    }
  }
}
