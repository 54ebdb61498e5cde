public import Basics
public import FoundationEssentials

/// The end of a tenant.
extension SQLiteMeetingStore {
  /// Holds for rows of a table with a `tenant` unless that is being removed: nobody finds what is left of it. Written
  /// so that each row costs one look into an index.
  static let hasTenant = "NOT EXISTS (SELECT 1 FROM tenants WHERE tenants.id = tenant AND removed = 1)"

  /// Ends the use of a tenant, and removes the first part of what is kept of it: all of a small one. ``MailboxUpkeep``
  /// removes the rest, and the audit log stays.
  public func removeTenant(_ id: TenantID, now: Date) throws(MeetingStoreError) -> RemovedTenant? {
    let database = try open()
    let liveness = try liveness()
    let tenant = SQLiteValue.text(id.rawValue)
    var removed: RemovedTenant?
    try database.transaction { () throws(MeetingStoreError) in
      guard let found = try self.tenant(id: id) else { return }
      if found.isDefault { throw .defaultTenant(found.name) }
      var meetings: [MeetingID] = []
      var isInUse = false
      try database.query("SELECT meeting, ends, server FROM running_meetings WHERE tenant = ?", [tenant]) { row in
        meetings.append(MeetingID(rawValue: row.text(0)))
        // Whether one runs on this server its rooms know better.
        if row.isNull(1), !row.isNull(2), liveness.isAlive(row.integer(2)) { isInUse = true }
      }
      if isInUse { throw .tenantInUse(found.name) }
      for table in ["running_values", "chat_messages"] {
        try database.query(
          "DELETE FROM \(table) WHERE meeting IN (SELECT meeting FROM running_meetings WHERE tenant = ?)", [tenant])
      }
      for table in ["running_meetings", "open_events", "api_keys"] {
        try database.query("DELETE FROM \(table) WHERE tenant = ?", [tenant])
      }
      try database.query("UPDATE webhooks SET enabled = 0 WHERE tenant = ?", [tenant])
      let transaction = SQLiteMailboxTransaction(database: database)
      try transaction.startRemoval(of: id, now: now)
      let part = try transaction.purge(tenant: id, limit: MailboxUpkeep.rows)
      removed = RemovedTenant(orphanedMeetings: meetings, attachments: part.attachments)
    }
    return removed
  }
}
