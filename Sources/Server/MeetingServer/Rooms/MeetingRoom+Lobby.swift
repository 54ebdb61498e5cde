import Basics
import Meetings
import Signaling

/// Who gets in, who waits, and what hosts do about it.
///
/// Whoever waits is no member: no message of the room is meant for them, they have no resume token, and the media plane has never heard of
/// them. Being let in is joining, with the offer of their `join`, by the same way as everybody else.
extension MeetingRoom {
  /// What becomes of somebody who wants to come in.
  enum Entry: Sendable, Equatable {
    case enters
    case waits(WaitingReason)
  }

  /// What the directory must know of the lobby.
  enum LobbyEvent: Sendable {
    /// A host, or a host's coming, let somebody in: a place is reserved.
    case admitted(Newcomer)
    /// The last one who waited is gone.
    case emptied
  }

  /// Decides whether somebody goes in, waits, or is refused. Every way into the room asks here; only a place that is still held is given back
  /// without.
  func mayEnter(_ newcomer: Newcomer) throws(Refusal) -> Entry {
    let grant = decided.applied(to: newcomer.admission.grant, chat: meeting.chat)
    // Before everything else, since it also holds for whom a host has let in.
    if isBanned(grant, from: newcomer.address) { throw .banned }
    let phase = phase
    if phase == .cancelled { throw .cancelled }
    if grant.isHost || newcomer.isChosen { return .enters }
    // It was asked for at the door, and may have been set since: while they were on their way in, or waited.
    if let passcode = meeting.passcode, passcode != newcomer.passcode { throw .passcode }
    if newcomer.isAdmitted { return .enters }
    if lobby.isLocked { throw .locked }
    if !hasHost, let entry = try entry(of: newcomer, in: phase) { return entry }
    if meeting.lobby.waitsForHost, !hasHost { return .waits(.host) }
    return meeting.accessLevel.passes(grant) ? .enters : .waits(.lobby)
  }

  /// What somebody comes past because they are a host: the same for anybody else would be a refusal, a question, or a wait.
  func passed(by newcomer: Newcomer) -> [String] {
    var grant = decided.applied(to: newcomer.admission.grant, chat: meeting.chat)
    guard grant.isHost, !newcomer.isChosen else { return [] }
    grant.permissions.remove(.moderate)
    var doors: [String] = []
    if lobby.isLocked { doors.append("the lock") }
    if meeting.passcode != nil { doors.append("the passcode") }
    if !meeting.accessLevel.passes(grant) { doors.append("the lobby") }
    return doors
  }

  /// Whether somebody is there who can let others in.
  var hasHost: Bool { members.values.contains { $0.permissions.contains(.moderate) } }

  // MARK: Waiting

  /// Puts somebody among those who wait.
  func wait(_ newcomer: Newcomer, for reason: WaitingReason) throws(Refusal) {
    guard lobby.waiters.count < LobbyInfo.maximumWaiting,
      lobby.offerBytes + newcomer.join.offer.utf8.count <= Lobby.maximumOfferBytes
    else { throw .lobbyFull }
    startClock()
    let patience = patience + (reason == .start ? untilOpening() : .zero)
    let id = newcomer.place.participant
    let timer = Task { [weak self] in
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      await self?.patienceEnded(of: id)
    }
    let waiter = Lobby.Waiter(newcomer: newcomer, reason: reason, end: .now + patience, timer: timer)
    lobby.add(waiter)
    counters.knocks.add(1)
    log.info("waiting", ["meeting": identity.id, "participant": id, "reason": reason.rawValue])
    waiter.channel.admit(with: waiter.message())
    if reason == .lobby {
      note(.lobby(.knocked, waiter.person))
      tellHosts()
    }
  }

  /// Deals with a message of somebody who is not in: nothing but going and a sign of life is possible.
  func handleOutside(
    _ message: ClientMessage, id: Int?, from participant: String, _ channel: SignalingChannel
  ) {
    let isEntering = lobby.isEntering(participant)
    guard isEntering || lobby.waiters.contains(where: { $0.id == participant && $0.channel.id == channel.id }) else {
      return
    }
    switch message {
    case .leave:
      forget(participant, channel)
      channel.close()
    case .ping(let time): channel.send(.pong(time: time))
    default:
      guard !isEntering else { return }
      channel.refuse(.notAllowed, "You are not in the meeting yet: wait until you are let in.", id: id)
    }
  }

  /// The socket of somebody who is not in is gone.
  func forget(_ participant: String, _ channel: SignalingChannel) {
    if lobby.isEntering(participant) {
      log.info("left.entering", ["meeting": identity.id, "participant": participant])
      return lobby.depart(participant)
    }
    guard lobby.waiters.contains(where: { $0.id == participant && $0.channel.id == channel.id }) else { return }
    if let waiter = lobby.take(participant) { noteGone(waiter) }
    lobbyChanged()
  }

  private func patienceEnded(of id: String) {
    guard !Task.isCancelled, let waiter = lobby.take(id) else { return }
    noteGone(waiter)
    let what = waiter.reason == .lobby ? "Nobody let you in" : "No host came"
    turnAway(waiter, .lobbyTimeout, "\(what) within the time that one may wait here. Try again later.")
    lobbyChanged()
  }

  func turnAway(_ waiter: Lobby.Waiter, _ code: SignalingErrorCode, _ message: String) {
    counters.refusedJoins.add(1)
    log.info("join.refused", ["meeting": identity.id, "participant": waiter.id, "code": code.rawValue])
    waiter.channel.fail(code, message)
  }

  func lobbyChanged() {
    tellHosts()
    if lobby.isEmpty { onLobby(self, .emptied) }
  }

  // MARK: Hosts

