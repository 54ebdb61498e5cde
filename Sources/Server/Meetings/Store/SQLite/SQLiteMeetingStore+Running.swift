public import Basics
public import FoundationEssentials

/// The state of running meetings.
extension SQLiteMeetingStore {
  /// Writes all of it in one transaction.
  public func apply(_ writes: [RunningWrite], now: Date) throws(MeetingStoreError) {
    if writes.isEmpty { return }
    let database = try open()
    let server = SQLiteValue.integer(try liveness().number)
    try database.transaction { () throws(MeetingStoreError) in
      var known: Set<MeetingID> = []
      for write in writes {
        let meeting = SQLiteValue.text(write.meeting.rawValue)
        if write.change == .end {
          known.remove(write.meeting)
          try forgetRunning(write.meeting, database)
          continue
        }
        if known.insert(write.meeting).inserted {
          try database.query(
            "INSERT INTO running_meetings (meeting, tenant, seen, server) VALUES (?1, ?2, ?3, ?4) "
              + "ON CONFLICT DO UPDATE SET seen = ?3, ends = NULL, server = ?4",
            [meeting, .text(write.tenant.rawValue), .time(now), server])
        }
        switch write.change {
        case .value(let value, let name):
          try database.query(
            "INSERT OR REPLACE INTO running_values (meeting, name, value) VALUES (?, ?, ?)",
            [meeting, .text(name), .text(value)])
        case .noValue(let name):
          try database.query("DELETE FROM running_values WHERE meeting = ? AND name = ?", [meeting, .text(name)])
        case .message(let message):
          try database.query(
            "INSERT OR REPLACE INTO chat_messages (meeting, id, body, file, bytes) VALUES (?, ?, ?, ?, ?)",
            [
              meeting, .number(message.id), .text(message.body), message.file.map { .text($0.id) } ?? .null,
              .number(message.file?.bytes),
            ])
        case .forget(let last):
          try database.query("DELETE FROM chat_messages WHERE meeting = ? AND id <= ?", [meeting, .number(last)])
        case .runs, .end: break
        }
      }
    }
  }

  private func forgetRunning(_ id: MeetingID, _ database: SQLiteDatabase) throws(MeetingStoreError) {
    for table in ["running_meetings", "running_values", "chat_messages"] {
      try database.query("DELETE FROM \(table) WHERE meeting = ?", [.text(id.rawValue)])
    }
  }

  /// The stored state of a meeting.
  public func runningMeeting(_ id: MeetingID) throws(MeetingStoreError) -> RunningMeeting? {
    let database = try open()
    var found: RunningMeeting?
    try database.query(
      "SELECT 1 FROM running_meetings WHERE meeting = ? AND ends IS NOT 0", [.text(id.rawValue)]
    ) { _ in
      found = RunningMeeting(values: [:], messages: [])
    }
    guard var found else { return nil }
    try database.query("SELECT name, value FROM running_values WHERE meeting = ?", [.text(id.rawValue)]) {
      found.values[$0.text(0)] = $0.text(1)
    }
    try database.query(
      "SELECT id, body, file, bytes FROM chat_messages WHERE meeting = ? ORDER BY id", [.text(id.rawValue)]
    ) { row in
      found.messages.append(
        JournaledMessage(
          id: Int(row.integer(0)), body: row.text(1),
          file: row.isNull(2) ? nil : (row.text(2), Int(row.integer(3)))))
    }
    return found
  }

  /// Notes that the meetings of this server run still.
  public func touchRunning(now: Date) throws(MeetingStoreError) {
    try open().query(
      "UPDATE running_meetings SET seen = ? WHERE ends IS NULL AND server = ?",
      [.time(now), .integer(try liveness().number)])
  }

