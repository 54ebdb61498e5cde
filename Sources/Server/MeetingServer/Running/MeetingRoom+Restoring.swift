import Basics
import FoundationEssentials
import Meetings
import Signaling

/// How a meeting that a killed server has left goes on: its room takes over what was kept, and whoever comes back gets what was theirs.
extension MeetingRoom {
  /// What a killed server has left of a meeting; nil when that is nothing, or somebody has come back to it.
  private static func left(
    of meeting: MeetingID, in book: RunningBook
  ) async throws(Refusal) -> (RunningMeeting, files: MeetingID?)? {
    if !book.isTakenOver, !(await book.takenOver()) { throw .unavailable("what was left of meetings cannot be read") }
    guard book.hasLeft(meeting) else { return nil }
    do throws(MeetingStoreError) {
      return try await book.left(of: meeting)
    } catch {
      // Better nobody than somebody whom a lock is to keep out.
      throw .unavailable(error.description)
    }
  }

  /// What hosts had decided in a meeting that a killed server has left; nil when it has left nothing of it.
  static func decisions(leftOf meeting: MeetingID, in book: RunningBook?) async throws(Refusal) -> DecisionBook? {
    guard let book, let (left, _) = try await left(of: meeting, in: book) else { return nil }
    return left.values[stateName].flatMap { RoomKeeping.value(KeptState.self, $0) }?.decisions
  }

  /// Takes over what a server that was killed has left of the meeting. Everybody who comes waits for that.
  func restore() async throws(Refusal) {
    guard let book = doors.running, !keeping.isRestored else { return }
    let found = try await Self.left(of: identity.id, in: book)
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
