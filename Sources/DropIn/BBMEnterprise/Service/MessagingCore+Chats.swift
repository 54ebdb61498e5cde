import Crypto
import Foundation
import Messaging
import MessagingClient

// Messages of the app about chats.

extension MessagingCore {
  func handleChat(_ name: String, _ fields: Fields) {
    let chat = fields.chat
    let number = fields.number
    switch name {
    case "chatStart": startChat(fields)
    case "chatInvite": ask { try? await $0.invite(fields.regIds("invitees"), to: chat) }
    case "chatLeave": for id in fields.texts("chatIds") { leave(ChatID(id)) }
    case "chatHide": for id in fields.texts("chatIds") { hide(ChatID(id)) }
    case "chatMessageSend": sendMessage(fields)
    case "chatMessageRead": ask { try? await $0.markRead(chat, through: number) }
    case "chatMessageDelete":
      if let message = unsent(fields) { return discard(message) }
      ask { try? await $0.delete(number, in: chat) }
    case "chatMessageDestroy" where fields.values["messageId"] == nil: recallAll(chat)
    case "chatMessageDestroy":
      if let message = unsent(fields) {
        // As documented, those that have failed stay.
        return message.state == .failed ? () : discard(message)
      }
      ask { try? await $0.recall(number, in: chat) }
    case "chatMessageDetach": detach(fields)
    case "chatMessageFileDownload": if let message = chats[chat]?.message(number.value) { attach(message) }
    case "chatMessageStateGet": giveStates(fields)
    case "chatTyping": ask { try? await $0.typing(in: chat, tag: fields.text("tag")) }
    case "chatEventSend":
      let data = WireNames.text(fields.values["data"])
      ask { try? await $0.sendEvent(fields.text("tag") ?? "", data: data, to: chat) }
    case "participantPromote", "participantDemote", "participantRemove":
      guard let id = WireNames.regId(fields.text("userUri"), own: own) else { return }
      ask { messenger in
        switch name {
        case "participantPromote": try? await messenger.promote(id, in: chat)
        case "participantDemote": try? await messenger.demote(id, in: chat)
        default: try? await messenger.remove(id, from: chat)
        }
      }
    default: report("The message \(name.prefix(60)) is not known, and was not sent.")
    }
  }

  private func leave(_ id: ChatID) { ask { try? await $0.leave(id) } }

  private func hide(_ id: ChatID) {
    guard let chat = chats[id]?.chat else { return }
    // No message comes that would show it again: it would stay, unseen.
    guard chat.state != .defunct else { return leave(id) }
    chats[id]?.hide()
    writeLocal(id, chats[id]?.local)
    take(chat)
  }

  private func unhide(_ id: ChatID) {
    guard let mirror = chats[id], mirror.local.hidden != nil else { return }
    chats[id]?.local.hidden = nil
    writeLocal(id, chats[id]?.local)
    take(mirror.chat)
  }

  private func startChat(_ fields: Fields) {
    let cookie = fields.cookie.isEmpty ? UUID().uuidString : fields.cookie
    let draft = ChatDraft(
      invitees: fields.regIds("invitees"), isOneToOne: FieldValue.bool(fields.values["isOneToOne"]) ?? false,
      subject: fields.text("subject"), data: WireNames.text(fields.values["data"]),
      invitePolicy: fields.text("invitePolicy") == "AdminsOnly" ? .adminsOnly : .participantsOnly, cookie: cookie)
    let local = ["localData", "privateData"].compactMap { name in
      WireNames.text(fields.values[name]).map { (name, $0) }
    }
    ask { [weak self] messenger in
      let result: Result<Chat, MessengerError>
      do throws(MessengerError) { result = .success(try await messenger.startChat(draft)) } catch {
        result = .failure(error)
      }
      guard let self else { return }
      switch result {
      case .success(let chat):
        // The client's own event may still be on its way.
        if chats[chat.id] == nil { take(chat) }
        for (name, text) in local { chats[chat.id]?.local.chat[name] = text }
        writeLocal(chat.id, chats[chat.id]?.local)
        if let element = chats[chat.id]?.element(own: own) {
          give("listAdd", "chat", [element], cookie: fields.cookie)
        }
      case .failure(let error):
        var body: [String: Any] = ["cookie": fields.cookie, "reason": Self.reason(error)]
        if case .alreadyExists(let chat) = error {
          body["chatId"] = chat.text
          unhide(chat)
        }
        give("chatStartFailed", body)
      }
    }
  }

