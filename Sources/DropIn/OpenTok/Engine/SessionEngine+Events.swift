import Parley

/// The meeting's events, as what OpenTok's delegates get.
extension SessionEngine {
  func take(_ event: MeetingEvent, _ meeting: Meeting, _ session: OTSession) {
    if case .joined = event { return begin(meeting, session) }
    guard isConnected else { return }
    switch event {
    case .participantJoined(let participant): appeared(participant, session)
    case .participantLeft(let participant, _): disappeared(participant, session)
    case .participantUpdated(let participant):
      changed(participant.id, session)
      if let remote = participant as? RemoteParticipant { takeInterruption(of: remote, session) }
    case .published(let publication), .unpublished(let publication), .unsubscribed(let publication),
      .muteChanged(let publication), .undecodable(let publication), .decodable(let publication):
      if let id = publication.participant?.id { changed(id, session) }
    case .subscribed(let subscription), .paused(let subscription), .resumed(let subscription):
      if let id = subscription.participant?.id { changed(id, session) }
    case .signal(let signal): takeSignal(signal, session)
    case .qualityChanged(let participant, let quality):
      if participant.id == meeting.local.id { takeQuality(quality, session) }
    case .reconnecting(let step): beginReconnecting(step, session)
    case .reconnected: reconnected(meeting, session)
    case .room(let event): take(event, meeting, session)
    case .ended(let reason, let message): ended(reason, message, session)
    default: break
    }
  }

  private func take(_ event: RoomEvent, _ meeting: Meeting, _ session: OTSession) {
    switch event {
    case .mutedByHost(let publication): mutedByHost(publication, session)
    case .stoppedByHost(let publication, _): stoppedByHost(publication, session)
    case .permissionsChanged:
      let capabilities = takePermissions(of: meeting)
      session.tell { session in session.change { $0.capabilities = capabilities } }
    case .muteForAllChanged(let order):
      let info = OTMuteForcedInfo(active: order != nil)
      session.tell { session in
        session.delegate?.session(session, muteForced: info)
        session.delegate?.session(session, info: info)
      }
    default: break
    }
  }

  private func takeSignal(_ signal: SignalMessage, _ session: OTSession) {
    let sender = signal.senderID.flatMap { connections[$0] }
    let type = signal.type.isEmpty ? nil : signal.type
    let text = signal.data.isEmpty ? nil : signal.data
    session.tell { session in
      session.delegate?.session(session, receivedSignalType: type, from: sender, with: text)
    }
  }

  func appeared(_ participant: RemoteParticipant, _ session: OTSession) {
    guard connections[participant.id] == nil else { return }
    let new = connection(participant.id, participant.created, participant.data)
    connections[participant.id] = new
    let isSilent = settings.connectionEventsSuppressed
    let recorder = participant.isRecorder ? participant.name : nil
    session.tell { session in
      session.change { $0.connections.insert(new.connectionId) }
      if !isSilent { session.delegate?.session(session, connectionCreated: new) }
      if let recorder {
        session.delegate?.session(session, archiveStartedWithId: new.connectionId, name: recorder)
      }
    }
  }

  private func disappeared(_ participant: RemoteParticipant, _ session: OTSession) {
    for kind in StreamKind.allCases { destroy(kind.id(participant.id), session) }
    guard let old = connections.removeValue(forKey: participant.id) else { return }
    let isSilent = settings.connectionEventsSuppressed
    let isRecorder = participant.isRecorder
    session.tell { session in
      session.change { $0.connections.remove(old.connectionId) }
      if isRecorder { session.delegate?.session(session, archiveStoppedWithId: old.connectionId) }
      if !isSilent { session.delegate?.session(session, connectionDestroyed: old) }
    }
  }
}

extension RemoteParticipant {
  /// Whether it is there to record: only such participants are reported as archives.
  fileprivate var isRecorder: Bool { role.rawValue == "recorder" }
}
