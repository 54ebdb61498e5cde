public import Basics
import FoundationEssentials

/// Schedules, and rooms of one's own.
extension SQLiteMeetingStore {
  /// A schedule as the column has it.
  func schedule(_ schedule: MeetingSchedule?) throws(MeetingStoreError) -> SQLiteValue {
    guard let schedule else { return .null }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(schedule) else {
      throw .failed(path: path, reason: "a schedule cannot be written as JSON")
    }
    return .text(String(decoding: data, as: UTF8.self))
  }

  /// A schedule from its column. One that a later version has written and this one does not understand counts as none.
  static func schedule(_ text: String) -> MeetingSchedule? {
    try? JSONDecoder().decode(MeetingSchedule.self, from: Data(text.utf8))
  }

  /// Changes a meeting in one transaction.
  public func change(
    _ id: MeetingID, by body: @Sendable (inout MeetingRecord) throws -> Void
  ) throws -> MeetingRecord? {
    let database = try open()
    var found: MeetingRecord?
    var problem: (any Error)?
    try database.transaction { () throws(MeetingStoreError) in
      guard var meeting = try meeting(id: id) else { return }
      let before = meeting
      do { try body(&meeting) } catch {
        problem = error
        return
      }
      if meeting != before {
        meeting.revision += 1
        try write(meeting, database)
      }
      found = meeting
    }
    if let problem { throw problem }
    return found
  }

  /// Constants of a meeting aren't written.
  private func write(_ meeting: MeetingRecord, _ database: SQLiteDatabase) throws(MeetingStoreError) {
    try database.query(
      "UPDATE meetings SET subject = ?, summary = ?, access_level = ?, capacity = ?, expires = ?, passcode = ?, "
        + "waits_for_host = ?, announces = ?, lobby_seconds = ?, chat = ?, schedule = ?, owner = ?, revision = ?, anonymous = ?, "
        + "encrypted = ? WHERE id = ?",
      [
        .text(meeting.subject), .text(meeting.summary), .text(meeting.accessLevel.rawValue),
        .number(meeting.capacity), .time(meeting.expires), meeting.passcode.map { .text($0.text) } ?? .null,
      ] + Self.values(meeting.lobby) + [
        .text(meeting.chat.stored), try schedule(meeting.schedule), meeting.owner.map { .text($0) } ?? .null,
        .number(meeting.revision), .number(meeting.isAnonymous ? 1 : 0), Self.value(meeting.isEncrypted),
        .text(meeting.id.rawValue),
      ])
  }

  /// The room that is somebody's own.
  public func personalRoom(of owner: String, tenant: TenantID) throws(MeetingStoreError) -> MeetingRecord? {
    try meetings("tenant = ? AND owner = ?", [.text(tenant.rawValue), .text(owner)]).first
  }

  /// Own rooms, by owner.
  public func personalRooms(
    tenant: TenantID?, after: String?, limit: Int
  ) throws(MeetingStoreError) -> [MeetingRecord] {
    try meetings(
      "owner > ?1 AND (?2 IS NULL OR tenant = ?2) ORDER BY owner, tenant LIMIT ?3",
      [.text(after ?? ""), tenant.map { .text($0.rawValue) } ?? .null, .number(limit)])
  }

  /// How many meetings are kept for a tenant that has no limit of its own; nil for any number.
  public func setDefaultLimit(storedMeetings: Int?) { defaultStoredMeetings = storedMeetings }

  /// Refuses a further meeting of a tenant that has as many as it may have; of people without a credential when they
  /// have three quarters of it, so that they do not take all. Meetings are only counted where there is a limit.
  public func requireCapacity(for meeting: MeetingRecord) throws(MeetingStoreError) {
    var limit: Int?
    var name = ""
    try open().query("SELECT stored_meetings, name FROM tenants WHERE id = ?", [.text(meeting.tenant.rawValue)]) {
      limit = $0.optionalNumber(0)
      name = $0.text(1)
    }
    guard let limit = limit ?? defaultStoredMeetings else { return }
    if meeting.isAnonymous, try anonymousCount(of: meeting.tenant) >= limit - limit / 4 {
      throw .tooManyMeetings(
        LimitReached(
          .maximumStoredMeetings,
          "People without an account have made \(limit - limit / 4) meetings of \(name) that are kept, which is their share of \(limit) "
            + "(maximumStoredMeetings). Try again tomorrow, or sign a JWT with an API secret."))
    }
    guard try meetingCount(of: meeting.tenant) >= limit else { return }
    throw .tooManyMeetings(
      LimitReached(
        .maximumStoredMeetings,
        "The limit of \(limit) meetings that are kept for \(name) is reached (maximumStoredMeetings). Remove some, or have it raised."
      ))
  }

  private func anonymousCount(of tenant: TenantID) throws(MeetingStoreError) -> Int {
    var count = 0
    try open().query("SELECT count(*) FROM meetings WHERE tenant = ? AND anonymous = 1", [.text(tenant.rawValue)]) {
      count = Int($0.integer(0))
    }
    return count
  }

  /// How many meetings of a tenant are kept.
  public func meetingCount(of tenant: TenantID) throws(MeetingStoreError) -> Int {
    var count = 0
    try open().query("SELECT count(*) FROM meetings WHERE tenant = ?", [.text(tenant.rawValue)]) {
      count = Int($0.integer(0))
    }
    return count
  }
}
