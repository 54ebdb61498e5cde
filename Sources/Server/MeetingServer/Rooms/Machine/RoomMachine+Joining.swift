import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// How a join request becomes a session, in three calls, and how a session is resumed.
///
/// ``beginJoin(_:quota:)`` decides and reserves. The media plane answers the offer, ``joinAnswered(_:_:)`` adds the
/// audit entries, and once those are written ``completeJoin(of:iceServers:)`` announces the participant.
/// ``abandonJoin(of:isReserved:)`` releases what was reserved.
extension RoomMachine {
  /// The decision about a join request.
  enum JoinDecision {
    case waits(WaitingReason)
    /// Its tracks go to the media plane with its offer.
    case negotiates([MediaTrack])
  }

  /// Admits a join request and reserves its session, or puts it into the lobby. `quota` is why its tenant may have no
  /// more participants; a request that waits doesn't get it as an answer. When it throws, or the request waits, nothing
  /// is reserved.
  func beginJoin(_ request: JoinRequest, quota: LimitReached?) throws(MeetingRoom.Refusal) -> JoinDecision {
    let id = request.session.participant
    do throws(MeetingRoom.Refusal) {
      if isClosed { throw .closed }
      // It may have been changed from outside of this process.
      changeMeeting(request.admission.meeting)
      if meeting.isEncrypted == nil { meeting.isEncrypted = request.admission.meeting.isEncrypted }
      if meeting.isExpired(at: now.date) { throw .expired }
      if endsSession(of: request.admission), request.admission.grant.end <= now.date { throw .tokenExpired }
      if case .waits(let reason) = try admission(of: request) {
        try wait(request, for: reason)
        abandonJoin(of: id, isReserved: request.isAdmitted)
        return .waits(reason)
      }
      if let quota { throw .quota(quota) }
      let actions = auditedActions(of: request)
      if !actions.isEmpty, let auditBacklog { throw .quota(auditBacklog) }
      // The one decision about capacity: made before anything is awaited, so that two requests can't both take the last
      // session.
      if !request.isAdmitted {
        if isFull { throw .full }
        let reached = budget.spendAnnouncement(
          request.announcedBytes, isHost: request.admission.grant.isHost, now: now.instant)
        if let reached { throw .quota(reached) }
        roster.reserve()
      }
      return .negotiates(reserveJoin(request, actions))
    } catch {
      abandonJoin(of: id, isReserved: request.isAdmitted)
      throw error
    }
  }

  private func reserveJoin(_ request: JoinRequest, _ actions: [AuditedAction]) -> [MediaTrack] {
    listen()
    decideMode(by: request)
    let member = RoomMember(
      id: request.session.participant, resumeToken: request.session.resumeToken, admission: request.admission,
      origin: request.origin, order: roster.takeOrder(), name: request.name, channel: client(request.channel),
      created: now.date)
    member.address = request.address
    member.decisions = moderation.overrides.decisions(about: member.admission.grant)
    (member.role, member.permissions) = rights(of: member)
    if !meeting.chat.history { member.chatting.since = chat.lastID }
    expect(member)
    let refusedTrack = refusal(of: request.join.tracks, member)
    let tracks = permitted(request.join.tracks, member).map { mediaTrack($0) }
    pending.joins[member.id] = .init(
      request: request, member: member, tracks: tracks, refusedTrack: refusedTrack, actions: actions)
    return tracks
  }

  /// Releases the reservation of a join request that didn't succeed.
  func abandonJoin(of id: String, isReserved: Bool) {
    pending.joins[id] = nil
    reopenMode()
    if isReserved { roster.release() }
    _ = lobby.arrive(id)
  }

  /// The media plane has answered the offer of a join request. True when audit entries were added, which are to be
  /// written before ``completeJoin(of:iceServers:)``.
  func joinAnswered(
    _ id: String, _ result: Result<OfferAnswer, MediaWorkerError>
  ) throws(MeetingRoom.Refusal) -> Bool {
    switch result {
    case .success(let answer):
      guard let join = pending.joins[id] else { throw .closed }
      pending.joins[id]?.answer = answer
      audit(join.actions, by: join.member)
      return !join.actions.isEmpty
    case .failure(let error):
      abandonJoin(of: id, isReserved: true)
      switch error {
      case .badOffer(let why): throw .badOffer(why)
      case .unknownParticipant: throw .unavailable("the participant vanished")
      case .duplicateParticipant, .unavailable: throw .unavailable(error.description)
      }
    }
  }

