public import Basics
internal import Crypto

extension KeyExchange {
  /// An announcement that came from `sender`, as signalling says. A refused one is notified and changes nothing.
  public func receive(announcement bytes: [UInt8], from sender: ParticipantID, now: Instant) {
    do throws(KeyMessageError) {
      try accept(bytes, from: sender, now: now)
    } catch {
      effects.append(.notify(.refused(sender, error)))
    }
  }

  private func accept(_ bytes: [UInt8], from sender: ParticipantID, now: Instant) throws(KeyMessageError) {
    let announcement = try Announcement(verifying: bytes, code: codeKey)
    guard announcement.meeting == meeting, announcement.participant == sender else { throw .misdirected }
    if sender == participant {
      // The server may give one's own back; another under one's own id is somebody else.
      guard announcement.identity == own.identity, announcement.meetingKey == own.meetingKey else {
        throw .identityChanged
      }
      return
    }
    let change = try roster.accept(announcement, bytes: bytes, ownIndex: own.senderIndex)
    switch change {
    case .nothing: return
    case .joined:
      channels[sender] = try PairChannel(own: local, ownBinding: binding, peer: announcement, secret: envelopeKey)
      remotes[sender] = RemoteKeys(timing: timing)
    case .updated(let indexChanged): if indexChanged { remotes[sender]?.resetOpeners() }
    }
    effects.append(.notify(.member(sender, name: announcement.name)))
    try resolveIndices(with: announcement, now: now)
    try rosterChanged(now)
    guard change == .joined else { return }
    comparison.noteJoin(now: now)
    try deliver(publisher.memberJoined(sender, now: now))
    try handleTimeout(now: now)
    for envelope in pending.release(sender) { receive(envelope: envelope, from: sender, now: now) }
  }

  /// Two have one index: those who announced it just now pick another, those who have had it for longer keep it.
  private func resolveIndices(with announcement: Announcement, now: Instant) throws(KeyMessageError) {
    guard announcement.senderIndex == own.senderIndex, let announcedAt else { return }
    if now - announcedAt < timing.indexTrial {
      try pickIndex(now)
      roster.assignIndices(ownIndex: own.senderIndex, first: announcement.participant)
    } else {
      effects.append(.notify(.refused(announcement.participant, .indexTaken)))
    }
  }

  /// An envelope that came from `sender`, as signalling says. A refused one is notified and changes nothing.
  public func receive(envelope: [UInt8], from sender: ParticipantID, now: Instant) {
    do throws(KeyMessageError) {
      try open(envelope, from: sender, now: now)
    } catch {
      effects.append(.notify(.refused(sender, error)))
    }
    noteWaiting()
  }

  private func open(_ envelope: [UInt8], from sender: ParticipantID, now: Instant) throws(KeyMessageError) {
    guard let channel = channels[sender] else {
      guard sender != participant else { throw .unknownSender }
      try pending.append(envelope, from: sender)
      return
    }
    switch try channel.open(envelope) {
    case .key(let message):
      comparison.receive(message.rosterHash, from: sender, now: now)
      if try remotes[sender]?.receive(message, now: now) == true {
        effects.append(.notify(.keyFrameNeeded(sender)))
      }
      let reply = try channel.seal(.acknowledgement(epoch: message.epoch))
      effects.append(.send([KeyEnvelope(recipient: sender, bytes: reply)]))
    case .acknowledgement(let epoch): publisher.acknowledged(by: sender, epoch: epoch)
    case .request: try deliver(publisher.requested(by: sender, now: now))
    }
  }
}
