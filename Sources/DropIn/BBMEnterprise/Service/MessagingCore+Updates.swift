import Messaging
import MessagingClient

/// Chats, messages and typing as the client has them now, given to the app as changes of its lists.
extension MessagingCore {
  func take(_ chat: Chat) {
    let isNew = chats[chat.id] == nil
    var mirror = chats[chat.id] ?? ChatMirror(chat)
    if isNew, let local = readLocal(chat.id) { mirror.local = local }
    mirror.chat = chat
    let people = mirror.peopleChanges(own: own)
    chats[chat.id] = mirror
    give(isNew ? "listAdd" : "listChange", "chat", [mirror.element(own: own)])
    give("listAdd", "chatParticipant", people.changed)
    give("listRemove", "chatParticipant", people.gone)
  }

  func remove(_ id: ChatID) {
    guard let mirror = chats.removeValue(forKey: id) else { return }
    writeLocal(id, nil)
    give("listRemove", "chatParticipant", mirror.people(own: own))
    give("listRemove", "chat", [["chatId": id.text]])
  }

  func take(_ message: Message) {
    guard var mirror = chats[message.chat] else { return }
    let isNew = mirror.message(cookie: message.cookie) == nil
    if mirror.unhide(for: message) { writeLocal(message.chat, mirror.local) }
    mirror.put(message)
    keepThumb(message, &mirror)
    chats[message.chat] = mirror
    giveMessages(message.chat, around: message)
    guard isNew, message.isIncoming else { return }
    stopTyping(message.chat, message.sender)
    if downloadsFiles, message.content.file != nil, mirror.lacksFile(message) { download(message) }
  }

  /// Gives the messages of a chat that are other ones now, and the chat behind them.
  func giveMessages(_ id: ChatID, around message: Message?, all: Bool = false) {
    guard let changes = chats[id]?.messageChanges(around: message, all: all, own: own) else { return }
    give("listAdd", "chatMessage", changes.added)
    give("listChange", "chatMessage", changes.changed)
    give("listRemove", "chatMessage", changes.gone)
    if let element = chats[id]?.element(own: own) { give("listChange", "chat", [element]) }
  }

  func showTyping(_ chat: ChatID, _ id: RegID, _ tag: String?) {
    let uri = WireNames.uri(id, own: own)
    let name = chat.text + "|" + uri
    typing[name]?.cancel()
    var element: [String: Any] = ["chatId": chat.text, "userUri": uri]
    element["tag"] = tag
    give("listAdd", "typing", [element])
    typing[name] = Task { [weak self] in
      // Nobody says that they have stopped.
      try? await Task.sleep(nanoseconds: 8_000_000_000)
      guard !Task.isCancelled, let self else { return }
      typing[name] = nil
      give("listRemove", "typing", [element])
    }
  }

  /// A participant whose message has come doesn't type any more.
  private func stopTyping(_ chat: ChatID, _ id: RegID) {
    let uri = WireNames.uri(id, own: own)
    guard let timer = typing.removeValue(forKey: chat.text + "|" + uri) else { return }
    timer.cancel()
    give("listRemove", "typing", [["chatId": chat.text, "userUri": uri]])
  }

  func typingElements() -> [[String: Any]] {
    typing.keys.sorted().map { name in
      let parts = name.split(separator: "|", maxSplits: 1).map(String.init)
      return ["chatId": parts.first ?? "", "userUri": parts.last ?? ""]
    }
  }
}
