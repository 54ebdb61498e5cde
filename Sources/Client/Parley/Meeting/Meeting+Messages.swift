import Basics
import Signaling

extension Meeting {
  /// Reads the socket of the session until it closes, and then brings it back.
  func follow(_ signaling: SignalingSession) {
    let channel = signaling.channel
    // Neither the meeting nor its session is held: an app that lets go of the meeting leaves it.
    tasks.run { [weak self, weak signaling] in
      while let message = await channel.receive() {
        guard let self, let signaling, self.signaling === signaling else { return }
        self.apply(message)
      }
      guard let self, let signaling, self.signaling === signaling, self.state != .ended else { return }
      await self.resume(signaling)
    }
  }

  /// Applies a message of the server. `welcome` and `waiting` are ``enter()``'s.
  func apply(_ message: ServerMessage) {
    switch message {
    case .welcome, .waiting: break
    case .lobby(let info): takeLobby(info)
    case .resumed(let participants, let slots, let chat, let state, let announcements):
      applyResumed(participants, slots, chat, state, announcements ?? [])
    case .answer(let id, let answer, let slots, let publications):
      for publication in publications ?? [] { roster.applyFacts(of: publication) }
      takeAnswer(id: id, answer: answer, slots: slots)
    case .participantJoined(let info):
      withKeys { $0.join(info.id, now: $1) }
      apply(info)
    case .participantUpdated(let info): apply(info)
    case .participantLeft(let id, let reason):
      withKeys { $0.leave(id, isRemoved: reason == .removed, now: $1) }
      removeParticipant(id, reason)
    case .published(let participant, let publication), .publicationUpdated(let participant, let publication):
      carryOut(roster.applyPublication(publication, of: participant))
      applySlots()
    case .unpublished(let participant, let publication, let reason):
      carryOut(roster.removePublication(publication, of: participant, reason))
    case .slots(let slots):
      self.slots.all = slots
      applySlots()
    case .paused(let slots, let reason): takePaused(slots, reason)
    case .wanted(let wanted): takeWanted(wanted)
    case .needSlots(let audio, let video): addSlots(audio: audio, video: video)
    case .speakers(let levels):
      speakerState = speakerState.applying(levels, roster)
      emit(.speakersChanged(speakers))
    case .quality(let qualities): carryOut(roster.applyQuality(qualities))
    case .chat(let entry): takeChat(entry, isHistory: false)
    case .signal(let signal, let from): takeSignal(signal, from: from)
    case .announcement(let announcement): take(announcement)
    case .keyEnvelopes(let envelopes): take(envelopes)
    case .room(let notice): apply(notice)
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
    // The socket of who sends too fast is closed, and the session is kept: it is resumed as after any loss.
    guard fatal, code != .tooFast else {
      forgetRefused(code)
      emit(.problem(text))
      return
    }
    lastError = error
    if error.isFinal { end(.failed, message: text) } else { rejoin() }
  }

  /// A refused value isn't sent again.
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

  // MARK: Chat

  func takeChat(_ sealed: ChatEntry, isHistory: Bool, mayWait: Bool = true) {
    guard let entry = opened(sealed, isHistory: isHistory, mayWait: mayWait) else { return }
    guard !chatMessages.contains(entry.id) else {
      // Changed while the signalling was down.
      if isHistory { takeChanged(entry) }
      return
    }
    // After a rejoin nobody knows the numbers any more: messages of the former session are in the history, or did not
    // arrive.
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
