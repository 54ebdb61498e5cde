import FoundationEssentials
import Meetings
import Signaling

/// What of the room is kept on the disk while the meeting runs, so that a server that is killed goes on with it when it runs again.
extension MeetingRoom {
  // MARK: What hosts decide

  /// What the one value of the room is called that is no poll.
  static let stateName = "state"
  static let pollName = "poll "

  func stateToKeep(_ shared: Set<String>) -> KeptState {
    var state = KeptState(
      isLocked: lobby.isLocked, decisions: decided, muteAll: muteAll, spotlight: spotlight ?? keeping.absentSpotlight)
    for id in (muteAll?.spared ?? []).union([state.spotlight].compactMap(\.self)) {
      state.holders[id] = holder(id, shared)
    }
    return state
  }

  /// Whom a participant is known by; nil for who has one of the tokens in `shared`.
  private func holder(_ id: String, _ shared: Set<String>) -> Holder? {
    guard let member = members[id] else { return keeping.absent[id] }
    let holder = Holder(member.admission.grant)
    return holder?.token.map(shared.contains) ?? false ? nil : holder
  }

  /// The tokens without a user that several of those who are in have come with, as guests do with one link: they tell nobody from the others.
  private var sharedTokens: Set<String> {
    var (seen, shared): (Set<String>, Set<String>) = ([], [])
    for member in members.values {
      guard let token = Holder(member.admission.grant)?.token else { continue }
      if !seen.insert(token).inserted { shared.insert(token) }
    }
    return shared
  }

  /// Has what hosts have decided written down where it has changed. Returns the place of the last thing that is to be written of this room.
  @discardableResult func keepState() -> UInt64 {
    guard let book = doors.running, !isClosed else { return keeping.place }
    mend(book.lost(of: identity.id))
    let shared = sharedTokens
    for id in polls.takeChanged() {
      let name = Self.pollName + String(id)
      let poll = polls.kept(id) { holder($0, shared) }
      keep(poll.flatMap { RoomKeeping.text($0) }.map { .value($0, of: name) } ?? .noValue(of: name))
    }
    let state = stateToKeep(shared)
    guard state != keeping.state, let text = RoomKeeping.text(state) else { return keeping.place }
    keeping.state = state
    return keep(.value(text, of: Self.stateName))
  }

  /// Something was given up, up to that place: what hosts have decided is to be written anew, and what is gone of the chat must go from the disk.
  private func mend(_ lost: UInt64) {
    guard lost > keeping.mended else { return }
    keeping.mended = lost
    keeping.state = nil
    keepName()
    polls.keepAgain()
    if !keepsChat(meeting.chat) {
      keep(.forget(through: .max))
    } else if let first = chat.all.first {
      keep(.forget(through: first.id - 1))
    }
  }

  /// Waits until all that is to be kept of the room is on the disk; false when it could not be written just now.
  func isKept() async -> Bool {
    let place = keepState()
    return await doors.running?.isWritten(place, of: identity.id) ?? true
  }

  /// That the meeting runs is on the disk from now on, so that its end is told also when the server is killed and nobody comes back.
  func keepName() { keep(.value(identity.room.display, of: RunningMeeting.roomName)) }

  @discardableResult func keep(_ what: RunningWrite.What) -> UInt64 {
    // What was left by a killed server stays as it is until somebody has come back to it.
    guard let book = doors.running, what == .end || !keeping.isRestored || keeping.wasEntered else {
      return keeping.place
    }
    keeping.place = book.add(RunningWrite(what, of: identity.id, tenant: identity.tenant))
    return keeping.place
  }

  /// Nothing is kept of the meeting any more, and its files go; but what was left by a killed server waits on where `isLeaving` and nobody has
  /// come back to it.
  func endKeeping(isLeaving: Bool) {
    if isLeaving && keeping.isRestored && !keeping.wasEntered { return }
    if keeping.place != 0 || keeping.isRestored {
      keep(.end)
      doors.running?.resumed(identity.id)
    }
    if let files = doors.files { Task { [filesKey] in await files.removeAll(of: filesKey) } }
  }

