import Foundation
import Parley

/// Events of the meeting, in the SDK's words.
extension SfBConversation {
  func take(_ event: MeetingEvent) {
    guard state != .idle else { return }
    switch event {
    case .waiting:
      selfParticipant.state = .inLobby
      state = .inLobby
    case .knocked(let somebody): addWaiting(somebody)
    case .knockEnded(let somebody): removeWaiting { $0 == somebody.id }
    case .joined: established()
    case .participantJoined(let remote): add(remote)
    case .participantUpdated(let somebody): participant(somebody as? RemoteParticipant)?.refresh()
    case .participantLeft(let remote, _): remove(remote)
    case .published(let publication), .unpublished(let publication), .muteChanged(let publication),
      .unsubscribed(let publication):
      refresh(publication.participant)
    case .subscribed(let subscription):
      if subscription.audio != nil { audioService.soundArrived() }
      refresh(subscription.participant)
    case .speakersChanged(let speakers): take(speakers: speakers)
    case .chat(let message, let isHistory): chatService.take(message, isHistory: isHistory)
    case .chatFailed(let message, let error): chatService.fail(message, error)
    case .chatting(.typing(let sender, let isTyping, _)): participant(sender)?.chat.isTyping = isTyping
    case .sourceEnded(let publication, let error): sourceEnded(publication, error)
    case .reconnecting(let step): reconnecting(step)
    case .reconnected: reconnected()
    case .room(let event): take(event)
    case .problem(let text): alert(.communication, .warning, .notice, text)
    case .ended(let reason, let message): ended(reason, message)
    default: break
    }
  }

  private func established() {
    takeOneself()
    // Before the state, so that no observer learns that they could be started.
    chatService.isRunning = true
    audioService.established()
    state = .established
    refreshVideo()
  }

  /// Applies the server's state of this guest: at the beginning, and when it has joined again.
  private func takeOneself() {
    if let info = meeting.info { take(info) }
    permissions = meeting.local.permissions
    application.remember(meeting.local.id)
    selfParticipant.state = .connected
    selfParticipant.person.displayName = meeting.local.name
    selfParticipant.person.sipUri = SfBPerson.address(meeting.local.id, at: host)
    selfParticipant.refresh()
  }

  // MARK: People

  private func add(_ remote: RemoteParticipant) {
    let person = SfBPerson(name: remote.name, sipUri: SfBPerson.address(remote.id, at: host))
    let participant = SfBParticipant(person, remote: remote)
    participant.conversation = self
    participant.refresh()
    remoteParticipants.append(participant)
    // Participants who were there first have not joined now.
    if isEstablished { historyService.add(SfBParticipantActivityItem(.participantJoined, person)) }
    if remote.role.rawValue == "recorder" {
      alert(.conferenceIsRecording, .info, .notice, "\(remote.name) records this meeting.")
    }
  }

  /// A guest who leads the meeting sees who waits for it.
  private func addWaiting(_ somebody: WaitingParticipant) {
    let person = SfBPerson(name: somebody.name, sipUri: SfBPerson.address(somebody.id, at: host))
    let participant = SfBParticipant(person, remote: nil, waitingID: somebody.id)
    participant.conversation = self
    remoteParticipants.append(participant)
  }

  /// They are let in, and come as participants, or have gone.
  private func removeWaiting(_ isGone: (String) -> Bool) {
    remoteParticipants.removeAll { $0.waitingID.map(isGone) ?? false }
  }

  private func remove(_ remote: RemoteParticipant) {
    guard let participant = participant(remote) else { return }
    if dominantSpeaker === participant { dominantSpeaker = nil }
    remoteParticipants.removeAll { $0 === participant }
    participant.end()
    if isEstablished { historyService.add(SfBParticipantActivityItem(.participantLeft, participant.person)) }
    refreshVideo()
  }

  private func refresh(_ remote: RemoteParticipant?) {
    guard let participant = participant(remote) else { return }
    participant.refresh()
    refreshVideo()
  }

  private func take(speakers: [any Participant]) {
    let speaking = speakers.compactMap { somebody in
      somebody.id == meeting.local.id ? selfParticipant : participant(somebody as? RemoteParticipant)
    }
    for participant in remoteParticipants + [selfParticipant] {
      participant.audio.isSpeaking = speaking.contains(participant)
    }
    guard let first = speaking.first else { return }
    if first !== selfParticipant { first.lastSpoke = MonotonicClock.now }
    dominantSpeaker = first
    refreshVideo()
  }

