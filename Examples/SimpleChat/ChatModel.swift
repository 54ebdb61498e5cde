// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverForceUnwrap

import BBMEnterprise
import BBMSupport
import Foundation

/// Reads chats and messages from the data model. A monitor depends on everything that it reads here.
@MainActor enum ChatModel {
  /// The messages that a screen shows at most.
  static let mostMessages: UInt64 = 500

  private static var model: BBMDSGeneratedModel { BBMEnterpriseService.shared().model()! }

  /// The chats that are to be shown, the one with the latest activity first.
  static var chats: [BBMChat] {
    let all = model.chat.observableArray as? [BBMChat] ?? []
    return all.filter { !$0.isHiddenFlagSet && $0.state != kBBMChat_StateDefunct }
      .sorted { ($0.lastActivity, $0.chatId ?? "") > ($1.lastActivity, $1.chatId ?? "") }
  }

  static var isPending: Bool { model.chat.bbmState == kBBMStatePending }

  /// The newest messages of a chat, from the oldest to the newest; pending ones too.
  static func messages(of chat: BBMChat) -> [BBMChatMessage] {
    let last = chat.lastMessage
    let count = min(chat.numMessages, mostMessages)
    guard count > 0, count <= last, let chatId = chat.chatId else { return [] }
    return (last - count + 1...last).compactMap { message($0, in: chatId) }
  }

  static func message(_ messageId: UInt64, in chatId: String) -> BBMChatMessage? {
    model.chatMessage[BBMChatMessageKey(chatId: chatId, messageId: messageId)] as? BBMChatMessage
  }

  /// The progress of a message's file while it is transferred.
  static func progress(of message: BBMChatMessage) -> BBMChatMessageFileProgress? {
    let key = BBMChatMessageKey(chatId: message.chatId, messageId: message.messageId)
    let progress = model.chatMessageFileProgress[key] as? BBMChatMessageFileProgress
    return progress?.bbmState == kBBMStateCurrent ? progress : nil
  }

  static func participants(of chat: BBMChat) -> [BBMChatParticipant] {
    BBMAccess.participants(for: chat).observableArray as? [BBMChatParticipant] ?? []
  }

  /// Those who type in a chat now.
  static func typing(in chat: BBMChat) -> [BBMUser] {
    let all = model.typing.observableArray as? [BBMTyping] ?? []
    return all.filter { $0.chatId == chat.chatId && $0.userUri != model.globalLocalUri }
      .compactMap { $0.resolvedUserUri }
  }

  /// The subject, or else the names of the others.
  static func title(of chat: BBMChat, _ names: UserNames) -> String {
    if let subject = chat.subject, !subject.isEmpty { return subject }
    let others = participants(of: chat).map { names.name(of: $0.resolvedUserUri) ?? "…" }
    return others.isEmpty ? "Nobody else" : others.sorted().joined(separator: ", ")
  }

  /// A message in one line of text.
  static func text(of message: BBMChatMessage) -> String {
    if message.recall == kBBMChatMessage_RecallRecalled { return "This message was recalled." }
    switch message.tag ?? "" {
    case "Text": return message.content ?? ""
    case "File": return "File: \(fileName(of: message))"
    case "Join": return "joined the chat"
    case "Leave": return "left the chat"
    case "Subject": return "changed the subject: \(message.content ?? "")"
    default: return message.content ?? "(\(message.tag ?? ""))"
    }
  }

  static func fileName(of message: BBMChatMessage) -> String {
    let data = message.data?["File"] as? [String: Any]
    let name = data?["suggestedFilename"] as? String ?? message.content ?? ""
    // Only the last part: it comes from somebody else, and names a file here, and no hidden one.
    let last = URL(fileURLWithPath: name).lastPathComponent.drop { $0 == "." }
    return last.isEmpty || last == "/" ? "File" : String(last)
  }

  /// The mark next to a message of the user's own.
  static func mark(_ message: BBMChatMessage) -> String {
    switch message.state {
    case kBBMChatMessage_StateSending: "Sending…"
    case kBBMChatMessage_StateSent: "Sent"
    case kBBMChatMessage_StateDelivered: message.stateIsPartial ? "Delivered to some" : "Delivered"
    case kBBMChatMessage_StateRead: message.stateIsPartial ? "Read by some" : "Read"
    case kBBMChatMessage_StateFailed: "Not sent"
    default: ""
    }
  }
}
