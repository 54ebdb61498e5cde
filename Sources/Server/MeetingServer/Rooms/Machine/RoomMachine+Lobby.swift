import Basics
import Meetings
import Signaling

/// Admission, the lobby, and hosts' decisions about it.
///
/// A participant who is let in joins like everybody else, with the offer of its first `join`.
extension RoomMachine {
  /// Decides whether a join request enters or waits; throws when it is refused. Every join asks here; only the resume
  /// of a session doesn't.
  func admission(of request: JoinRequest) throws(MeetingRoom.Refusal) -> MeetingRoom.Entry {
    let grant = moderation.overrides.applied(to: request.admission.grant, chat: meeting.chat)
    // First, since it also holds for participants whom a host has let in.
    if isBanned(grant, from: request.address) { throw .banned }
    let phase = phase
    if phase == .cancelled { throw .cancelled }
    try requireMode(of: request)
    if grant.isHost || request.isChosen { return .enters }
    // The passcode was compared before the request came here, and may have been set since.
    if let passcode = meeting.passcode, passcode != request.passcode { throw .passcode }
    if request.isAdmitted { return .enters }
    if lobby.isLocked { throw .locked }
    if !roster.hasHost, let admission = try admission(in: phase) { return admission }
    if meeting.lobby.waitsForHost, !roster.hasHost { return .waits(.host) }
    return meeting.accessLevel.passes(grant) ? .enters : .waits(.lobby)
  }

  /// The barriers that stop others but not this host: the lock, the passcode, the lobby.
  func barriersPassed(by request: JoinRequest) -> [String] {
    var grant = moderation.overrides.applied(to: request.admission.grant, chat: meeting.chat)
    guard grant.isHost, !request.isChosen else { return [] }
    grant.permissions.remove(.moderate)
    var barriers: [String] = []
    if lobby.isLocked { barriers.append("the lock") }
    if meeting.passcode != nil { barriers.append("the passcode") }
    if !meeting.accessLevel.passes(grant) { barriers.append("the lobby") }
    return barriers
  }

  // MARK: Waiting

  /// Puts a join request into the lobby.
  func wait(_ request: JoinRequest, for reason: WaitingReason) throws(MeetingRoom.Refusal) {
    guard lobby.hasRoom(for: request) else { throw .lobbyFull }
    lifeCycle.watchesEnd = true
    let timeout = lobbyTimeout + (reason == .start ? timeUntilOpening() : .zero)
    let waiter = Lobby.Waiter(request: request, reason: reason, end: now.instant + timeout)
    lobby.add(waiter)
    count(.waiting)
    log(
      .info, "waiting", ["meeting": setup.identity.id, "participant": waiter.id, "reason": reason.rawValue])
    client(request.channel).admit(with: waiter.message(now: now.instant))
    if reason == .lobby {
      report(.lobby(.knocked, waiter.person))
      notifyHosts()
    }
  }

  /// Handles a message of a participant who isn't in: only `leave` and `ping` are possible.
  func receiveOutside(_ message: ClientMessage, id: Int?, from participant: String, _ channel: RoomChannel) {
    let isEntering = lobby.isEntering(participant)
    guard isEntering || isWaiting(participant, channel) else { return }
    switch message {
    case .leave:
      leaveLobby(participant, channel)
      channel.close()
    case .ping(let time): channel.send(.pong(time: time))
    case .join, .resume, .offer, .mute, .view, .rename, .chat, .admit, .deny, .lock, .signal, .room, .renewToken,
      .announce, .keyEnvelopes:
      guard !isEntering else { return }
      channel.refuse(.notAllowed, "You are not in the meeting yet: wait until you are let in.", id: id)
    }
  }

  /// The socket of a participant who isn't in is gone.
  func leaveLobby(_ participant: String, _ channel: RoomChannel) {
    if lobby.isEntering(participant) {
      log(.info, "left.entering", ["meeting": setup.identity.id, "participant": participant])
      return lobby.depart(participant)
    }
    guard isWaiting(participant, channel) else { return }
    if let waiter = lobby.remove(participant) { reportGone(waiter) }
    lobbyChanged()
  }

  private func isWaiting(_ participant: String, _ channel: RoomChannel) -> Bool {
    lobby.waiter(participant)?.request.channel.id == channel.id
  }

  func removeExpiredWaiters() {
    let expired = lobby.removeExpired(now: now.instant)
    for waiter in expired {
      reportGone(waiter)
      let what = waiter.reason == .lobby ? "Nobody let you in" : "No host came"
      turnAway(waiter, .init(.lobbyTimeout, "\(what) within the time that one may wait here. Try again later."))
    }
    if !expired.isEmpty { lobbyChanged() }
  }

  func turnAway(_ waiter: Lobby.Waiter, _ refusal: SignalingRefusal) {
    count(.refusedJoin)
    log(
      .info, "join.refused", ["meeting": setup.identity.id, "participant": waiter.id, "code": refusal.code.rawValue])
    client(waiter.request.channel).fail(refusal)
  }

