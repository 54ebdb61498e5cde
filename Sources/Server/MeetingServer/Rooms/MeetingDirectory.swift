import Basics
import Meetings
import Signaling

/// The running meetings of this server, and the sessions that can be resumed.
actor MeetingDirectory {
  /// The session of a resume token.
  private struct Held {
    var room: MeetingRoom
    var participant: String
    var tenant: TenantID
  }

  private let media: any MediaPlane
  private let limits: MeetingRoom.Limits
  private let counters: ServerCounters
  private let log: Log
  let events: RoomEvents
  private var rooms: [MeetingID: MeetingRoom] = [:]
  private var places: [String: Held] = [:]
  /// How many are about to enter each room, and the rooms that were to end if they are empty then.
  private var entering: [MeetingID: Int] = [:]
  private var closing: Set<MeetingID> = []
  private var usage = TenantUsage()
  private var isClosed = false
  /// How many tokens were revoked. A join request during which this changes is revalidated.
  var revocations: UInt64 = 0
  private var expulsions = Tombstones()
  private let ban: @Sendable (JoinGrant, MeetingRecord, IPAddress?) async -> Bool
  /// The files of chats.
  let files: ChatFileStore?
  private let iceServers: @Sendable () -> IceServerSettings
  let running: RunningBook?
  private let refreshed: @Sendable (Admission) async -> RefreshedToken?
  private let current: @Sendable (Admission, IPAddress?) async throws(JoinRefusal) -> Admission
  private let decided: @Sendable (MeetingID, Bool) async throws(MeetingStoreError) -> Bool

  /// - Parameters:
  ///   - current: Revalidates an admission once there is a room.
  ///   - refreshed: Makes a token to come back with.
  ///   - decided: Decides whether a meeting is encrypted, unless that is known.
  ///   - ban: Bans the holder of a grant from a meeting; false when the ban couldn't be written.
  init(
    media: any MediaPlane, limits: MeetingRoom.Limits, counters: ServerCounters, log: Log,
    events: RoomEvents = RoomEvents(), files: ChatFileStore? = nil,
    iceServers: @escaping @Sendable () -> IceServerSettings = { IceServerSettings() },
    running: RunningBook? = nil,
    current: @escaping @Sendable (Admission, IPAddress?) async throws(JoinRefusal) -> Admission = {
      admission, _ throws(JoinRefusal) in admission
    },
    refreshed: @escaping @Sendable (Admission) async -> RefreshedToken? = { _ in nil },
    decided: @escaping @Sendable (MeetingID, Bool) async throws(MeetingStoreError) -> Bool = {
      _, isEncrypted throws(MeetingStoreError) in isEncrypted
    },
    ban: @escaping @Sendable (JoinGrant, MeetingRecord, IPAddress?) async -> Bool = { _, _, _ in true }
  ) {
    self.ban = ban
    self.files = files
    self.iceServers = iceServers
    self.running = running
    self.refreshed = refreshed
    self.current = current
    self.decided = decided
    self.media = media
    self.limits = limits
    self.counters = counters
    self.log = log
    self.events = events
  }

  /// Passes a join request to the room of its admission, which is opened if it isn't running. The room lets it in or
  /// makes it wait.
  func join(
    _ joinRequest: JoinRequest, url: String
  ) async throws(MeetingRoom.Refusal) -> MeetingRoom {
    // A room can end between the look-up and the joining; then the next round makes a new one.
    for _ in 0..<4 {
      if isClosed { break }
      let admission = joinRequest.admission
      if rooms[admission.meeting.id] == nil, let why = usage.refusalOfMeeting(of: admission.tenant) {
        throw told(.quota(why), admission.meeting)
      }
      let room = room(for: admission.meeting, url: url)
      entering[admission.meeting.id, default: 0] += 1
      let before = revocations
      do throws(MeetingRoom.Refusal) {
        try await enter(try await looked(at: joinRequest), room)
        await recheck(joinRequest, room, since: before)
        await arrived(at: room)
        return room
      } catch .closed {
        forget(room)
        await arrived(at: room)
      } catch {
        closing.insert(admission.meeting.id)
        await arrived(at: room)
        throw told(error, admission.meeting)
      }
    }
    throw .unavailable("the meeting is ending")
  }

  /// A join request with the meeting as it is stored now. From here on the room gets every change. Without this look, a
  /// change between the check of the token and the making of the room would hold from the next join on only.
  private func looked(
    at joinRequest: JoinRequest
  ) async throws(MeetingRoom.Refusal) -> JoinRequest {
    var joinRequest = joinRequest
    do throws(JoinRefusal) {
      joinRequest.admission = try await current(joinRequest.admission, joinRequest.address)
    } catch {
      if case .unavailable(let why) = error { throw .unavailable(why) }
      throw .refused(error)
    }
    return joinRequest
  }

  /// The same for a participant from the lobby, whose token may have been revoked since. A meeting that was removed
  /// goes on for those who are in or wait.
  private func lookedAgain(
    at joinRequest: JoinRequest
  ) async throws(MeetingRoom.Refusal) -> JoinRequest {
    do throws(MeetingRoom.Refusal) {
      return try await looked(at: joinRequest)
    } catch .refused(.noSuchMeeting) {
      return joinRequest
    }
  }

  /// A token may be revoked between the look at it and the entry into the room, where nobody found its holder yet.
  private func recheck(_ joinRequest: JoinRequest, _ room: MeetingRoom, since before: UInt64) async {
    if revocations != before { await recheck(joinRequest.admission, room) }
  }

  /// Ends the session of a token that is revoked by now.
  func recheck(_ admission: Admission, _ room: MeetingRoom) async {
    do throws(JoinRefusal) {
      _ = try await current(admission, nil)
    } catch {
      if case .badToken = error { await room.revoke(admission.grant.id, of: admission.grant.tenant) }
    }
  }

  private func enter(_ joinRequest: JoinRequest, _ room: MeetingRoom) async throws(MeetingRoom.Refusal) {
    let token = joinRequest.session.resumeToken
    let tenant = joinRequest.admission.tenant
    // The one decision about the tenant's share, made and counted before anything is awaited. The room doesn't report
    // it to participants who have to wait.
    let quota = usage.refusalOfParticipant(of: tenant)
    if quota == nil {
      // Recorded before, so that the room's report of the session's end always finds it.
      places[token] = Held(room: room, participant: joinRequest.session.participant, tenant: tenant.id)
      usage.came(tenant.id)
    }
    do throws(MeetingRoom.Refusal) {
      guard try await room.join(joinRequest, quota: quota) == .enters else {
        // A participant in the lobby has no session, and takes none from the others.
        giveUp(token)
        return
      }
    } catch {
      giveUp(token)
      throw error
    }
    counters.joins.add(1)
    log.info(
      "joined",
      [
        "meeting": room.identity.id, "participant": joinRequest.session.participant,
        "token": joinRequest.admission.grant.id,
        "tenant": tenant.name, "role": joinRequest.admission.grant.role.rawValue,
        "client": String((joinRequest.join.client ?? "").prefix(60)),
      ])
  }

  /// Handles an event of a room's lobby.
  private func take(_ event: MeetingRoom.LobbyEvent, of room: MeetingRoom) async {
    // Another room may run under that id by now. A participant whom this room has let in doesn't enter that one.
    guard rooms[room.identity.id] === room else {
      if case .admitted(let joinRequest) = event { turnAway(joinRequest, .closed) }
      return
    }
    switch event {
    case .emptied: await close(room)
    case .admitted(let joinRequest):
      let before = revocations
      do throws(MeetingRoom.Refusal) {
        try await enter(try await lookedAgain(at: joinRequest), room)
        await recheck(joinRequest, room, since: before)
      } catch {
        turnAway(joinRequest, told(error, joinRequest.admission.meeting))
        await close(room)
      }
    }
  }

  private func turnAway(_ joinRequest: JoinRequest, _ refusal: MeetingRoom.Refusal) {
    if case .unavailable(let why) = refusal { log.error("join.failed", ["reason": why]) }
    let answer = refusal.answer
    counters.refusedJoins.add(1)
    log.info("join.refused", ["code": answer.code.rawValue])
    joinRequest.channel.fail(answer)
  }

  /// Gives a session another socket, by its resume token.
  func resume(
    token: String, channel: SignalingChannel, origin: String?
  ) async throws(MeetingRoom.Refusal) -> (MeetingRoom, String) {
    if let note = expulsions.note(of: token, now: MonotonicClock.now) { throw .over(note.reason, note.message) }
    guard let held = places[token] else { throw .resumeExpired }
    try await held.room.resume(participant: held.participant, channel: channel, origin: origin)
    return (held.room, held.participant)
  }

  /// The session of a resume token, for HTTP requests of a participant.
  func place(_ token: String) -> (room: MeetingRoom, participant: String)? {
    places[token].map { ($0.room, $0.participant) }
  }

  /// Ends every meeting, and waits until the media plane has heard of it.
  func shutdown() async {
    isClosed = true
    let all = rooms.values
    rooms = [:]
    places = [:]
    usage = TenantUsage()
    for room in all { await room.end(.shutdown, "The server is shutting down.") }
    for room in all { await room.drainMedia() }
  }

  var limitCounters: LimitCounters { counters.limits }

  /// Every running meeting's room.
  var allRooms: [MeetingID: MeetingRoom] { rooms }

  /// How many meetings run.
  var meetingCount: Int { rooms.count }

  /// How many participants there are in all meetings.
  var participantCount: Int { places.count }

  private func room(for record: MeetingRecord, url: String) -> MeetingRoom {
    if let room = rooms[record.id] { return room }
    let room = MeetingRoom(
      record: record, url: url, media: media, limits: limits, counters: counters, log: log,
      dependencies: dependencies(of: record),
      events: events, onLeft: { [weak self] token in Task { await self?.left(token) } },
      onLobby: { [weak self] room, event in Task { await self?.take(event, of: room) } },
      onEnded: { [weak self] room in Task { await self?.forget(room) } })
    rooms[record.id] = room
    usage.opened(record.tenant)
    return room
  }

  private func dependencies(of record: MeetingRecord) -> RoomDependencies {
    RoomDependencies(
      expelled: { [weak self] expulsion in Task { await self?.note(expulsion) } },
      banned: { [ban] grant, address in await ban(grant, record, address) }, files: files, running: running,
      refreshed: refreshed,
      decided: { [decided, log] isEncrypted in
        do throws(MeetingStoreError) {
          return try await decided(record.id, isEncrypted)
        } catch {
          log.error("encryption.notDecided", ["meeting": record.id, "reason": error])
          return nil
        }
      },
      iceServers: iceServers)
  }

  private func note(_ expulsion: RoomDependencies.Expulsion) {
    expulsions.add(expulsion, until: MonotonicClock.now + TimeSpan.seconds(limits.resumeWindow.components.seconds))
  }

  @discardableResult private func giveUp(_ token: String) -> Held? {
    guard let held = places.removeValue(forKey: token) else { return nil }
    usage.went(held.tenant)
    return held
  }

  private func left(_ token: String) async {
    guard let held = giveUp(token) else { return }
    await close(held.room)
  }

  /// Somebody who was about to enter a room is in, or was refused.
  private func arrived(at room: MeetingRoom) async {
    let id = room.identity.id
    let others = (entering[id] ?? 1) - 1
    entering[id] = others > 0 ? others : nil
    // Perhaps another one by now.
    if others <= 0, closing.remove(id) != nil, let room = rooms[id] { await close(room) }
  }

  /// Ends an empty room. While somebody is about to enter it stays: of many who are refused the last one ends it, and
  /// not each the room of the others.
  private func close(_ room: MeetingRoom) async {
    guard entering[room.identity.id] == nil else {
      closing.insert(room.identity.id)
      return
    }
    if await room.closeIfEmpty() { forget(room) }
  }

  func forget(_ room: MeetingRoom) {
    guard rooms[room.identity.id] === room else { return }
    rooms[room.identity.id] = nil
    usage.closed(room.identity.tenant)
  }
}
