public import Basics
public import FoundationEssentials

extension SQLiteMeetingStore {
  private static let meetingColumns =
    "id, tenant, room, room_key, kind, subject, summary, access_level, capacity, created, expires, "
    + "passcode, waits_for_host, announces, lobby_seconds, chat, schedule, owner, revision, anonymous, encrypted"

  /// The meeting of a room name; made by the tenant's rules when there is none.
  public func openMeeting(room: RoomName, tenant: Tenant, now: Date) throws(MeetingStoreError) -> MeetingRecord {
    if let meeting = try meeting(room: room, tenant: tenant.id) { return meeting }
    let fresh = MeetingRecord(opening: room, of: tenant, now: now)
    do {
      try insert(fresh)
      return fresh
    } catch .exists {
      // Another process on the same folder was quicker.
      guard let meeting = try meeting(room: room, tenant: tenant.id) else { throw .busy(path: path) }
      return meeting
    }
  }

  /// Keeps a new meeting, unless its room name is taken.
  public func insert(_ meeting: MeetingRecord) throws(MeetingStoreError) {
    let database = try open()
    try requireCapacity(for: meeting)
    try database.query(
      "INSERT INTO meetings (\(Self.meetingColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        + "ON CONFLICT DO NOTHING",
      [
        .text(meeting.id.rawValue), .text(meeting.tenant.rawValue), .text(meeting.room.display),
        .text(meeting.room.key), .text(meeting.kind.rawValue), .text(meeting.subject), .text(meeting.summary),
        .text(meeting.accessLevel.rawValue), .number(meeting.capacity), .time(meeting.created), .time(meeting.expires),
        meeting.passcode.map { .text($0.text) } ?? .null,
      ] + Self.values(meeting.lobby) + [
        .text(meeting.chat.stored), try schedule(meeting.schedule), meeting.owner.map { .text($0) } ?? .null,
        .number(meeting.revision), .number(meeting.isAnonymous ? 1 : 0), Self.value(meeting.isEncrypted),
      ])
    if database.changes == 0 { throw .exists(meeting.room.display) }
  }

  /// The meeting with that id.
  public func meeting(id: MeetingID) throws(MeetingStoreError) -> MeetingRecord? {
    try meetings("id = ?", [.text(id.rawValue)]).first
  }

  /// The tenant's meeting of that room name.
  public func meeting(room: RoomName, tenant: TenantID) throws(MeetingStoreError) -> MeetingRecord? {
    try meetings("tenant = ? AND room_key = ?", [.text(tenant.rawValue), .text(room.key)]).first
  }

  /// Every meeting, or those of one tenant, the newest first.
  public func meetings(tenant: TenantID?, limit: Int) throws(MeetingStoreError) -> [MeetingRecord] {
    let order = "ORDER BY created DESC, id LIMIT ?"
    guard let tenant else { return try meetings("1 \(order)", [.number(limit)]) }
    return try meetings("tenant = ? \(order)", [.text(tenant.rawValue), .number(limit)])
  }

  func meetings(_ condition: String, _ values: [SQLiteValue]) throws(MeetingStoreError) -> [MeetingRecord] {
    var meetings: [MeetingRecord] = []
    let sql = "SELECT \(Self.meetingColumns) FROM meetings WHERE \(Self.hasTenant) AND \(condition)"
    try open().query(sql, values) { row in
      var meeting =
        MeetingRecord(
          id: MeetingID(rawValue: row.text(0)), tenant: TenantID(rawValue: row.text(1)),
          room: RoomName(stored: row.text(2), key: row.text(3)), kind: .init(rawValue: row.text(4)) ?? .adHoc,
          subject: row.text(5), summary: row.text(6),
          // An unknown level (of a later version) is taken as the strictest.
          accessLevel: AccessLevel(rawValue: row.text(7)) ?? .locked, created: row.time(9),
          expires: row.optionalTime(10), capacity: row.optionalNumber(8),
          passcode: row.isNull(11) ? nil : PasscodeHash(stored: row.text(11)), lobby: row.lobby(12),
          chat: ChatPolicy(stored: row.text(15)), schedule: row.isNull(16) ? nil : Self.schedule(row.text(16)),
          owner: row.isNull(17) ? nil : row.text(17), revision: Int(row.integer(18)))
      meeting.isAnonymous = row.integer(19) != 0
      meeting.isEncrypted = row.isNull(20) ? nil : row.integer(20) != 0
      meetings.append(meeting)
    }
    return meetings
  }

  public func removeMeeting(_ id: MeetingID) throws(MeetingStoreError) -> Bool {
    let database = try open()
    try database.query("DELETE FROM meetings WHERE id = ?", [.text(id.rawValue)])
    return database.changes > 0
  }

  /// Decides the mode of a meeting once.
  public func decideEncryption(of id: MeetingID, _ isEncrypted: Bool) throws(MeetingStoreError) -> Bool {
    let database = try open()
    try database.query(
      "UPDATE meetings SET encrypted = ? WHERE id = ? AND encrypted IS NULL",
      [Self.value(isEncrypted), .text(id.rawValue)])
    return try meeting(id: id)?.isEncrypted ?? isEncrypted
  }

  static func value(_ isEncrypted: Bool?) -> SQLiteValue { .number(isEncrypted.map { $0 ? 1 : 0 }) }

  /// Notes that someone joined.
  public func markUsed(_ id: MeetingID, now: Date) throws(MeetingStoreError) {
    // Once an hour is often enough to keep a meeting, and spares most joins the write.
    try open().query(
      "UPDATE meetings SET used = ?1 WHERE id = ?2 AND (used IS NULL OR used < ?1 - 3600000)",
      [.time(now), .text(id.rawValue)])
  }
}

extension SQLiteMeetingStore {
  /// Refuses a token from now on.
  public func revoke(_ token: TokenID, tenant: TenantID, expires: Date) throws(MeetingStoreError) {
    try open().query(
      "INSERT INTO revoked_tokens (tenant, id, expires) VALUES (?, ?, ?) "
        + "ON CONFLICT DO UPDATE SET expires = max(expires, excluded.expires)",
      [.text(tenant.rawValue), .text(token.rawValue), .time(expires)])
  }

  /// Whether a token was revoked.
  public func isRevoked(_ token: TokenID, tenant: TenantID) throws(MeetingStoreError) -> Bool {
    var found = false
    try open().query(
      "SELECT 1 FROM revoked_tokens WHERE tenant = ? AND id = ?", [.text(tenant.rawValue), .text(token.rawValue)]
    ) { _ in found = true }
    return found
  }
}
