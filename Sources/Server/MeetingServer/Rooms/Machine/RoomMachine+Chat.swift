import Basics
import FoundationEssentials
import Meetings
import Signaling

/// The chat: what is kept, changed and taken away, and who types.
extension RoomMachine {
  /// The chat's rules, as clients see them.
  var chatRules: ChatRules {
    let most = setup.fileLimit ?? 0
    return ChatRules(history: meeting.chat.history, fileLimit: min(meeting.chat.fileLimit ?? most, most))
  }

  /// The reason why a text can't be a chat message; nil when it can.
  func problem(withText text: String) -> String? {
    if isEncrypted {
      // It is ciphertext, of which nothing but the size can be judged.
      let most = SignalingLimits.sealedChatBytes
      return (1...most).contains(text.utf8.count) ? nil : "An encrypted chat message has 1 to \(most) bytes."
    }
    // The bound in bytes stops characters made of thousands of combining marks.
    guard !text.isEmpty, text.utf8.count <= SignalingLimits.chatCharacters * 4,
      text.count <= SignalingLimits.chatCharacters
    else {
      return "A chat message has 1 to \(SignalingLimits.chatCharacters) characters, "
        + "and at most \(SignalingLimits.chatCharacters * 4) bytes of UTF-8."
    }
    return nil
  }

  /// Why a member may not write to `to`; nil when it may.
  func refusal(toWriteTo to: String?, _ member: RoomMember) -> SignalingRefusal? {
    guard member.permissions.contains(.chat) else { return .notAllowed(sentence(for: .chat, member)) }
    guard let to else { return nil }
    guard let receiver = roster[to], !receiver.isHidden || receiver === member else {
      return .bad("The recipient is not in the meeting.")
    }
    return receiver.permissions.contains(.subscribe) ? nil : .notAllowed("The recipient may not read the chat.")
  }

  func say(_ text: String, to: String?, id: Int?, _ member: RoomMember) {
    // A missing permission is the first reason, whatever is wrong with the text.
    if let refusal = refusal(toWriteTo: nil, member) {
      return answer(.refused(refusal), to: id, member)
    }
    if let problem = problem(withText: text) { return answer(.refused(.bad(problem)), to: id, member) }
    if let refusal = refusal(toWriteTo: to, member) {
      return answer(.refused(refusal), to: id, member)
    }
    endTyping(member)
    addChat(
      ChatEntry(id: chat.nextID(), from: member.id, name: member.name, text: text, time: now.date.kept, to: to), id: id)
  }

  // MARK: Changing

  /// A message that is kept and that `member` may know of.
  func entry(_ id: Int, for member: RoomMember) throws(SignalingRefusal) -> ChatEntry {
    prune()
    guard let entry = chat.entry(id), entry.deleted == nil, isVisible(entry, to: member) else {
      throw .bad("There is no such message, or it is not kept any more.")
    }
    return entry
  }

  /// Whether a participant has received a message, or would have.
  func isVisible(_ entry: ChatEntry, to member: RoomMember) -> Bool {
    if entry.from == member.id { return true }
    guard member.permissions.contains(.subscribe) else { return false }
    return entry.to.map { $0 == member.id } ?? (entry.id > member.chatting.since)
  }

  func changeChat(_ entry: ChatEntry) {
    let forgotten = chat.replace(entry)
    sendChat(.changed(entry), after: persist(entry))
    // A message that has grown so much that it is forgotten itself has no file: those can't be changed.
    forgetChat(forgotten)
  }

  // MARK: Delivery

  /// Sends a message to everybody it is for, once it is on the disk where the meeting keeps its chat. Returns the
  /// journal write that it waits for, if there is one.
  @discardableResult
  func addChat(_ entry: ChatEntry, id: Int? = nil) -> UInt64? {
    let write = persist(entry)
    sendChat(.message(entry, id: id), after: write)
    return write
  }

  private func sendChat(_ update: ChatDelivery.Update, after write: UInt64?) {
    // Unpersisted messages still wait for earlier persisted ones, to keep the order.
    guard setup.hasJournal, let last = write ?? chatDelivery.lastWrite else {
      return deliverChat(update, isWritten: true)
    }
    chatDelivery.append(update, after: last)
    // Without a write of its own it goes out with the one before it.
    if write != nil { output.append(.awaitJournal(through: last)) }
  }

  /// The journal is on the disk up to that write, or can't be written: everybody hears of what waited for it.
  func deliverChat(through write: UInt64, isWritten: Bool) {
    for update in chatDelivery.drain(through: write) { deliverChat(update, isWritten: isWritten) }
  }

  private func deliverChat(_ update: ChatDelivery.Update, isWritten: Bool) {
    switch update {
    case .message(let entry, let id):
      // A file's sender hears it over HTTP, and is refused.
      guard isWritten || entry.file == nil else { return }
      let sentence = "The message went out, but the server cannot keep it just now: who comes later may not see it."
      // Before the message itself: a client that has this but not that finds the message when it comes back, and one
      // that has neither is answered again.
      if let writer = roster[entry.from] {
        answer(isWritten ? .said(entry.id) : .refused(.init(.internalError, sentence)), to: id, writer)
      }
      forgetChat(chat.append(entry))
      schedulePruning()
      count(.chatMessage)
      if let to = entry.to {
        for id in Set([to, entry.from]).sorted() { roster[id]?.channel?.send(.chat(entry)) }
      } else {
        broadcast(.chat(entry)) { $0.id == entry.from || $0.permissions.contains(.subscribe) }
      }
    case .changed(let entry):
      broadcast(.room(.chat(.changed(entry)))) { isVisible(entry, to: $0) }
    }
  }

  // MARK: Typing

  func setTyping(_ active: Bool, to: String?, _ member: RoomMember) {
    // A refusal is dropped without a word: it is about nothing but a line on a screen.
    guard !member.isHidden, member.chatting.takeTyping(now.instant), refusal(toWriteTo: to, member) == nil else {
      return
    }
    guard active else { return endTyping(member) }
    member.chatting.typingEnd = now.instant + setup.limits.typingPatience
    roster.schedule(member.chatting.typingEnd)
    let target = ParticipantChat.Typing(to: to)
    guard member.chatting.typing != target else { return }
    if member.chatting.typing != nil { notifyTyping(false, member) }
    member.chatting.typing = target
    notifyTyping(true, member)
  }

  /// A participant doesn't type any more.
  func endTyping(_ member: RoomMember) {
    guard member.chatting.typing != nil else { return }
    notifyTyping(false, member)
    member.chatting.typing = nil
    member.chatting.typingEnd = .zero
  }

  private func notifyTyping(_ active: Bool, _ member: RoomMember) {
    guard let typing = member.chatting.typing else { return }
    let notice = ServerMessage.room(.chat(.typing(participant: member.id, active: active, to: typing.to)))
    if let to = typing.to {
      if to != member.id { roster[to]?.channel?.send(notice) }
    } else {
      broadcast(notice, except: member.id) { $0.permissions.contains(.subscribe) }
    }
  }

  // MARK: Pruning

  /// Forgets what the meeting doesn't keep any longer.
  func prune() { forgetChat(chat.prune(now: now.date)) }

  /// Sees to it that the oldest message is forgotten when its time has come, also while nobody writes: its file is gone
  /// then too.
  func schedulePruning() {
    guard chatPruning == nil, let end = chat.nextEnd else { return }
    chatPruning = end + 0.05
  }

  func removeFiles(of entries: [ChatEntry]) {
    let ids = entries.compactMap(\.file?.id)
    if !ids.isEmpty { output.append(.removeFiles(ids)) }
  }
}
