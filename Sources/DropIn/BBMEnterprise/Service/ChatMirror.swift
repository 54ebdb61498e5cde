import Foundation
import Messaging
import MessagingClient

/// A chat as the data model has it: its own element, those of its messages and those of its participants.
///
/// The model numbers a message at once, the service when it takes it. So messages that wait are shown behind the last
/// one with a number, and move on when one comes before them.
@MainActor struct ChatMirror {
  var chat: Chat
  private(set) var messages: [UInt64: Message] = [:]
  /// The messages that the service has not taken, in order.
  private(set) var queued: [Message] = []
  /// The app's data on this endpoint alone.
  var local = LocalFields()
  /// The elements as the model got them.
  private var given: [UInt64: [String: Any]] = [:]
  private var givenPeople: [String: [String: Any]] = [:]

  struct LocalFields: Codable {
    /// Until a message is added, the app doesn't show the chat.
    var hidden: Hidden?
    /// JSON objects, as texts, of the chat and of its messages by their numbers or cookies.
    var chat: [String: String] = [:]
    var messages: [String: String] = [:]
    /// The paths of downloaded files and of previews, by the messages' cookies.
    var files: [String: String] = [:]
    var thumbs: [String: String] = [:]
    /// The cookies of messages whose file or preview the app has detached.
    var detachedFiles: Set<String>?
    var detachedThumbs: Set<String>?

    /// The messages that a chat had when it was hidden: up to a number, and those that were queued.
    struct Hidden: Codable {
      var through: UInt64
      var queued: Set<String>
    }
  }

  init(_ chat: Chat) { self.chat = chat }

  var lastNumber: UInt64 { max(chat.lastMessage.value, messages.keys.max() ?? 0) }

  // MARK: the chat

  func element(own: RegID?) -> [String: Any] {
    let last = lastNumber + UInt64(queued.count)
    let first = max(chat.firstMessage.value, 1)
    var flags = ""
    if chat.participants.contains(where: { $0.regId == own && $0.isAdmin }) { flags += "A" }
    if local.hidden != nil { flags += "H" }
    if chat.isOneToOne { flags += "O" }
    if chat.state == .waiting { flags += "K" }
    let newest = messages[lastNumber]?.time.milliseconds ?? queued.last?.time.milliseconds
    var element: [String: Any] = [
      "chatId": chat.id.text, "mailboxId": chat.id.text, "subject": chat.subject ?? "",
      "state": WireNames.state(chat.state), "keyState": chat.state == .waiting ? "Import" : "Synced",
      "invitePolicy": chat.invitePolicy == .adminsOnly ? "AdminsOnly" : "ParticipantsOnly",
      "numMessages": "\(last >= first ? last - first + 1 : 0)", "lastMessage": "\(last)",
      "numUnread": "\(max(chat.unread, 0))", "restorePoint": "\(first)", "flags": flags,
    ]
    if let newest { element["lastActivity"] = "\(newest / 1_000)" }
    element["data"] = WireNames.object(chat.data) ?? NSNull()
    for name in ["localData", "privateData"] { element[name] = WireNames.object(local.chat[name]) ?? NSNull() }
    return element
  }

  /// The participants that have come or changed, and those who have gone, without the local user.
  mutating func peopleChanges(own: RegID?) -> (changed: [[String: Any]], gone: [[String: Any]]) {
    var now: [String: [String: Any]] = [:]
    for each in chat.participants where each.regId != own {
      let uri = WireNames.uri(each.regId, own: own)
      now[uri] = [
        "chatId": chat.id.text, "userUri": uri, "state": each.state == .active ? "Active" : "Pending",
        "flags": each.isAdmin ? "A" : "",
      ]
    }
    let changed = now.filter { !FieldValue.isSame($1, givenPeople[$0]) }.sorted { $0.key < $1.key }.map(\.value)
    let gone = givenPeople.keys.filter { now[$0] == nil }.sorted().map { ["chatId": chat.id.text, "userUri": $0] }
    givenPeople = now
    return (changed, gone)
  }

  func people(own: RegID?) -> [[String: Any]] { givenPeople.sorted { $0.key < $1.key }.map(\.value) }

  // MARK: messages

  mutating func put(_ message: Message) {
    guard let number = message.number else {
      if let index = queued.firstIndex(where: { $0.cookie == message.cookie }) {
        queued[index] = message
      } else {
        queued.append(message)
      }
      return
    }
    queued.removeAll { $0.cookie == message.cookie }
    messages[number.value] = message
  }

