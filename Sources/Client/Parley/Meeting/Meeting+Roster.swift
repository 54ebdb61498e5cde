import Signaling

/// Carries out what the ``Roster`` finds changed.
extension Meeting {
  /// The whole state, of a welcome or a resume: what is not in it is gone.
  func applyState(
    _ infos: [ParticipantInfo], _ slots: [SlotInfo], _ chat: [ChatEntry], _ state: RoomState?, isWelcome: Bool
  ) {
    changeRoster { $0.applyAll(infos.map(named), isWelcome: isWelcome) }
    self.slots.all = slots
    applySlots()
    for entry in chat { takeChat(entry, isHistory: true) }
    if let state { apply(state) }
  }

  func apply(_ info: ParticipantInfo) { changeRoster { $0.apply(named(info)) } }

  func removeParticipant(_ id: String, _ reason: LeaveReason) { changeRoster { $0.remove(id, reason) } }

  private func changeRoster(_ body: (inout Roster) -> [Roster.Change]) {
    // A copy, since observers of a participant may read the meeting while it changes.
    var changed = roster
    let changes = body(&changed)
    // Readers of the participants hear of those who come and go alone.
    if !changed.participants.elementsEqual(roster.participants, by: ===) { roster = changed }
    carryOut(changes)
  }

  /// A signed name counts more than the server's word.
  private func named(_ info: ParticipantInfo) -> ParticipantInfo {
    var info = info
    if let signed = secret?.names[info.id] { info.name = signed }
    return info
  }

  func carryOut(_ changes: [Roster.Change]) {
    for change in changes {
      switch change {
      case .joined(let participant):
        participant.meeting = self
        participant.identity = secret?.identities[participant.id]
        emit(.participantJoined(participant))
        announce(.entered(name: participant.name))
      case .updated(let participant): emit(.participantUpdated(participant))
      case .left(let participant, let reason):
        speakerState.remove(participant)
        emit(.participantLeft(participant, reason))
        announce(.left(name: participant.name, reason))
      case .renamed:
        withKeys { $0.rename(local.name, now: $1) }
        emit(.participantUpdated(local))
      case .handChanged(let participant): emit(.room(.handChanged(participant)))
      case .qualityChanged(let participant, let quality): emit(.qualityChanged(participant, quality))
      case .published(let publication):
        emit(.published(publication))
        applyCodec(to: publication)
      case .unpublished(let publication):
        unsubscribe(publication)
        emit(.unpublished(publication))
      case .muteChanged(let publication): emit(.muteChanged(publication))
      case .mutedByHost(let publication):
        // It is said back, since it may have crossed with a change of this client.
        publication.setMuted(true)
        publication.isMutedByHost = true
        emit(.room(.mutedByHost(publication)))
      case .stoppedByHost(let publication, let reason):
        emit(.room(.stoppedByHost(publication, reason: reason)))
        tasks.run { await publication.unpublish() }
      }
    }
  }
}