  private static func reason(_ error: MessengerError) -> String {
    switch error {
    case .alreadyExists: "AlreadyExists"
    case .keysMissing, .notFound: "InvalidInvitees"
    case .refused, .notReady, .disconnected, .tooLarge, .badData, .passcode, .fileFailed, .notForThisDomain, .cancelled,
      .failed:
      "TemporaryFailure"
    }
  }

  // MARK: messages

  /// Tags of the service's own messages, which apps don't send.
  static let reservedTags: Set = ["Join", "Leave", "Subject", "Gap", "Shred", "Clear", "Admin", "Remove"]

  /// Whether a file goes after its message: a copy was sent, so one that was to be moved isn't needed any more.
  static func removesFile(_ policy: String?, isSent: Bool) -> Bool {
    isSent && ["Move", "Delete"].contains(policy)
  }

  private func sendMessage(_ fields: Fields) {
    let tag = fields.text("tag") ?? ""
    if Self.reservedTags.contains(tag) { return report("The tag \(tag) is reserved: the message was not sent.") }
    let references = (fields.values["ref"] as? [[String: Any]] ?? []).map { each in
      MessageContent.Reference(
        tag: each["tag"] as? String ?? "", number: MessageNumber(FieldValue.integer(each["messageId"]) ?? 0))
    }
    let thumb = fields.text("thumb").flatMap { FileManager.default.contents(atPath: $0) }
    let content = MessageContent(
      tag: tag, text: fields.text("content"), data: WireNames.text(fields.values["data"]),
      references: references, thumbnail: thumb.map { Base64URL.encode(Array($0)) })
    let chat = fields.chat
    let cookie = UUID().uuidString
    let file = fields.text("file")
    ask { [weak self] messenger in
      var isSent = false
      do throws(MessengerError) {
        if let file {
          let name = (file as NSString).lastPathComponent
          _ = try await messenger.send(
            file: file, name: name, contentType: "application/octet-stream", content, to: chat, cookie: cookie)
        } else {
          _ = try await messenger.send(content, to: chat, cookie: cookie)
        }
        isSent = true
      } catch {
        self?.report("A message was not sent: \(error)")
        try? await messenger.addFailed(content, to: chat, cookie: cookie)
      }
      guard let self, let file else { return }
      if Self.removesFile(fields.text("filePolicy"), isSent: isSent) {
        try? FileManager.default.removeItem(atPath: file)
      } else {
        chats[chat]?.local.files[cookie] = file
        writeLocal(chat, chats[chat]?.local)
        giveMessages(chat, around: chats[chat]?.message(cookie: cookie))
      }
    }
  }

  /// Takes all of the local user's messages in a chat back, also those of the history that are not here yet.
  private func recallAll(_ chat: ChatID) {
    for message in chats[chat]?.queued ?? [] where message.state != .failed { discard(message) }
    ask { [weak self] messenger in
      _ = await self?.fetchHistory(of: chat, 1, UInt64.max, messenger)
      for number in self?.chats[chat]?.ownNumbers ?? [] { try? await messenger.recall(number, in: chat) }
    }
  }

  /// A message of the app's that the service has not taken.
  private func unsent(_ fields: Fields) -> Message? {
    chats[fields.chat]?.message(fields.number.value).flatMap { $0.number == nil ? $0 : nil }
  }

  private func discard(_ message: Message) { ask { try? await $0.discard(message.cookie, in: message.chat) } }

  /// Says of each participant how far they are with a message, by the marks that the service has given.
  private func giveStates(_ fields: Fields) {
    let number = fields.number
    let states = (chats[fields.chat]?.chat.participants ?? []).filter { $0.regId != own }.map { each in
      [
        "userUri": WireNames.uri(each.regId, own: own),
        "state": each.read >= number ? "Read" : each.delivered >= number ? "Delivered" : "Sent",
      ]
    }
    give(
      "chatMessageState",
      ["chatId": fields.chat.text, "messageId": "\(number.value)", "cookie": fields.cookie, "states": states])
  }
}
