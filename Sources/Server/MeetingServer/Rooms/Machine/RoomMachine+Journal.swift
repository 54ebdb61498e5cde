import FoundationEssentials
import Meetings
import Signaling

/// Writes of the room's journal, with which the next process goes on after a kill.
extension RoomMachine {
  // MARK: Decisions of hosts

  /// Hosts' decisions as they are now, without holders whose token is in `shared`.
  func snapshot(_ shared: Set<String>) -> RoomSnapshot {
    var state = RoomSnapshot(
      isLocked: lobby.isLocked, decisions: moderation.overrides, muteAll: moderation.muteAll,
      spotlight: moderation.spotlight ?? journal.absentSpotlight)
    for id in (moderation.muteAll?.spared ?? []).union([state.spotlight].compactMap(\.self)) {
      state.holders[id] = holder(id, shared)
    }
    return state
  }

  /// The present decisions of hosts for the journal.
  var snapshot: RoomSnapshot { snapshot(sharedTokens) }

  /// The holder of a participant's token; nil for a token in `shared`.
  private func holder(_ id: String, _ shared: Set<String>) -> Holder? {
    guard let member = roster[id] else { return journal.absent[id] }
    let holder = Holder(member.admission.grant)
    return holder?.token.map(shared.contains) ?? false ? nil : holder
  }

  /// Tokens without a user with which several members joined, such as those of guests with one link: they identify
  /// nobody.
  private var sharedTokens: Set<String> {
    var (seen, shared): (Set<String>, Set<String>) = ([], [])
    for member in roster.members {
      guard let token = Holder(member.admission.grant)?.token else { continue }
      if !seen.insert(token).inserted { shared.insert(token) }
    }
    return shared
  }

  /// Writes changed decisions of hosts, and changed polls.
  func keepState() {
    guard setup.hasJournal, !isClosed else { return }
    mendJournal()
    let shared = sharedTokens
    for id in polls.takeChanged().sorted() {
      let name = RoomJournal.pollName + String(id)
      let poll = polls.kept(id) { holder($0, shared) }
      persist(poll.flatMap { RoomJournal.text($0) }.map { .value($0, of: name) } ?? .noValue(of: name))
    }
    let state = snapshot(shared)
    guard state != journal.state, let text = RoomJournal.text(state) else { return }
    journal.state = state
    persist(.value(text, of: RoomJournal.stateName))
  }

  /// Repairs the journal after writes were given up: writes hosts' decisions again, and deletes dropped chat messages.
  private func mendJournal() {
    guard journal.mend() else { return }
    persistName()
    polls.keepAgain()
    if !keepsChat(meeting.chat) {
      persist(.forget(through: .max))
    } else if let first = chat.all.first {
      persist(.forget(through: first.id - 1))
    }
  }

  /// Writes that the meeting runs, so that its end is reported also when the server is killed and nobody comes back.
  func persistName() { persist(.value(setup.identity.room.display, of: RunningMeeting.roomName)) }

  /// Adds a write to the journal, and returns the number of the last one.
  @discardableResult func persist(_ change: RunningWrite.Change) -> UInt64 {
    guard setup.hasJournal, change == .end || journal.isWritable else { return journal.writes }
    output.append(.journal(change))
    return journal.nextWrite()
  }

  /// Deletes the meeting's state and files. With `isLeaving`, an orphaned meeting to which nobody has come back keeps
  /// them.
  func endJournal(isLeaving: Bool) {
    if isLeaving && journal.isRestored && !journal.wasEntered { return }
    if journal.hasContent {
      persist(.end)
      output.append(.leftMeetingGoesOn)
    }
    output.append(.removeAllFiles)
  }

  // MARK: The chat

  /// Whether a chat with these rules survives the process.
  func keepsChat(_ policy: ChatPolicy) -> Bool {
    setup.hasJournal && policy.history && policy.maximumMessages != 0
  }

  /// Writes a message if the meeting keeps its chat; returns the number of the write then.
  func persist(_ entry: ChatEntry) -> UInt64? {
    guard keepsChat(meeting.chat) else { return nil }
    for id in [entry.from, entry.to].compactMap(\.self) {
      if let user = roster[id]?.admission.grant.user { journal.users[id] = user }
    }
    let kept = JournaledChatEntry(
      entry: entry, from: journal.users[entry.from], to: entry.to.flatMap { journal.users[$0] })
    return kept.message.map { persist(.message($0)) }
  }

  /// Deletes the oldest messages from the disk, with their files.
  func forgetChat(_ gone: [ChatEntry]) {
    guard let last = gone.last else { return }
    removeFiles(of: gone)
    if keepsChat(meeting.chat), !isClosed { persist(.forget(through: last.id)) }
  }

  /// The rules for the chat have changed from `before`: it is kept from now on, or isn't any more.
  func changeChatKeeping(from before: ChatPolicy) {
    guard keepsChat(before) != keepsChat(meeting.chat) else { return }
    if keepsChat(meeting.chat) {
      for entry in chat.all { _ = persist(entry) }
    } else if journal.hasContent {
      persist(.forget(through: .max))
    }
  }
}
