import Basics
import FoundationEssentials
import Meetings
import Signaling

/// The chat: what is kept, changed and taken away, and who types.
extension MeetingRoom {
  /// What holds for the chat, as clients are told.
  var chatRules: ChatRules {
    let most = doors.files?.limits.file ?? 0
    return ChatRules(history: meeting.chat.history, fileLimit: min(meeting.chat.fileLimit ?? most, most))
  }

  /// Prepares a newcomer's place by the meeting's rules.
  func seat(_ member: RoomMember) {
    member.decisions = decided.decisions(about: member.admission.grant)
    (member.role, member.permissions) = rights(of: member)
    if !meeting.chat.history { member.chatting.since = chat.lastID }
    expect(member)
  }

  /// The text of a chat message, or what is wrong with it.
  static func problem(withText text: String) -> String? {
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
  func refusal(toWriteTo to: String?, _ member: RoomMember) -> RequestRefusal? {
    guard member.permissions.contains(.chat) else { return .notAllowed(sentence(for: .chat, member)) }
    guard let to else { return nil }
    guard let receiver = members[to], !receiver.isHidden || receiver === member else {
      return .bad("The recipient is not in the meeting.")
    }
    return receiver.permissions.contains(.subscribe) ? nil : .notAllowed("The recipient may not read the chat.")
  }

  // MARK: Changing

  /// Carries out what somebody asks for in the chat.
  func perform(_ request: ChatRequest, id: Int?, _ member: RoomMember, _ channel: SignalingChannel) async {
    // Who types says so again and again; nobody waits for an answer.
    if case .typing(let active, let to) = request { return setTyping(active, to: to, member) }
    guard member.chatting.takeChange(Monotonic.now) else {
      return channel.refuse(.tooFast, "That was asked for too often. Wait a moment.", id: id)
    }
    await carryOut(id: id, member, channel) { () throws(RequestRefusal) in
      switch request {
      case .edit(let message, let text): return try edit(message, text, member)
      case .delete(let message): return try delete(message, member)
      case .typing: return Deed()
      }
    }
  }

  private func edit(_ id: Int, _ text: String, _ member: RoomMember) throws(RequestRefusal) -> Deed {
    var entry = try entry(id, for: member)
    guard entry.from == member.id else { throw .notAllowed("Only who wrote a message can change it.") }
    if let refusal = refusal(toWriteTo: nil, member) { throw refusal }
    guard entry.file == nil else { throw .bad("The name of a file cannot be changed.") }
    if let problem = Self.problem(withText: text) { throw .bad(problem) }
    guard entry.text != text else { return Deed() }
    entry.text = text
    entry.edited = .kept
    change(entry)
    return Deed()
  }

  private func delete(_ id: Int, _ member: RoomMember) throws(RequestRefusal) -> Deed {
    let entry = try entry(id, for: member)
    let isOwn = entry.from == member.id
    guard isOwn || entry.to == nil && member.permissions.contains(.moderate) else {
      throw .notAllowed("Only who wrote a message, or a host, can delete it.")
    }
    if !isOwn { try ensureModerates(member) }
    return Deed(isOwn ? nil : RightUse("deleteChat", "message \(id) of \(entry.from)")) {
      var deleted = entry
      self.removeFiles(of: [entry])
      deleted.text = ""
      deleted.file = nil
      deleted.deleted = isOwn ? .author : .host
      self.change(deleted)
      return nil
    }
  }

  /// A message that is kept and that `member` may know of.
  private func entry(_ id: Int, for member: RoomMember) throws(RequestRefusal) -> ChatEntry {
    prune()
    guard let entry = chat.entry(id), entry.deleted == nil, isVisible(entry, to: member) else {
      throw .bad("There is no such message, or it is not kept any more.")
    }
    return entry
  }

  /// Whether a participant was told of a message, or would have been.
  func isVisible(_ entry: ChatEntry, to member: RoomMember) -> Bool {
    if entry.from == member.id { return true }
    guard member.permissions.contains(.subscribe) else { return false }
    return entry.to.map { $0 == member.id } ?? (entry.id > member.chatting.since)
  }

  private func change(_ entry: ChatEntry) {
    let forgotten = chat.replace(entry)
    passChange(of: entry)
    // One that has grown so much that it is forgotten itself has no file: those cannot be changed.
    forgetChat(forgotten)
  }

  // MARK: Typing

  private func setTyping(_ active: Bool, to: String?, _ member: RoomMember) {
    let now = Monotonic.now
    // What is refused here is dropped without a word: it is about nothing but a line on a screen.
    guard !member.isHidden, member.chatting.takeTyping(now), refusal(toWriteTo: to, member) == nil else { return }
    guard active else { return endTyping(member) }
    member.chatting.typingEnd = now + limits.typingPatience
    let target = ChatSeat.Typing(to: to)
    guard member.chatting.typing != target else { return }
    let wasTyping = member.chatting.typing != nil
    if wasTyping { tellTyping(false, member) }
    member.chatting.typing = target
    tellTyping(true, member)
    if !wasTyping { watchTyping(of: member.id, for: limits.typingPatience) }
  }

  /// Somebody types no more.
  func endTyping(_ member: RoomMember) {
    guard member.chatting.typing != nil else { return }
    tellTyping(false, member)
    member.chatting.typing = nil
    member.chatting.typingEnd = .zero
  }

  private func watchTyping(of id: String, for span: TimeSpan) {
    Task { [weak self] in
      guard (try? await Task.sleep(for: .nanoseconds(span.nanoseconds))) != nil else { return }
      await self?.typingMayHaveEnded(of: id)
    }
  }

  private func typingMayHaveEnded(of id: String) {
    guard let member = members[id], member.chatting.typing != nil else { return }
    let left = member.chatting.typingEnd - Monotonic.now
    if left.nanoseconds > 0 { watchTyping(of: id, for: left) } else { endTyping(member) }
  }

  private func tellTyping(_ active: Bool, _ member: RoomMember) {
    guard let typing = member.chatting.typing else { return }
    let notice = ServerMessage.room(.chat(.typing(participant: member.id, active: active, to: typing.to)))
    if let to = typing.to {
      if to != member.id { members[to]?.channel?.send(notice) }
    } else {
      broadcast(notice, except: member.id) { $0.permissions.contains(.subscribe) }
    }
  }

  // MARK: Keeping

  /// Forgets what the meeting keeps no longer.
  func prune() { forgetChat(chat.prune(now: Date())) }

  /// Forgets the oldest message when its time has come, also while nobody writes: its file is to be gone then too.
  func pruneLater() {
    guard pruning == nil, let end = chat.nextEnd else { return }
    let pause = Duration.milliseconds(max(Int64(end.timeIntervalSinceNow * 1_000) + 50, 50))
    pruning = Task { [weak self] in
      guard (try? await Task.sleep(for: pause)) != nil else { return }
      await self?.pruneNow()
    }
  }

  private func pruneNow() {
    pruning = nil
    guard !isClosed else { return }
    prune()
    pruneLater()
  }

  func removeFiles(of entries: [ChatEntry]) {
    let ids = entries.compactMap(\.file?.id)
    guard !ids.isEmpty, let files = doors.files else { return }
    Task { for id in ids { await files.remove(id) } }
  }
}
