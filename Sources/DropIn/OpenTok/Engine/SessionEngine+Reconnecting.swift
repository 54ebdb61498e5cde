import Parley

extension SessionEngine {
  func beginReconnecting(_ step: ReconnectStep, _ session: OTSession) {
    if !isReconnecting {
      isReconnecting = true
      session.tell { session in
        session.change { if $0.status == .connected { $0.status = .reconnecting } }
        session.delegate?.sessionDidBeginReconnecting(session)
      }
    }
    // While the signalling alone is down, sound and pictures go on.
    guard step != .signaling, !isInterrupted else { return }
    isInterrupted = true
    for work in subscribed.values { setInterrupted(true, work, session) }
  }

  func reconnected(_ meeting: Meeting, _ session: OTSession) {
    isReconnecting = false
    let wasInterrupted = isInterrupted
    isInterrupted = false
    var new: OTConnection?
    let before = own?.connectionId
    if meeting.local.id != own?.connectionId {
      if let own { connections[own.connectionId] = nil }
      let own = connection(meeting.local.id, meeting.local.created, meeting.local.data)
      connections[own.connectionId] = own
      self.own = own
      new = own
    }
    let connection = new
    session.tell { session in
      session.change { state in
        if state.status == .reconnecting { state.status = .connected }
        if let connection {
          state.connection = connection
          if let before { state.connections.remove(before) }
          state.connections.insert(connection.connectionId)
        }
      }
      session.delegate?.sessionDidReconnect(session)
    }
    // Reported once the connection that they belong to is known.
    if new != nil { replaceOwnStreams(session) }
    for participant in meeting.participants { changed(participant.id, session) }
    guard wasInterrupted else { return }
    for work in subscribed.values { setInterrupted(false, work, session) }
  }

  /// Somebody else has lost the connection, or has it back.
  func takeInterruption(of participant: RemoteParticipant, _ session: OTSession) {
    for work in subscribed.values where streams[work.streamID]?.participant == participant.id {
      setInterrupted(participant.isReconnecting, work, session)
    }
  }

  private func setInterrupted(_ isInterrupted: Bool, _ work: SubscriberWork, _ session: OTSession) {
    guard work.subscriber != nil else { return }
    Self.report(work.reception.setInterrupted(isInterrupted), to: work, session)
  }

  /// The app's network has become too slow for its media, or has recovered.
  func takeQuality(_ quality: ConnectionQuality, _ session: OTSession) {
    isSlow = quality == .poor || quality == .lost
    for work in subscribed.values where work.subscriber != nil {
      Self.report(work.reception.warn(isSlow: slowness(of: work)), to: work, session)
    }
  }
}
