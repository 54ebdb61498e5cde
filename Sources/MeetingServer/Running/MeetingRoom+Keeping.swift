import FoundationEssentials
import Meetings
import Signaling

/// What of the room is kept on the disk while the meeting runs, so that a server that is killed goes on with it when it runs again.
extension MeetingRoom {
  // MARK: What hosts decide

  /// What the one value of the room is called that is no poll.
  private static let stateName = "state"
  private static let pollName = "poll "

  private func stateToKeep(_ shared: Set<String>) -> KeptState {
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

  @discardableResult private func keep(_ what: RunningWrite.What) -> UInt64 {
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
  private func keepsChat(_ policy: ChatPolicy) -> Bool {
    doors.running != nil && policy.history && policy.maximumMessages != 0
  }

  /// Has a message written down where the meeting keeps its chat; returns its place then.
  private func keep(_ entry: ChatEntry) -> UInt64? {
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
  func pass(_ entry: ChatEntry, id: Int? = nil, _ channel: SignalingChannel? = nil) -> UInt64? {
    let place = keep(entry)
    tell(.message(entry, id: id, channel), after: place)
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
    case .message(let entry, let id, let channel):
      if !isWritten {
        // A file's sender hears it over HTTP, and is refused.
        guard entry.file == nil else { return }
        channel?.refuse(
          .internalError,
          "The message went out, but the server cannot keep it just now: who comes later may not see it.",
          id: id)
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

  // MARK: After a restart

  /// Takes over what a server that was killed has left of the meeting. Everybody who comes waits for that.
  func restore() async throws(Refusal) {
    guard let book = doors.running, !keeping.isRestored else { return }
    if !book.isTakenOver, !(await book.takenOver()) { throw .unavailable("what was left of meetings cannot be read") }
    guard !keeping.isRestored, book.hasLeft(identity.id) else { return }
    let found: (RunningMeeting, files: MeetingID?)?
    do throws(MeetingStoreError) {
      found = try await book.left(of: identity.id)
    } catch {
      // Better nobody than somebody whom a lock is to keep out.
      throw .unavailable(error.description)
    }
    guard let (left, files) = found, !keeping.isRestored, !isClosed else { return }
    keeping.isRestored = true
    if let files { filesKey = files }
    restore(left.values)
    if keepsChat(meeting.chat) { restore(left.messages) }
    log.info("meeting.restored", ["meeting": identity.id, "messages": left.messages.count])
  }

  private func restore(_ values: [String: String]) {
    let state = values[Self.stateName].map { RoomKeeping.value(KeptState.self, $0) }
    let texts = values.filter { $0.key.hasPrefix(Self.pollName) }.values
    let kept = texts.compactMap { RoomKeeping.value(PollTable.Kept.self, $0) }
    if kept.count < texts.count || state == .some(nil) { log.error("meeting.unreadable", ["meeting": identity.id]) }
    var holders = (state ?? nil)?.holders ?? [:]
    for poll in kept { holders.merge(poll.holders) { $1 } }
    // A token without a user is somebody only where one participant alone came with it.
    var bearers: [Holder: Int] = [:]
    for holder in holders.values { bearers[holder, default: 0] += 1 }
    let absent = holders.filter { $0.value.user != nil || bearers[$0.value] == 1 }
    keeping.absent = absent
    polls.restore(kept) { absent[$0] != nil }
    if let state = state ?? nil { restore(state) }
  }

  private func restore(_ state: KeptState) {
    lobby.isLocked = state.isLocked
    decided = state.decisions
    muteAll = state.muteAll
    // Nobody can be known again of whom nothing is known.
    for id in muteAll?.spared.subtracting(keeping.absent.keys) ?? [] { muteAll?.forget(id) }
    keeping.absentSpotlight = state.spotlight.flatMap { keeping.absent[$0] == nil ? nil : $0 }
    keeping.state = stateToKeep([])
  }

  private func restore(_ messages: [KeptMessage]) {
    var entries: [ChatEntry] = []
    for message in messages {
      guard let kept = RoomKeeping.value(KeptEntry.self, message.body) else {
        log.error("chat.unreadable", ["meeting": identity.id, "message": message.id])
        continue
      }
      entries.append(kept.entry)
      for (id, user) in [(kept.entry.from, kept.from), (kept.entry.to, kept.to)] {
        guard let id, let user else { continue }
        keeping.users[id] = user
        keeping.absentWriters[user, default: []].insert(id)
      }
    }
    let gone = chat.restore(entries, now: Date())
    if !gone.isEmpty { removeFiles(of: gone) }
    pruneLater()
  }

  /// Somebody is in: what is written of one other with the same token says that they could be known by it.
  private func noteSharing(by member: RoomMember) {
    guard let token = Holder(member.admission.grant)?.token else { return }
    guard members.values.filter({ Holder($0.admission.grant)?.token == token }).count == 2 else { return }
    polls.keepAgain()
    keepState()
  }

  /// The ids under which hosts have decided something about whoever has this grant, before a restart.
  private func absent(_ grant: JoinGrant) -> [String] {
    guard !keeping.absent.isEmpty, let holder = Holder(grant) else { return [] }
    return keeping.absent.filter { $0.value == holder }.map(\.key)
  }

  /// Somebody is about to come in: what hosts have spared them before a restart holds for what they bring.
  func expect(_ member: RoomMember) {
    guard muteAll != nil else { return }
    for old in absent(member.admission.grant) { muteAll?.spare(member.id, as: old) }
  }

  /// Somebody is in, and is told of the meeting next: it goes on if it was left by a killed server, and what was theirs is theirs again.
  func entered(_ member: RoomMember) {
    if !keeping.wasEntered {
      keeping.wasEntered = true
      keepName()
      if keeping.isRestored {
        doors.running?.resumed(identity.id)
        // It goes on: that it has started was told before.
        hasStarted = true
        // What was too old or too much since the restart stayed on the disk until now.
        keep(.forget(through: keepsChat(meeting.chat) ? chat.all.first.map { $0.id - 1 } ?? chat.lastID : .max))
        if let files = doors.files { Task { [filesKey] in await files.resume(filesKey) } }
      }
    }
    noteSharing(by: member)
    takeBack(member)
    takeBackChat(member)
  }

  /// That the meeting runs is on the disk from now on, so that its end is told also when the server is killed and nobody comes back.
  private func keepName() { keep(.value(identity.room.display, of: RunningMeeting.roomName)) }

  private func takeBackChat(_ member: RoomMember) {
    guard let user = member.admission.grant.user, let olds = keeping.absentWriters.removeValue(forKey: user) else {
      return
    }
    keeping.users[member.id] = user
    // The others know them by the former id in what everybody sees, which is no more than a name there.
    for entry in chat.rename(olds, to: member.id) { _ = keep(entry) }
  }

  /// What was theirs before a restart is theirs under the id that they have now.
  private func takeBack(_ member: RoomMember) {
    let olds = absent(member.admission.grant)
    guard !olds.isEmpty else { return }
    for old in olds {
      keeping.absent[old] = nil
      muteAll?.forget(old)
      for poll in polls.rename(old, to: member.id) { tellSoon(poll) }
      if keeping.absentSpotlight == old { keeping.absentSpotlight = member.id }
    }
    keepState()
  }

  /// Somebody is in, and everybody knows it: they are shown large again who were before a restart.
  func returned(_ member: RoomMember) {
    if keeping.absentSpotlight == member.id { setSpotlight(member.id) }
  }
}
