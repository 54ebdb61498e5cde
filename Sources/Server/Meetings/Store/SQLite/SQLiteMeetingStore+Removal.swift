public import Basics

/// The end of a tenant.
extension SQLiteMeetingStore {
  /// Forgets a tenant with all that is kept of it but the audit log, in one transaction.
  public func removeTenant(_ id: TenantID) throws(MeetingStoreError) -> [MeetingID]? {
    let database = try open()
    let life = try life()
    let tenant = SQLiteValue.text(id.rawValue)
    var left: [MeetingID]?
    try database.transaction { () throws(MeetingStoreError) in
      guard let found = try self.tenant(id: id) else { return }
      if found.isDefault { throw .defaultTenant(found.name) }
      var meetings: [MeetingID] = []
      var isInUse = false
      try database.query("SELECT meeting, ends, server FROM running_meetings WHERE tenant = ?", [tenant]) { row in
        meetings.append(MeetingID(rawValue: row.text(0)))
        // Whether one runs on this server its rooms know better.
        if row.isNull(1), !row.isNull(2), life.isAlive(row.integer(2)) { isInUse = true }
      }
      if isInUse { throw .tenantInUse(found.name) }
      for table in ["running_values", "chat_messages"] {
        try database.query(
          "DELETE FROM \(table) WHERE meeting IN (SELECT meeting FROM running_meetings WHERE tenant = ?)", [tenant])
      }
      try database.query(
        "DELETE FROM webhook_deliveries WHERE webhook IN (SELECT id FROM webhooks WHERE tenant = ?)", [tenant])
      let tables = [
        "running_meetings", "open_events", "webhooks", "tokens", "revoked_tokens", "vaults", "meetings", "api_keys",
      ]
      for table in tables {
        try database.query("DELETE FROM \(table) WHERE tenant = ?", [tenant])
      }
      let transaction = SQLiteMailboxTransaction(database: database)
      for domain in try transaction.domains() where domain.tenant == id {
        _ = try transaction.remove(domain: domain.id)
      }
      // Last, since most of the others refer to it.
      try database.query("DELETE FROM tenants WHERE id = ?", [tenant])
      left = meetings
    }
    return left
  }
}
