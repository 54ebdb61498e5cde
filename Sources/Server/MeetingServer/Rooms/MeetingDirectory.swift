import Basics
import Meetings
import Signaling

/// The running meetings of this server, and the sessions that can be resumed.
actor MeetingDirectory {
  /// The session of a resume token.
  struct Held {
    var room: MeetingRoom
    var participant: String
    var tenant: TenantID
  }

  private let media: any MediaPlane
  private let limits: MeetingRoom.Limits
  let counters: ServerCounters
  let log: Log
  let events: RoomEvents
  var rooms: [MeetingID: MeetingRoom] = [:]
  var places: [String: Held] = [:]
  /// How many are about to enter each room, and the rooms that were to end if they are empty then.
  var entering: [MeetingID: Int] = [:]
  var closing: Set<MeetingID> = []
  var usage = TenantUsage()
  var isClosed = false
  /// How many tokens were revoked. A join request during which this changes is revalidated.
  var revocations: UInt64 = 0
  private var tombstones = Tombstones()
  private let ban: @Sendable (JoinGrant, MeetingRecord, IPAddress?) async -> Bool
  /// The files of chats.
  let files: ChatFileStore?
  private let iceServers: @Sendable () -> IceServerSettings
  let running: RoomJournalWriter?
  private let refreshed: @Sendable (Admission) async -> RefreshedToken?
  let current: @Sendable (Admission, IPAddress?) async throws(JoinRefusal) -> Admission
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
    running: RoomJournalWriter? = nil,
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

  /// Gives a session another socket, by its resume token.
  func resume(
    token: String, channel: SignalingChannel, origin: String?
  ) async throws(MeetingRoom.Refusal) -> (MeetingRoom, String) {
    if let note = tombstones.note(of: token, now: MonotonicClock.now) { throw .over(note.reason, note.message) }
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

  func room(for record: MeetingRecord, url: String) -> MeetingRoom {
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
      sessionEnded: { [weak self] tombstone in Task { await self?.note(tombstone) } },
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

  private func note(_ tombstone: Tombstone) {
    tombstones.add(tombstone, until: MonotonicClock.now + TimeSpan.seconds(limits.resumeWindow.components.seconds))
  }

  @discardableResult func giveUp(_ token: String) -> Held? {
    guard let held = places.removeValue(forKey: token) else { return nil }
    usage.went(held.tenant)
    return held
  }

  private func left(_ token: String) async {
    guard let held = giveUp(token) else { return }
    await close(held.room)
  }

  /// Ends an empty room. While somebody is about to enter it stays: of many who are refused the last one ends it, and
  /// not each the room of the others.
  func close(_ room: MeetingRoom) async {
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
