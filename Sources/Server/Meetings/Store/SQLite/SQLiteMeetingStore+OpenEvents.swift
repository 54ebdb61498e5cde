import Basics
import FoundationEssentials

/// Events that webhooks received as begun, and not yet as ended.
extension SQLiteMeetingStore {
  /// Records beginnings and ends, all or none. It belongs into the transaction that enqueues their deliveries, so that
  /// the webhooks that were notified of a beginning are notified of its end, and no others.
  public func apply(_ changes: [OpenEventChange]) throws(MeetingStoreError) {
    let database = try open()
    try database.transaction { () throws(MeetingStoreError) in
      for change in changes { try apply(change, database) }
    }
  }

  private func apply(_ change: OpenEventChange, _ database: SQLiteDatabase) throws(MeetingStoreError) {
    switch change {
    case .begins(let beginning):
      try database.query(
        "INSERT OR REPLACE INTO open_events (meeting, tenant, room, subject, body, begun, server) "
          + "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          .text(beginning.meeting.rawValue), .text(beginning.tenant.rawValue), .text(beginning.room),
          .text(beginning.subject), .text(beginning.body), .time(beginning.seen), .integer(try liveness().number),
        ])
    case .ends(let meeting, let subject):
      try database.query(
        "DELETE FROM open_events WHERE meeting = ? AND subject = ?", [.text(meeting.rawValue), .text(subject)])
    case .allEnd(let meeting):
      try database.query(
        "DELETE FROM open_events WHERE meeting = ? AND server = ?",
        [.text(meeting.rawValue), .integer(try liveness().number)])
    }
  }

  /// The open beginnings of killed servers, each returned once: they belong to this server from now on.
  public func orphanedEvents() throws(MeetingStoreError) -> [OpenEvent] {
    let database = try open()
    let liveness = try liveness()
    var left: [OpenEvent] = []
    // Of two servers that start at once one takes it.
    try database.transaction { () throws(MeetingStoreError) in
      var gone: [Int64] = []
      try database.query("SELECT DISTINCT server FROM open_events") { row in
        let server = row.integer(0)
        if server != liveness.number, !liveness.isAlive(server) { gone.append(server) }
      }
      for server in gone {
        // A track ends before its sender is gone.
        try database.query(
          """
          SELECT meeting, open_events.tenant, room, subject, body, max(begun, coalesce(seen, 0))
          FROM open_events LEFT JOIN running_meetings USING (meeting) WHERE open_events.server = ? ORDER BY sequence DESC
          """, [.integer(server)]
        ) { row in
          left.append(
            OpenEvent(
              meeting: MeetingID(rawValue: row.text(0)), tenant: TenantID(rawValue: row.text(1)), room: row.text(2),
              subject: row.text(3), body: row.text(4), seen: row.time(5)))
        }
        try database.query(
          "UPDATE open_events SET server = ? WHERE server = ?", [.integer(liveness.number), .integer(server)])
      }
    }
    return left
  }
}