  // MARK: The chat

  /// Whether a chat with these rules outlasts the end of the server.
  func keepsChat(_ policy: ChatPolicy) -> Bool {
    doors.running != nil && policy.history && policy.maximumMessages != 0
  }

  /// Has a message written down where the meeting keeps its chat; returns its place then.
  func keep(_ entry: ChatEntry) -> UInt64? {
    guard keepsChat(meeting.chat) else { return nil }
    for id in [entry.from, entry.to].compactMap(\.self) {
      if let user = members[id]?.admission.grant.user { keeping.users[id] = user }
    }
    let kept = KeptEntry(
      entry: entry, from: keeping.users[entry.from], to: entry.to.flatMap { keeping.users[$0] })
    return kept.message.map { keep(.message($0)) }
  }

  /// Gives a message to those it is for, once it is on the disk where the meeting keeps its chat. Returns where it is to be written, if it is.
  @discardableResult
  func pass(_ entry: ChatEntry, id: Int? = nil) -> UInt64? {
    let place = keep(entry)
    tell(.message(entry, id: id), after: place)
    return place
  }

  /// Tells those who know a message what has become of it, once that is on the disk.
  func passChange(of entry: ChatEntry) { tell(.changed(entry), after: keep(entry)) }

  private func tell(_ news: RoomKeeping.News, after place: UInt64?) {
    // What need not be kept comes after what has to be and was before it.
    guard let book = doors.running, let place = place ?? keeping.untold.last?.place else {
      return tell(news, isWritten: true)
    }
    keeping.untold.append((place, news))
    Task {
      let isWritten = await book.isWritten(place, of: identity.id)
      told(through: place, isWritten: isWritten)
    }
  }

  /// What has come up to that place is on the disk, or cannot be written: everybody hears of it.
  func told(through place: UInt64, isWritten: Bool) {
    while let first = keeping.untold.first, first.place <= place {
      keeping.untold.removeFirst()
      tell(first.news, isWritten: isWritten)
    }
  }

  private func tell(_ news: RoomKeeping.News, isWritten: Bool) {
    switch news {
    case .message(let entry, let id):
      // A file's sender hears it over HTTP, and is refused.
      guard isWritten || entry.file == nil else { return }
      let sentence = "The message went out, but the server cannot keep it just now: who comes later may not see it."
      // Before the message itself: a client that has this but not that finds the message when it comes back, and one that has neither is answered again.
      if let writer = members[entry.from] {
        answer(isWritten ? .said(entry.id) : .refused(.internalError, sentence), to: id, writer)
      }
      forgetChat(chat.append(entry))
      pruneLater()
      counters.chatMessages.add(1)
      if let to = entry.to {
        for id in Set([to, entry.from]) { members[id]?.channel?.send(.chat(entry)) }
      } else {
        broadcast(.chat(entry)) { $0.id == entry.from || $0.permissions.contains(.subscribe) }
      }
    case .changed(let entry):
      broadcast(.room(.chat(.changed(entry)))) { isVisible(entry, to: $0) }
    }
  }

  /// The oldest messages are kept no more, in memory and on the disk.
  func forgetChat(_ gone: [ChatEntry]) {
    guard let last = gone.last else { return }
    removeFiles(of: gone)
    if keepsChat(meeting.chat), !isClosed { keep(.forget(through: last.id)) }
  }

  /// The rules for the chat have changed: it is kept from now on, or no more.
  func keepChat(insteadOf before: ChatPolicy) {
    guard keepsChat(before) != keepsChat(meeting.chat) else { return }
    if keepsChat(meeting.chat) {
      for entry in chat.all { _ = keep(entry) }
    } else if keeping.place != 0 || keeping.isRestored {
      keep(.forget(through: .max))
    }
  }
}
