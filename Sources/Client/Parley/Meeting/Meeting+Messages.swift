import Basics
import Signaling

extension Meeting {
  /// Reads the socket of `place` until it closes, and then brings it back.
  func follow(_ place: Place) {
    let channel = place.channel
    // Neither the meeting nor its place is held: an app that lets go of the meeting leaves it.
    tasks.run { [weak self, weak place] in
      while let message = await channel.receive() {
        guard let self, let place, self.place === place else { return }
        self.apply(message)
      }
      guard let self, let place, self.place === place, self.state != .ended else { return }
      await self.resume(place)
    }
  }

  /// Applies a message of the server. `welcome` and `waiting` are ``enter()``'s.
  func apply(_ message: ServerMessage) {
    switch message {
    case .welcome, .waiting: break
    case .lobby(let info): takeLobby(info)
    case .resumed(let participants, let slots, let chat, let state, let announcements):
      withKeys { $0.resume(announcements ?? [], roster: participants.map(\.id), now: $1) }
      takeState(participants, slots, chat, state)
      takeStopped(participants)
      tellViewsAgain()
    case .answer(let id, let answer, let slots, let publications):
      for publication in publications ?? [] { takeFacts(of: publication) }
      takeAnswer(id: id, answer: answer, slots: slots)
    case .participantJoined(let info):
      withKeys { $0.join(info.id, now: $1) }
      takeParticipant(info)
    case .participantUpdated(let info): takeParticipant(info)
    case .participantLeft(let id, let reason):
      withKeys { $0.leave(id, isRemoved: reason == .removed, now: $1) }
      removeParticipant(id, reason)
    case .published(let participant, let publication), .publicationUpdated(let participant, let publication):
      takePublication(publication, of: participant)
      applySlots()
    case .unpublished(let participant, let publication, let reason):
      removePublication(publication, of: participant, reason)
    case .slots(let slots):
      self.slots.all = slots
      applySlots()
    case .paused(let slots, let reason): takePaused(slots, reason)
    case .wanted(let wanted): takeWanted(wanted)
    case .needSlots(let audio, let video): addSlots(audio: audio, video: video)
    case .speakers(let speakers): takeSpeakers(speakers)
    case .quality(let quality): takeQuality(quality)
    case .chat(let entry): takeChat(entry, isHistory: false)
    case .signal(let signal, let from): takeSignal(signal, from: from)
    case .announcement(let announcement): take(announcement)
    case .keyEnvelopes(let envelopes): take(envelopes)
    case .room(let notice): take(notice)
    case .codec(let notice): take(notice)
    case .token(let notice): take(notice)
    case .pong(let time): takePong(time)
    case .error(let code, let text, let fatal, let id): takeError(code, text, fatal, id)
    case .ended(let reason, let text): end(EndReason(reason), message: text)
    }
  }

  private func takeError(_ code: SignalingErrorCode, _ text: String, _ fatal: Bool, _ id: Int?) {
    if let id, code == .tooFast, !fatal, holdBack(id) { return }
    let error = JoinError(code: code.rawValue, message: text)
    if let id,
      takeRefusal(id: id, error) || takeChatRefusal(id: id, error) || takeRequestRefusal(id: id, error)
        || settle(signal: id, .failure(error))
    {
      return
    }
    // The socket of who sends too fast is closed, and the place is kept: it is taken back as after any loss.
    guard fatal, code != .tooFast else {
      forgetRefused(code)
      emit(.problem(text))
      return
    }
    lastError = error
    if error.isFinal { end(.failed, message: text) } else { rejoin() }
  }

  /// What the server will not take is not sent again.
  private func forgetRefused(_ code: SignalingErrorCode) {
    switch code {
    case .badName, .notAllowed: local.wantedName = nil
    default: break
    }
  }

  /// The server refused a chat message, or did not answer. False when it is not one of ours.
  func takeChatRefusal(id: Int, _ error: JoinError) -> Bool {
    guard let message = queue.removeChat(id) else { return false }
    secret?.forget(id)
    emit(.chatFailed(message, error))
    sendInTurn()
    return true
  }

  // MARK: Participants

  /// The whole state, of a welcome or a resume: what is not in it is gone.
  func takeState(_ infos: [ParticipantInfo], _ slots: [SlotInfo], _ chat: [ChatEntry], _ state: RoomState?) {
    let present = Set(infos.map(\.id))
    for participant in participants where !present.contains(participant.id) { removeParticipant(participant.id, .left) }
    for info in infos {
      takeParticipant(info, isWhole: true)
      let publications = Set(info.publications.map(\.id))
      for old in participantsByID[info.id]?.publications ?? []
      where !publications.contains(old.id) {
        removePublication(old.id, of: info.id)
      }
    }
    self.slots.all = slots
    applySlots()
    for entry in chat { takeChat(entry, isHistory: true) }
    take(state)
  }