  func lobbyChanged() {
    notifyHosts()
    if lobby.isEmpty { output.append(.lobby(.emptied)) }
  }

  // MARK: Hosts

  /// Sends every host the list of those who wait, whole.
  func notifyHosts() {
    guard lobby.mayNotifyHosts(now: now.instant) else { return }
    broadcast(.lobby(lobby.info)) { $0.permissions.contains(.moderate) }
  }

  /// A host is there from now on: participants who waited for one come in, or wait to be let in.
  func hostArrived() {
    for waiter in lobby.waiters where waiter.reason != .lobby { advance(waiter) }
    notifyHosts()
  }

  /// A host has come or the meeting's time, for which a participant waited: they come in, or wait to be let in.
  func advance(_ waiter: Lobby.Waiter) {
    let grant = moderation.overrides.applied(to: waiter.request.admission.grant, chat: meeting.chat)
    if !meeting.accessLevel.passes(grant) {
      if let queued = lobby.requeue(waiter.id) {
        client(queued.request.channel).send(queued.message(now: now.instant))
        report(.lobby(.knocked, queued.person))
      }
    } else if isFull, let waiter = lobby.remove(waiter.id) {
      count(.limit(.capacity))
      turnAway(waiter, MeetingRoom.Refusal.full.answer)
    } else {
      letIn(waiter.id)
    }
  }

  /// Handles a host's `admit` or `deny`. The audit entries are written first, see ``decideLobby(_:_:isCut:id:_:_:)``.
  func requestLobby(
    _ decision: LobbyDecision, _ selection: WaitingSelection, id: Int?, _ host: RoomMember, _ channel: RoomChannel
  ) {
    guard moderates(host, channel, id: id) else { return }
    let meant = lobby.waiters(in: selection).map(\.person)
    let people =
      switch decision {
      case .admit: Array(meant.prefix(vacancies))
      case .deny: meant
      }
    let isCut = people.count < meant.count
    guard !people.isEmpty else {
      return decideLobby(decision, people, isCut: isCut, id: id, host, channel)
    }
    audit(people.map { AuditedAction(decision.rawValue, $0.id, $0.name) }, by: host)
    let asked = PendingOperations.Asked(
      request: .lobby(decision, people, isCut: isCut), id: id, member: host, channel: channel)
    output.append(.wait(.audit(token: pending.add(asked))))
  }

  /// The audit entries of an `admit` or `deny` are written: carries it out if the host still may.
  func resumeLobby(
    _ decision: LobbyDecision, _ people: [RoomEvent.Person], isCut: Bool, _ asked: PendingOperations.Asked
  ) {
    let actions = people.map { AuditedAction(decision.rawValue, $0.id, $0.name) }
    guard roster.contains(asked.member), moderates(asked.member, asked.channel, id: asked.id) else {
      for action in actions { auditUndone(action, by: asked.member, "they may not any more") }
      return
    }
    let here = Set(stillWaiting(people).map(\.id))
    for action in actions where !here.contains(action.target) {
      auditUndone(action, by: asked.member, "nobody waits there any more")
    }
    decideLobby(decision, people, isCut: isCut, id: asked.id, asked.member, asked.channel)
  }

  private func decideLobby(
    _ decision: LobbyDecision, _ people: [RoomEvent.Person], isCut: Bool, id: Int?, _ host: RoomMember,
    _ channel: RoomChannel
  ) {
    var isCut = isCut
    switch decision {
    case .admit:
      for waiter in stillWaiting(people) {
        guard !isFull else {
          isCut = true
          auditUndone(AuditedAction("admit", waiter.id), by: host, "the meeting is full")
          continue
        }
        log(.info, "admitted", ["meeting": setup.identity.id, "participant": waiter.id, "by": host.id])
        report(.lobby(.admitted, waiter.person))
        letIn(waiter.id, byHost: true)
      }
      if isCut {
        count(.limit(.capacity))
        channel.refuse(
          .meetingFull, "The meeting has as many participants as it may have (capacity). Who was not let in waits on.",
          id: id)
      }
    case .deny:
      for waiter in stillWaiting(people).compactMap({ lobby.remove($0.id) }) {
        log(.info, "denied", ["meeting": setup.identity.id, "participant": waiter.id, "by": host.id])
        report(.lobby(.denied, waiter.person))
        turnAway(waiter, .init(.entryDenied, "A host of the meeting did not let you in."))
      }
    }
    lobbyChanged()
    if !isCut { acknowledge(id, channel, awaitsEvents: !people.isEmpty) }
  }

  private func stillWaiting(_ people: [RoomEvent.Person]) -> [Lobby.Waiter] {
    lobby.waiters(in: .some(people.map(\.id)))
  }

  /// Lets a participant in. The session is reserved at once, so that no other request takes it during the negotiation.
  private func letIn(_ id: String, byHost: Bool = false) {
    guard let waiter = lobby.remove(id) else { return }
    roster.reserve()
    lobby.enter(id)
    var request = waiter.request
    request.isAdmitted = true
    request.isChosen = byHost
    output.append(.lobby(.admitted(request)))
  }
}