  mutating func hide() {
    local.hidden = LocalFields.Hidden(through: lastNumber, queued: Set(queued.map(\.cookie)))
  }

  /// Shows a hidden chat again if the message came after it was hidden. True if it was hidden until now.
  mutating func unhide(for message: Message) -> Bool {
    guard let hidden = local.hidden, message.number?.value ?? .max > hidden.through,
      !hidden.queued.contains(message.cookie)
    else { return false }
    local.hidden = nil
    return true
  }

  mutating func remove(_ number: MessageNumber) { messages[number.value] = nil }

  mutating func removeQueued(_ cookie: String) { queued.removeAll { $0.cookie == cookie } }

  /// The message of a number of the model.
  func message(_ id: UInt64) -> Message? {
    if let known = messages[id] { return known }
    guard id > lastNumber, id - lastNumber <= UInt64(queued.count) else { return nil }
    return queued[Int(id - lastNumber) - 1]
  }

  /// The numbers of the local user's messages that can be recalled.
  var ownNumbers: [MessageNumber] {
    messages.values.filter { !$0.isIncoming && !$0.isRecalled }.compactMap(\.number).sorted()
  }

  func message(cookie: String) -> Message? {
    messages.values.first { $0.cookie == cookie } ?? queued.first { $0.cookie == cookie }
  }

  /// Whether a message's file isn't here, and the app hasn't removed it.
  func lacksFile(_ message: Message) -> Bool {
    local.files[message.cookie] == nil && local.detachedFiles?.contains(message.cookie) != true
  }

  /// The messages whose elements are other ones than the model got, after one has changed.
  mutating func messageChanges(around message: Message?, all: Bool, own: RegID?) -> (
    added: [[String: Any]], changed: [[String: Any]], gone: [[String: Any]]
  ) {
    var ids = Set(given.keys.filter { all || $0 > lastNumber })
    for offset in queued.indices { ids.insert(lastNumber + UInt64(offset) + 1) }
    if let number = message?.number?.value { ids.insert(number) }
    var added: [[String: Any]] = []
    var changed: [[String: Any]] = []
    var gone: [[String: Any]] = []
    for id in ids.sorted() {
      let before = given[id]
      guard let now = self.message(id).map({ element($0, id: id, own: own) }) else {
        if before != nil { gone.append(["chatId": chat.id.text, "messageId": "\(id)"]) }
        given[id] = nil
        continue
      }
      given[id] = now
      if before == nil { added.append(now) } else if !FieldValue.isSame(before, now) { changed.append(now) }
    }
    return (added, changed, gone)
  }

  /// The element of a message, which the model gets now.
  mutating func give(_ id: UInt64, own: RegID?) -> [String: Any]? {
    guard let message = message(id) else { return nil }
    let element = element(message, id: id, own: own)
    given[id] = element
    return element
  }

  private func element(_ message: Message, id: UInt64, own: RegID?) -> [String: Any] {
    var flags = message.isIncoming ? "I" : ""
    if message.isUnverified { flags += "U" }
    let content = message.content
    var element: [String: Any] = [
      "chatId": chat.id.text, "messageId": "\(id)", "tag": content.tag, "flags": flags,
      "senderUri": WireNames.uri(message.sender, own: own), "timestamp": "\(message.time.milliseconds / 1_000)",
      "state": WireNames.capitalized(message.state.rawValue), "stateIsPartial": message.stateIsPartial,
      "recall": message.isRecalled ? "Recalled" : "None", "externalId": message.cookie,
    ]
    element["content"] = content.text ?? NSNull()
    element["data"] = WireNames.object(content.data) ?? NSNull()
    element["ref"] = content.references.map { ["tag": $0.tag, "messageId": "\($0.number.value)"] }
    element["localData"] = WireNames.object(local.messages["\(id)"]) ?? NSNull()
    let path = local.files[message.cookie]
    element["file"] = path ?? NSNull()
    element["thumb"] = local.thumbs[message.cookie] ?? NSNull()
    if let file = content.file {
      element["fileSize"] = "\(file.size)"
      element["fileState"] = path == nil ? "Pending" : "Done"
    } else if path != nil {
      // It was not uploaded.
      element["fileState"] = "Failed"
    }
    return element
  }
}