  /// Tells every host who waits, whole.
  func tellHosts() {
    guard lobbyPace.take(now: Monotonic.now) else { return tellHostsSoon() }
    broadcast(.lobby(lobby.info)) { $0.permissions.contains(.moderate) }
  }

  /// Everybody's coming and going makes the whole list go to every host: of many at once hosts hear together.
  private func tellHostsSoon() {
    guard !tellsHostsSoon else { return }
    tellsHostsSoon = true
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(250))
      await self?.tellHostsNow()
    }
  }

  private func tellHostsNow() {
    tellsHostsSoon = false
    if !isClosed { tellHosts() }
  }

  /// Somebody who may let others in is there from now on: whoever waited for that goes in, or waits to be let in.
  func hostCame(_ host: RoomMember) {
    for waiter in lobby.waiters where waiter.reason != .lobby { advance(waiter) }
    tellHosts()
  }

  /// What somebody waited for has come, a host or the meeting's time: they go in, or wait to be let in.
  func advance(_ waiter: Lobby.Waiter) {
    if !meeting.accessLevel.passes(decided.applied(to: waiter.newcomer.admission.grant, chat: meeting.chat)) {
      if let queued = lobby.queue(waiter.id) {
        queued.channel.send(queued.message())
        note(.lobby(.knocked, queued.person))
      }
    } else if isFull, let waiter = lobby.take(waiter.id) {
      counters.limits.add(.capacity)
      turnAway(waiter, .meetingFull, "The meeting has as many participants as it may have (capacity).")
    } else {
      letIn(waiter.id)
    }
  }

  /// A host lets people in, as many as there is room for.
  func admit(_ who: WaitingSelection, id: Int?, _ host: RoomMember, _ channel: SignalingChannel) async {
    guard moderates(host, channel, id: id) else { return }
    let asked = lobby.waiters.filter { $0.reason == .lobby && who.contains($0.id) }.map(\.person)
    let meant = Array(asked.prefix(placesLeft))
    guard await noted("admit", meant, host, channel, id: id) else { return }
    var isRefused = meant.count < asked.count
    for waiter in waiting(meant) {
      guard !isFull else {
        isRefused = true
        noteUndone(RightUse("admit", waiter.id), host, "the meeting is full")
        continue
      }
      log.info("admitted", ["meeting": identity.id, "participant": waiter.id, "by": host.id])
      note(.lobby(.admitted, waiter.person))
      letIn(waiter.id, byHost: true)
    }
    if isRefused {
      counters.limits.add(.capacity)
      channel.refuse(
        .meetingFull, "The meeting has as many participants as it may have (capacity). Who was not let in waits on.",
        id: id)
    }
    lobbyChanged()
    if !isRefused { answer(id, channel, note: meant.isEmpty ? nil : lastNote) }
  }

  /// A host sends people away.
  func deny(_ who: WaitingSelection, id: Int?, _ host: RoomMember, _ channel: SignalingChannel) async {
    guard moderates(host, channel, id: id) else { return }
    let meant = lobby.waiters.filter { $0.reason == .lobby && who.contains($0.id) }.map(\.person)
    guard await noted("deny", meant, host, channel, id: id) else { return }
    for waiter in waiting(meant).compactMap({ lobby.take($0.id) }) {
      log.info("denied", ["meeting": identity.id, "participant": waiter.id, "by": host.id])
      note(.lobby(.denied, waiter.person))
      turnAway(waiter, .entryDenied, "A host of the meeting did not let you in.")
    }
    lobbyChanged()
    answer(id, channel, note: meant.isEmpty ? nil : lastNote)
  }

  /// Has it written down that a host decides about people who wait; false where the host may not any more then.
  private func noted(
    _ action: String, _ meant: [RoomEvent.Person], _ host: RoomMember, _ channel: SignalingChannel, id: Int?
  ) async -> Bool {
    let uses = meant.map { RightUse(action, $0.id, $0.name) }
    await noteRights(uses, host)
    guard members[host.id] === host, moderates(host, channel, id: id) else {
      for use in uses { noteUndone(use, host, "they may not any more") }
      return false
    }
    let here = Set(waiting(meant).map(\.id))
    for use in uses where !here.contains(use.target) { noteUndone(use, host, "nobody waits there any more") }
    return true
  }

  /// Those of them who wait still.
  private func waiting(_ people: [RoomEvent.Person]) -> [Lobby.Waiter] {
    let ids = Set(people.map(\.id))
    return lobby.waiters.filter { $0.reason == .lobby && ids.contains($0.id) }
  }

  /// A host locks the meeting or unlocks it. Who waits already can still be let in.
  func lock(_ isLocked: Bool, id: Int?, _ host: RoomMember, _ channel: SignalingChannel) async {
    await carryOut(id: id, host, channel) { () throws(RequestRefusal) in
      try ensureModerates(host)
      let use = lobby.isLocked == isLocked ? nil : RightUse(isLocked ? "lock" : "unlock")
      return Deed(use) {
        self.lobby.isLocked = isLocked
        self.tellHosts()
        return nil
      }
    }
  }

  /// The place is reserved here and now, so that nobody takes it while the media is being negotiated.
  private func letIn(_ id: String, byHost: Bool = false) {
    guard let waiter = lobby.take(id) else { return }
    reserved += 1
    lobby.enter(id)
    var newcomer = waiter.newcomer
    newcomer.isAdmitted = true
    newcomer.isChosen = byHost
    onLobby(self, .admitted(newcomer))
  }
}

extension Lobby.Waiter {
  /// Who waits, as those who keep book know them.
  var person: RoomEvent.Person {
    .init(id: id, name: newcomer.name, role: newcomer.admission.grant.role.rawValue)
  }
}
