import Meetings
import Signaling

/// The running meetings of this server, and who may take which place back.
actor MeetingDirectory {
  /// Where a resume token leads.
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
  private var usage = TenantUsage()
  private var isClosed = false

  init(
    media: any MediaPlane, limits: MeetingRoom.Limits, counters: ServerCounters, log: Log,
    events: RoomEvents = RoomEvents()
  ) {
    self.media = media
    self.limits = limits
    self.counters = counters
    self.log = log
    self.events = events
  }

  /// Takes somebody into the room of their admission, which is opened when it is not running.
  func join(
    _ newcomer: MeetingRoom.Newcomer, url: String
  ) async throws(MeetingRoom.Refusal) -> MeetingRoom {
    let token = newcomer.place.resumeToken
    // A room can end between the look-up and the joining; then the next round makes a new one.
    for _ in 0..<4 {
      if isClosed { break }
      let admission = newcomer.admission
      // The one decision about the tenant's share, made and counted before anything is awaited.
      let isOpening = rooms[admission.meeting.id] == nil
      if let why = usage.refusal(of: admission.tenant, opening: isOpening) {
        throw told(.quota(why), admission.meeting)
      }
      let room = room(for: admission.meeting, url: url)
      do throws(MeetingRoom.Refusal) {
        // Noted before, so that the room's word that the place has ended always finds it.
        places[token] = Held(room: room, participant: newcomer.place.participant, tenant: admission.tenant.id)
        usage.came(admission.tenant.id)
        try await room.join(newcomer)
        return room
      } catch .closed {
        giveUp(token)
        forget(room)
      } catch {
        giveUp(token)
        await close(room)
        throw told(error, admission.meeting)
      }
    }
    throw .unavailable("the meeting is ending")
  }

  /// Gives a place back to who has its token.
  func resume(
    token: String, channel: SignalingChannel, origin: String?
  ) async throws(MeetingRoom.Refusal) -> (MeetingRoom, String) {
    guard let held = places[token] else { throw .resumeExpired }
    try await held.room.resume(participant: held.participant, channel: channel, origin: origin)
    return (held.room, held.participant)
  }

  /// Ends every meeting, and waits until the media plane has heard of it.
  func shutdown() async {
    isClosed = true
    let all = rooms.values
    rooms = [:]
    places = [:]
    usage = TenantUsage()
    for room in all { await room.end(.shutdown, "The server is shutting down.") }
    for room in all { await room.settle() }
  }

  /// Every running meeting's room.
  var allRooms: [MeetingID: MeetingRoom] { rooms }

  /// How many meetings run.
  var meetingCount: Int { rooms.count }

  /// How many participants there are in all meetings.
  var participantCount: Int { places.count }

  private func room(for record: MeetingRecord, url: String) -> MeetingRoom {
    if let room = rooms[record.id] { return room }
    let room = MeetingRoom(
      record: record, url: url, media: media, limits: limits, counters: counters, log: log, events: events
    ) { [weak self] token in
      Task { await self?.left(token) }
    }
    rooms[record.id] = room
    usage.opened(record.tenant)
    return room
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

  private func close(_ room: MeetingRoom) async {
    if await room.closeIfEmpty() { forget(room) }
  }

  func forget(_ room: MeetingRoom) {
    guard rooms[room.record.id] === room else { return }
    rooms[room.record.id] = nil
    usage.closed(room.record.tenant)
  }
}
