import Basics
import FoundationEssentials
import Meetings
import Signaling

/// How an orphaned meeting goes on: its room takes over its state, and participants who come back get theirs.
extension RoomMachine {
  /// Takes over the state of an orphaned meeting, before anybody joins.
  func restore(_ left: RunningMeeting) {
    journal.isRestored = true
    restore(left.values)
    if keepsChat(meeting.chat) { restore(left.messages) }
    log(.info, "meeting.restored", ["meeting": setup.identity.id, "messages": left.messages.count])
  }

  private func restore(_ values: [String: String]) {
    let state = values[RoomJournal.stateName].map { RoomJournal.value(RoomSnapshot.self, $0) }
    let texts = values.filter { $0.key.hasPrefix(RoomJournal.pollName) }.values
    let kept = texts.compactMap { RoomJournal.value(PollTable.Kept.self, $0) }
    if kept.count < texts.count || state == .some(nil) {
      log(.error, "meeting.unreadable", ["meeting": setup.identity.id])
    }
    var holders = (state ?? nil)?.holders ?? [:]
    for poll in kept { holders.merge(poll.holders) { $1 } }
    // A token without a user identifies somebody only if one participant alone had it.
    var bearers: [Holder: Int] = [:]
    for holder in holders.values { bearers[holder, default: 0] += 1 }
    let absent = holders.filter { $0.value.user != nil || bearers[$0.value] == 1 }
    journal.absent = absent
    polls.restore(kept) { absent[$0] != nil }
    if let state = state ?? nil { restore(state) }
  }

  private func restore(_ state: RoomSnapshot) {
    lobby.isLocked = state.isLocked
    moderation.overrides = state.decisions
    moderation.muteAll = state.muteAll
    // Without a holder nobody can be recognised.
    for id in moderation.muteAll?.spared.subtracting(journal.absent.keys) ?? [] { moderation.muteAll?.forget(id) }
    journal.absentSpotlight = state.spotlight.flatMap { journal.absent[$0] == nil ? nil : $0 }
    journal.state = snapshot([])
  }

  private func restore(_ messages: [JournaledMessage]) {
    var entries: [ChatEntry] = []
    for message in messages {
      guard let kept = RoomJournal.value(JournaledChatEntry.self, message.body) else {
        log(.error, "chat.unreadable", ["meeting": setup.identity.id, "message": message.id])
        continue
      }
      entries.append(kept.entry)
      for (id, user) in [(kept.entry.from, kept.from), (kept.entry.to, kept.to)] {
        guard let id, let user else { continue }
        journal.users[id] = user
        journal.absentWriters[user, default: []].insert(id)
      }
    }
    let gone = chat.restore(entries, now: now.date)
    if !gone.isEmpty { removeFiles(of: gone) }
    schedulePruning()
  }

  /// A second participant with the same token has joined: the journal must not identify the first one by it any more.
  private func keepSharing(by member: RoomMember) {
    guard let token = Holder(member.admission.grant)?.token else { return }
    guard roster.members.filter({ Holder($0.admission.grant)?.token == token }).count == 2 else { return }
    polls.keepAgain()
    keepState()
  }

  /// A participant is about to join: gives them the exceptions from muting that they had before a restart.
  func expect(_ member: RoomMember) {
    guard moderation.muteAll != nil else { return }
    for old in journal.absent(member.admission.grant) { moderation.muteAll?.spare(member.id, as: old) }
  }

  /// A participant has joined, and gets the welcome next. An orphaned meeting goes on, and the participant's former
  /// state is theirs again.
  func entered(_ member: RoomMember) {
    if !journal.wasEntered {
      journal.wasEntered = true
      persistName()
      if journal.isRestored {
        output.append(.leftMeetingGoesOn)
        // Its start was reported before the restart.
        lifeCycle.hasStarted = true
        // Messages that were too old or too many since the restart stayed on the disk until now.
        persist(.forget(through: keepsChat(meeting.chat) ? chat.all.first.map { $0.id - 1 } ?? chat.lastID : .max))
        output.append(.resumeFiles)
      }
    }
    keepSharing(by: member)
    restoreState(of: member)
    restoreChat(of: member)
  }

  private func restoreChat(of member: RoomMember) {
    guard let user = member.admission.grant.user, let olds = journal.absentWriters.removeValue(forKey: user) else {
      return
    }
    journal.users[member.id] = user
    // In public messages the former id stays, as no more than a name.
    for entry in chat.rename(olds, to: member.id) { _ = persist(entry) }
  }

  /// Gives a participant who is back what belonged to its id of before the restart.
  private func restoreState(of member: RoomMember) {
    let olds = journal.absent(member.admission.grant).sorted()
    guard !olds.isEmpty else { return }
    for old in olds {
      journal.absent[old] = nil
      moderation.muteAll?.forget(old)
      pollChanges.insert(polls.rename(old, to: member.id), now: now.instant)
      if journal.absentSpotlight == old { journal.absentSpotlight = member.id }
    }
    keepState()
  }

  /// Puts a participant into the spotlight again who was there before a restart. By now everybody knows the new id.
  func restoreSpotlight(of member: RoomMember) {
    if journal.absentSpotlight == member.id { setSpotlight(member.id) }
  }
}
