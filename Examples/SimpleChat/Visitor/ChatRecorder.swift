import BBMEnterprise
import BBMSupport
import Foundation

/// Reports every change of the chats and their messages.
@MainActor final class ChatRecorder {
  private let names: UserNames
  private var monitor: ObservableMonitor?
  /// The last report of each event, by event and key.
  private var reported: [String: String] = [:]

  init(_ names: UserNames) { self.names = names }

  func begin() {
    if monitor == nil {
      monitor = ObservableMonitor(activatedWithName: "recorder") { [weak self] () -> Void in self?.look() }
    }
  }

  private func look() {
    for chat in ChatModel.chats {
      report(chat)
      for message in ChatModel.messages(of: chat) { report(message) }
      for user in ChatModel.typing(in: chat) {
        if let name = names.name(of: user) { note("typing", "\(chat.chatId ?? "")", ["user": name]) }
      }
      if ChatModel.typing(in: chat).isEmpty { reported["typing|\(chat.chatId ?? "")"] = nil }
    }
  }

  private func report(_ chat: BBMChat) {
    let people = ChatModel.participants(of: chat).map { names.name(of: $0.resolvedUserUri) }
    guard !people.contains(nil) else { return }
    note(
      "chat", chat.chatId ?? "",
      [
        "chatId": chat.chatId ?? "", "subject": chat.subject ?? "", "state": Self.name(chat.state),
        "users": people.compactMap(\.self).sorted(), "isOneToOne": chat.isOneToOneFlagSet,
        "numMessages": chat.numMessages, "numUnread": chat.numUnread,
      ])
  }

  private func report(_ message: BBMChatMessage) {
    let key = "\(message.chatId ?? "")|\(message.messageId)"
    let common: [String: Any] = ["chatId": message.chatId ?? "", "messageId": message.messageId]
    if message.bbmState == kBBMStateMissing {
      if reported["message|\(key)"] != nil { note("message", key, common.merging(["isDeleted": true]) { $1 }) }
      return
    }
    guard message.bbmState == kBBMStateCurrent else { return }
    let isIncoming = message.isIncomingFlagSet
    guard let sender = isIncoming ? names.name(of: message.resolvedSenderUri) : "" else { return }
    let fields: [String: Any] = [
      "tag": message.tag ?? "", "content": message.content ?? "", "sender": sender, "isIncoming": isIncoming,
      "isRecalled": message.recall == kBBMChatMessage_RecallRecalled, "isUnverified": message.isUnverifiedFlagSet,
    ]
    note("message", key, common.merging(fields) { $1 })
    if !isIncoming {
      let receipt: [String: Any] = ["state": Self.name(message.state), "isPartial": message.stateIsPartial]
      note("receipt", key, common.merging(receipt) { $1 })
    }
    if message.tag == "File" { reportFile(of: message, key, common) }
  }

  private func reportFile(of message: BBMChatMessage, _ key: String, _ common: [String: Any]) {
    var fields: [String: Any] = [
      "state": Self.name(message.fileState), "size": message.fileSize ?? 0, "file": message.file ?? "",
      "name": ChatModel.fileName(of: message),
    ]
    if let progress = ChatModel.progress(of: message) {
      fields["state"] = "Transferring"
      fields["bytes"] = progress.bytes
      fields["total"] = progress.total
    }
    note("file", key, common.merging(fields) { $1 })
  }

  private func note(_ event: String, _ key: String, _ fields: [String: Any]) {
    let text = "\(fields.sorted { $0.key < $1.key })"
    guard reported["\(event)|\(key)"] != text else { return }
    reported["\(event)|\(key)"] = text
    Journal.report(event, fields)
  }

  // MARK: names of states

  private static func name(_ state: BBMChatState) -> String {
    switch state {
    case kBBMChat_StateDefunct: "Defunct"
    case kBBMChat_StateWaiting: "Waiting"
    case kBBMChat_StateRestore: "Restore"
    case kBBMChat_StateReady: "Ready"
    default: ""
    }
  }

  private static func name(_ state: BBMChatMessageState) -> String {
    switch state {
    case kBBMChatMessage_StateSending: "Sending"
    case kBBMChatMessage_StateSent: "Sent"
    case kBBMChatMessage_StateDelivered: "Delivered"
    case kBBMChatMessage_StateRead: "Read"
    case kBBMChatMessage_StateFailed: "Failed"
    default: ""
    }
  }

  private static func name(_ state: BBMChatMessageFileState) -> String {
    switch state {
    case kBBMChatMessage_FileStatePending: "Pending"
    case kBBMChatMessage_FileStateTransferring: "Transferring"
    case kBBMChatMessage_FileStateDone: "Done"
    case kBBMChatMessage_FileStateFailed: "Failed"
    default: ""
    }
  }
}