  /// `isWhole` for one of a whole state, which is how things are; otherwise it may say of own tracks what was just changed.
  private func takeParticipant(_ told: ParticipantInfo, isWhole: Bool = false) {
    var info = told
    if let signed = secret?.names[info.id] { info.name = signed }
    if info.id == local.id {
      takeHand(info.hand, of: local)
      (local.data, local.created) = (info.data, info.created)
      if local.wantedName == info.name { local.wantedName = nil }
      if local.name != info.name {
        // The server has the last word: a token may set the name.
        local.name = info.name
        withKeys { $0.rename(info.name, now: $1) }
        emit(.participantUpdated(local))
      }
    } else if let known = participantsByID[info.id] {
      let before = (known.name, known.role, known.isReconnecting, known.permissions)
      known.name = info.name
      known.role = ParticipantRole(rawValue: info.role)
      known.isReconnecting = info.connection == .reconnecting
      known.permissions = ParticipantPermission.of(role: known.role, named: info.permissions)
      if before != (known.name, known.role, known.isReconnecting, known.permissions) {
        emit(.participantUpdated(known))
      }
      takeHand(info.hand, of: known)
    } else {
      let participant = RemoteParticipant(info)
      participant.meeting = self
      participant.identity = secret?.identities[info.id]
      participants.append(participant)
      participantsByID[participant.id] = participant
      emit(.participantJoined(participant))
      announce(.entered(name: participant.name))
    }
    for publication in info.publications {
      if info.id == local.id, !isWhole {
        takeFacts(of: publication)
      } else {
        takePublication(publication, of: info.id)
      }
    }
  }

  private func takeHand(_ hand: Int?, of participant: any Participant) {
    guard participant.hand != hand else { return }
    if participant === local { local.hand = hand } else { (participant as? RemoteParticipant)?.hand = hand }
    emit(.room(.handChanged(participant)))
  }

  private func removeParticipant(_ id: String, _ reason: LeaveReason) {
    guard let participant = participantsByID[id] else { return }
    for publication in participant.publications { removePublication(publication.id, of: id) }
    participantsByID[id] = nil
    participants.removeAll { $0 === participant }
    speakers.removeAll { $0 === participant }
    emit(.participantLeft(participant, reason))
    announce(.left(name: participant.name, reason))
  }

  private func takePublication(_ info: PublicationInfo, of id: String) {
    if id == local.id {
      takeOwn(info)
      return
    }
    guard let participant = participantsByID[id] else { return }
    if let known = participant.publications.first(where: { $0.id == info.id }) {
      known.isMutedByHost = info.mutedByHost == true
      guard known.isMuted != info.muted else { return }
      known.isMuted = info.muted
      emit(.muteChanged(known))
      return
    }
    let publication = RemotePublication(info, participant: participant)
    participant.publications.append(publication)
    emit(.published(publication))
    applyCodec(to: publication)
  }

  private func removePublication(_ id: String, of participantID: String, _ reason: UnpublishReason? = nil) {
    if participantID == local.id { return removeOwn(id, reason) }
    guard let participant = participantsByID[participantID],
      let index = participant.publications.firstIndex(where: { $0.id == id })
    else { return }
    let publication = participant.publications.remove(at: index)
    unsubscribe(publication)
    emit(.unpublished(publication))
  }

  // MARK: Speakers, quality, chat

  private func takeSpeakers(_ levels: [SpeakerLevel]) {
    for speaker in speakers { setLevel(0, of: speaker) }
    speakers = levels.compactMap { level in
      guard let speaker = participant(level.participant) else { return nil }
      setLevel(min(max(level.level, 0.01), 1), of: speaker)
      return speaker
    }
    emit(.speakersChanged(speakers))
  }

  private func setLevel(_ level: Double, of participant: any Participant) {
    if participant === local {
      local.audioLevel = level
    } else {
      (participant as? RemoteParticipant)?.audioLevel = level
    }
  }

  private func takeQuality(_ qualities: [String: ConnectionQuality]) {
    for (id, quality) in qualities.sorted(by: { $0.key < $1.key }) {
      guard let participant = participant(id), participant.quality != quality else { continue }
      if participant === local {
        local.quality = quality
      } else {
        (participant as? RemoteParticipant)?.quality = quality
      }
      emit(.qualityChanged(participant, quality))
    }
  }

  func takeChat(_ sealed: ChatEntry, isHistory: Bool, mayWait: Bool = true) {
    guard let entry = opened(sealed, isHistory: isHistory, mayWait: mayWait) else { return }
    guard !chatMessages.contains(entry.id) else {
      // Changed while the signalling was down.
      if isHistory { takeChanged(entry) }
      return
    }
    // After joining anew nobody knows the numbers any more: what was said from the place before stands in the history, or did not arrive.
    if isHistory, connectionState.rejoining, ownIDs.contains(entry.from) {
      queue.removeChat(text: entry.text, to: entry.to)
    }
    chatMessages.insert(entry)
    emit(.chat(entry, isHistory: isHistory))
  }
}

extension EndReason {
  init(_ reason: Signaling.EndReason) {
    self =
      switch reason {
      case .shutdown: .shutdown
      case .expired: .expired
      case .removed: .removed
      case .replaced: .replaced
      case .endedByHost: .endedByHost
      case .tokenExpired: .tokenExpired
      case .tokenRevoked: .tokenRevoked
      }
  }
}