  /// The meetings of a killed server, or of one that had taken them over. Folders of live servers are left alone.
  public func orphanedMeetings(now: Date) throws(MeetingStoreError) -> [OrphanedMeeting] {
    let database = try open()
    let liveness = try liveness()
    var left: [OrphanedMeeting] = []
    // Of two servers that start at once one takes each meeting over.
    try database.transaction { () throws(MeetingStoreError) in
      var found: [(id: MeetingID, seen: Date, ends: Date?)] = []
      try database.query("SELECT meeting, seen, ends, server FROM running_meetings ORDER BY meeting") { row in
        if !row.isNull(3), liveness.isAlive(row.integer(3)) { return }
        found.append((MeetingID(rawValue: row.text(0)), row.time(1), row.isNull(2) ? nil : row.time(2)))
      }
      for (id, seen, ends) in found {
        let planned = try meeting(id: id)?.schedule
        let end = ends ?? RunningMeeting.end(seen: seen, schedule: planned, now: now)
        guard end > now else {
          try bury(id, database)
          continue
        }
        try database.query(
          "UPDATE running_meetings SET ends = ?, server = ? WHERE meeting = ?",
          [.time(end), .integer(liveness.number), .text(id.rawValue)])
        left.append(OrphanedMeeting(meeting: id, files: []))
      }
    }
    for index in left.indices {
      try database.query(
        "SELECT file, bytes, tenant FROM chat_messages JOIN running_meetings USING (meeting) "
          + "WHERE meeting = ? AND file IS NOT NULL", [.text(left[index].meeting.rawValue)]
      ) { row in
        left[index].files.append(
          .init(id: row.text(0), tenant: TenantID(rawValue: row.text(2)), bytes: Int(row.integer(1))))
      }
    }
    return left
  }

  /// Forgets what this server has taken over and holds no more. Only the name of each is left, until everybody knows
  /// that it is over.
  public func expireOrphans(now: Date, except: [MeetingID]) throws(MeetingStoreError) -> [ExpiredMeeting] {
    let database = try open()
    var over: [ExpiredMeeting] = []
    try database.query(
      """
      SELECT meeting, tenant, coalesce(
        (SELECT value FROM running_values WHERE meeting = running_meetings.meeting AND name = ?3),
        (SELECT room FROM meetings WHERE id = running_meetings.meeting), meeting)
      FROM running_meetings WHERE ends <= ?1 AND server = ?2 ORDER BY meeting
      """, [.time(now), .integer(try liveness().number), .text(RunningMeeting.roomName)]
    ) {
      over.append(
        ExpiredMeeting(
          meeting: MeetingID(rawValue: $0.text(0)), tenant: TenantID(rawValue: $0.text(1)), room: $0.text(2)))
    }
    let excepted = Set(except)
    over.removeAll { excepted.contains($0.meeting) }
    guard !over.isEmpty else { return [] }
    try database.transaction { () throws(MeetingStoreError) in
      for meeting in over { try bury(meeting.meeting, database) }
    }
    return over
  }

  /// Forgets all that is kept of a meeting but its name; `ends` of 0 says so.
  private func bury(_ id: MeetingID, _ database: SQLiteDatabase) throws(MeetingStoreError) {
    let meeting = SQLiteValue.text(id.rawValue)
    try database.query(
      "DELETE FROM running_values WHERE meeting = ? AND name <> ?", [meeting, .text(RunningMeeting.roomName)])
    try database.query("DELETE FROM chat_messages WHERE meeting = ?", [meeting])
    try database.query(
      "UPDATE running_meetings SET ends = 0, server = ? WHERE meeting = ?", [.integer(try liveness().number), meeting])
  }

  /// Forgets the names as well.
  public func forgetExpired(_ meetings: [MeetingID]) throws(MeetingStoreError) {
    let database = try open()
    try database.transaction { () throws(MeetingStoreError) in
      for id in meetings {
        // It may run again by now.
        try database.query("DELETE FROM running_meetings WHERE meeting = ? AND ends = 0", [.text(id.rawValue)])
        if database.changes > 0 { try forgetRunning(id, database) }
      }
    }
  }

  /// Overwrites forgotten rows in the file, and empties the write-ahead log, which has the states before.
  public func overwriteForgotten() throws(MeetingStoreError) -> Bool { try open().emptyLog() }
}
