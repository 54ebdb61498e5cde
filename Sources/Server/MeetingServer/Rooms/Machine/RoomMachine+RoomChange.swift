import Meetings
import Signaling

/// How an authorised request is carried out.
extension RoomMachine {
  func apply(_ change: RoomChange, by member: RoomMember) {
    switch change {
    case .nothing: break
    case .setHand(let raised, let target): setHand(raised, target)
    case .lowerHands: for other in roster.members { setHand(false, other) }
    case .react(let reaction):
      broadcast(.room(.reaction(participant: member.id, reaction))) { $0.permissions.contains(.subscribe) }
    case .setPolls(let changed, let id):
      polls = changed
      notifyPoll(id)
    case .removePoll(let changed, let id):
      polls = changed
      broadcast(.room(.pollRemoved(id))) { $0.permissions.contains(.subscribe) }
    case .vote(let poll, let options):
      // It was checked in this very step.
      try? polls.vote(poll, options, by: member.id)
      pollChanges.insert([poll], now: now.instant)
    case .mute(let target, let muted, let stopped):
      if !stopped.isEmpty { stop(stopped, of: target.id) }
      forceMute(participant: target.id, sources: muted)
    case .muteAll(let order, let includingLater): muteAll(order, includingLater: includingLater)
    case .liftMuteAll: liftMuteAll()
    case .askToUnmute(let target, let sources):
      moderation.muteAll?.except.insert(target.id)
      target.channel?.send(.room(.unmuteRequested(sources: sources, by: member.isHidden ? nil : member.id)))
    case .remove(let target, let isBanned):
      let message = "A host has removed you from the meeting."
      if isBanned { _ = ban(target.id, message: message) } else { removeParticipant(target.id, message: message) }
    case .setRole(let role, let target): setRole(role, of: target.id)
    case .setPermissions(let permissions, let target): setPermissions(permissions, of: target.id)
    case .spotlight(let id): setSpotlight(id)
    case .editChat(let entry): changeChat(entry)
    case .deleteChat(let entry, let deletion):
      var deleted = entry
      removeFiles(of: [entry])
      deleted.text = ""
      deleted.file = nil
      deleted.deleted = deletion
      changeChat(deleted)
    case .lock(let isLocked):
      lobby.isLocked = isLocked
      notifyHosts()
    case .endMeeting: end(.endedByHost, "A host has ended the meeting.")
    }
  }

  private func setHand(_ raised: Bool, _ member: RoomMember) {
    guard hands.set(raised, member) else { return }
    announce(.participantUpdated(member.info), about: member)
  }
}