  /// A join request becomes a member, and everybody is notified.
  func completeJoin(of id: String, iceServers: [DiscoverDocument.IceServer]?) throws(MeetingRoom.Refusal) {
    guard let join = pending.joins[id], let answer = join.answer else { throw .closed }
    let (member, grant) = (join.member, join.request.admission.grant)
    if isClosed || isBanned(grant, from: join.request.address) {
      for action in join.actions { auditUndone(action, by: member, "the meeting is over, or closed to them") }
      media(.leave(participant: id))
      abandonJoin(of: id, isReserved: true)
      throw isClosed ? .closed : .banned
    }
    pending.joins[id] = nil
    member.publications = published(join.tracks, answer.accepted, by: member)
    member.slots.replace(with: answer.slots, rejected: answer.rejectedSlots)
    // The rules for chat, and hosts' decisions about the user, may have changed while the media plane answered.
    member.decisions = moderation.overrides.decisions(about: grant)
    (member.role, member.permissions) = rights(of: member)
    // Counted as a member before the reservation is released, so that no other request takes the session.
    roster.insert(member)
    roster.release()
    moderation.overrides.noteReturn(of: grant)
    entered(member)
    assessCodecs(for: member)
    assessCodecs(of: member)
    let changes = member.slots.fill(with: receivable(ranked(), by: member))
    member.knownRevision = meeting.revision
    member.channel?.admit(with: .welcome(welcome(of: member, answer.sdp, iceServers)))
    if let refused = join.refusedTrack { member.channel?.refuse(.notAllowed, refused) }
    notifyRejected(join.tracks, answer, member.channel)
    announce(.participantJoined(member.info), about: member, except: id)
    reportJoined(member)
    restoreSpotlight(of: member)
    assign(changes, to: member)
    requestSlots(member)
    notifyCodecs()
    if !member.publications.isEmpty { refill(except: id) }
    let known = visible(quality)
    if !known.isEmpty { member.channel?.send(.quality(known)) }
    if member.permissions.contains(.moderate) { hostArrived() }
    watchToken(of: member)
    if lobby.arrive(id) { remove(member, reason: .left) }
  }

  /// The state of the room as `member` gets it when it comes in.
  func welcome(
    of member: RoomMember, _ answer: String, _ iceServers: [DiscoverDocument.IceServer]?
  ) -> ServerMessage.Welcome {
    .init(
      participant: member.id, resumeToken: member.resumeToken,
      resumeWindow: Int(setup.limits.resumeWindow.components.seconds), meeting: info, answer: answer,
      participants: participants(for: member), slots: member.slots.info, chat: history(for: member),
      permissions: member.permissions.names, state: state(for: member), iceServers: iceServers,
      announcements: announcements)
  }

  /// The audited actions of joining: as a hidden participant, and past barriers that stop others.
  private func auditedActions(of request: JoinRequest) -> [AuditedAction] {
    let (grant, barriers) = (request.admission.grant, barriersPassed(by: request))
    let user = grant.user.map { "user \($0)" } ?? ""
    var actions: [AuditedAction] = []
    if grant.role == .hidden { actions.append(AuditedAction("joinHidden", request.session.participant, user)) }
    if !barriers.isEmpty {
      let past = "past \(barriers.joined(separator: " and "))"
      actions.append(
        AuditedAction("joinAsHost", request.session.participant, user.isEmpty ? past : "\(past), \(user)"))
    }
    return actions
  }

  /// Whether no more participants fit in.
  var isFull: Bool { vacancies == 0 }

  /// Whether the meeting is for so few participants that they may send data faster, as a call is.
  var isSmall: Bool { (meeting.capacity ?? .max) <= DataLimits.smallMeeting }

  /// How many more participants fit in.
  var vacancies: Int { roster.vacancies(of: min(meeting.capacity ?? .max, setup.limits.participants)) }

  // MARK: Resuming

  /// Gives a session another socket in place of a lost (or half-open) one.
  func resume(
    participant: String, over channel: SignalingChannel, origin: String?
  ) throws(MeetingRoom.Refusal) {
    guard !isClosed, let member = roster[participant] else { throw .resumeExpired }
    guard origin == member.origin || origin == nil else { throw .wrongOrigin }
    member.channel?.end(.replaced, "Another connection took over this place in the meeting.")
    let before = member.connection
    let channel = client(channel)
    member.channel = channel
    // Clients request missing keys again.
    keyRelay.forget(participant)
    if member.hasMedia { member.expiry = nil }
    count(.resumed)
    channel.admit(
      with: .resumed(
        participants: participants(for: member), slots: member.slots.info, chat: history(for: member),
        state: state(for: member), announcements: announcements))
    notifyMeeting(member)
    notifyPermissions(member)
    notifyToken(member)
    let known = visible(quality)
    if !known.isEmpty { channel.send(.quality(known)) }
    if member.permissions.contains(.moderate) { channel.send(.lobby(lobby.info)) }
    for publication in member.publications { notifyWantedLayers(of: publication, member) }
    // Also when nothing is paused: a pause may have ended while there was no socket.
    notifyPaused(member)
    notifyCodecsAgain(member)
    member.requestedSlots = .init()
    requestSlots(member)
    announceConnection(of: member, was: before, except: participant)
  }
}
