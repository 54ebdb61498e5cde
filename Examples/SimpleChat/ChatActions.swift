import BBMEnterprise
import Foundation

/// The user's actions in a chat, as messages to the service.
@MainActor enum ChatActions {
  private static func send(_ message: BBMJSONMessage) { BBMEnterpriseService.shared().sendMessage(toService: message) }

  static func send(_ text: String, to chatId: String) {
    let message: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: chatId, tag: "Text")
    message.content = text
    send(message)
  }

  /// Sends a copy of the file, with its name as the text of the message.
  static func sendFile(_ path: String, to chatId: String) {
    let name = URL(fileURLWithPath: path).lastPathComponent
    let message: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: chatId, tag: "File")
    message.content = name
    message.data = ["File": ["contentType": "application/octet-stream", "suggestedFilename": name]]
    message.file = path
    message.filePolicy = kBBMChatMessageSendMessage_FilePolicyCopy
    send(message)
  }

  /// Takes a message back, on everybody's endpoints.
  static func recall(_ messageId: UInt64, in chatId: String) {
    let message: BBMChatMessageDestroyMessage = BBMChatMessageDestroyMessage(chatId: chatId)
    message.messageId = NSNumber(value: messageId)
    send(message)
  }

  /// Deletes a message on the user's own endpoints.
  static func delete(_ messageId: UInt64, in chatId: String) {
    send(BBMChatMessageDeleteMessage(chatId: chatId, messageId: messageId))
  }

  /// Marks everything in a chat as read.
  static func read(_ chat: BBMChat) {
    guard chat.numUnread > 0, let chatId = chat.chatId else { return }
    send(BBMChatMessageReadMessage(chatId: chatId, messageId: chat.lastMessage))
  }

  static func typing(in chatId: String) { send(BBMChatTypingMessage(chatId: chatId)) }

  static func leave(_ chatId: String) { send(BBMChatLeaveMessage(chatIds: [chatId])) }

  static func download(_ messageId: UInt64, in chatId: String) {
    send(BBMChatMessageFileDownloadMessage(chatId: chatId, messageId: messageId))
  }
}