  /// Gives the most active participants the right to be watched, as many as the configuration allows.
  func refreshVideo() {
    guard isEstablished else { return }
    let most = Int(application.configurationManager.maxVideoChannels)
    let candidates = remoteParticipants.filter { $0.video.isReceivable }.enumerated().sorted { one, other in
      // The watched participant keeps the place, unless others spoke since.
      (one.element.lastSpoke ?? .zero, other.offset) > (other.element.lastSpoke ?? .zero, one.offset)
    }.map(\.element)
    let chosen = Set(candidates.prefix(most).map(ObjectIdentifier.init))
    // First those who lose it, so that never more are watched than allowed.
    for participant in remoteParticipants where !chosen.contains(ObjectIdentifier(participant)) {
      participant.video.setSubscribable(false)
    }
    for participant in candidates.prefix(most) { participant.video.setSubscribable(true) }
  }

  // MARK: Hosts

  private func take(_ info: MeetingInfo) { subject = info.subject.isEmpty ? info.name : info.subject }

  private func take(_ event: RoomEvent) {
    switch event {
    case .meetingChanged(let info): take(info)
    case .permissionsChanged:
      let lost = permissions.subtracting(meeting.local.permissions)
      permissions = meeting.local.permissions
      videoService.permissionsChanged()
      if !permissions.contains(.moderate) { removeWaiting { _ in true } }
      for participant in remoteParticipants + [selfParticipant] { participant.refresh() }
      if lost.contains(.publishAudio) { hostAlert(.participantMute, "does not let you speak any more.") }
      if lost.contains(.publishVideo) { hostAlert(.communication, "does not let you be seen any more.") }
      if lost.contains(.chat) { hostAlert(.communication, "does not let you write messages any more.") }
    case .mutedByHost(let publication) where publication.source == .microphone:
      audioService.mutedByHost()
      hostAlert(.participantMute, "has muted you.")
    case .mutedByHost(let publication) where publication.source == .camera:
      videoService.mutedByHost()
      hostAlert(.communication, "has turned your camera off.")
    case .stoppedByHost(let publication, let reason):
      let isCamera = publication.source == .camera
      (isCamera ? videoService : audioService as SfBConversationService).stoppedByHost()
      // The loss of a permission is reported separately.
      guard reason != .notAllowed else { break }
      hostAlert(isCamera ? .communication : .participantMute, "has ended your \(isCamera ? "picture" : "sound").")
    case .unmuteRequested(let sources, _):
      if sources.contains(.microphone) { hostAlert(.participantUnmute, "asks you to unmute.") }
      if sources.contains(.camera) { hostAlert(.communication, "asks you to turn your camera on.") }
    default: break
    }
  }

  private func hostAlert(_ type: SfBAlertType, _ what: String) {
    alert(type, .info, .notice, "Somebody who leads the meeting \(what)")
  }

  private func sourceEnded(_ publication: LocalPublication, _ error: MediaError?) {
    let isCamera = publication.source == .camera
    (isCamera ? videoService : audioService as SfBConversationService).stoppedByHost()
    let text = error?.description ?? "The \(isCamera ? "camera" : "microphone") gives nothing any more."
    alert(isCamera ? .videoGenericError : .voice, .error, .mediaFailed, text)
  }

  // MARK: The end

  private func reconnecting(_ step: ReconnectStep) {
    if step != .media { isServerLost = true }
    // Audio and video continue without the socket, which is back in a moment. A loss is reported once, whatever is
    // tried.
    guard step != .signaling, !isLossTold else { return }
    isLossTold = true
    alert(.connectivity, .warning, .noServer, "The connection was lost and is being brought back.")
  }

  /// The connection is back. A guest whose session was lost has joined again, perhaps through the lobby.
  private func reconnected() {
    isServerLost = false
    isLossTold = false
    takeOneself()
    state = .established
    audioService.reconnected()
    videoService.reconnected()
    refreshVideo()
  }

  private func ended(_ reason: EndReason, _ message: String) {
    switch reason {
    case .left: break
    case .failed where state != .established: joinFailed()
    default: alert(.conferenceUnexpectedDisconnect, .error, .noServer, message)
    }
    finish()
  }

  private func joinFailed() {
    let error = meeting.lastError ?? .unreachable("The meeting could not be joined.")
    switch error {
    case .notParley: application.alerts.post(.autoDiscovery, .error, ErrorCode.noServer.error(error.description))
    case .unreachable, .timedOut, .untrustedCertificate:
      application.alerts.post(.signIn, .error, ErrorCode.noServer.error(error.description))
    case .mediaFailed, .relayFailed:
      alert(.callFailed, .error, .mediaFailed, error.description)
    default: alert(.conferencing, .error, .joinForbidden, error.description)
    }
  }

  func alert(_ type: SfBAlertType, _ level: SfBAlertLevel, _ code: ErrorCode, _ text: String) {
    let severity: String =
      switch level {
      case .error: SfBErrorSeverityError
      case .warning: SfBErrorSeverityWarning
      case .info: SfBErrorSeveritySuccess
      }
    alerts.post(type, level, code.error(text, severity: severity))
  }
}
