public import Basics
public import FoundationEssentials

/// The list of meetings page by page, the audit log, and the upkeep of what running a service keeps.
extension SQLiteMeetingStore {
  /// Every meeting, or those of one tenant, the newest first, from a place on.
  public func meetings(
    tenant: TenantID?, after: MeetingCursor?, limit: Int
  ) throws(MeetingStoreError) -> [MeetingRecord] {
    // Written so that a page begins where the one before has ended, in an index, however many entries stand before it.
    let page = "(created <= ?1 AND (created < ?1 OR id > ?2)) ORDER BY created DESC, id LIMIT ?3"
    let values: [SQLiteValue] = [
      after.map { .time($0.created) } ?? .number(.max), .text(after?.id.rawValue ?? ""), .number(limit),
    ]
    guard let tenant else { return try meetings(page, values) }
    return try meetings("tenant = ?4 AND " + page, values + [.text(tenant.rawValue)])
  }

  /// Adds to the log.
  public func append(_ entry: AuditEntry) throws(MeetingStoreError) {
    try open().query(
      "INSERT INTO audit_log (time, actor, tenant, action, target, detail, anonymous) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        .time(entry.time), .text(entry.actor), .text(entry.tenant), .text(entry.action), .text(entry.target),
        .text(entry.detail), .number(entry.isAnonymous ? 1 : 0),
      ])
  }

  /// The log, the newest first.
  public func auditLog(tenant: String?, before: Int?, limit: Int) throws(MeetingStoreError) -> [AuditEntry] {
    var entries: [AuditEntry] = []
    // Two statements, since one for both would not use the index of tenants.
    let ofTenant = tenant == nil ? "" : "AND tenant = ?3 "
    try open().query(
      "SELECT sequence, time, actor, tenant, action, target, detail, anonymous FROM audit_log "
        + "WHERE sequence < ?1 \(ofTenant)ORDER BY sequence DESC LIMIT ?2",
      [.number(before ?? .max), .number(limit)] + (tenant.map { [.text($0)] } ?? [])
    ) { row in
      var entry = AuditEntry(
        time: row.time(1), actor: row.text(2), tenant: row.text(3), action: row.text(4), target: row.text(5),
        detail: row.text(6), isAnonymous: row.integer(7) != 0)
      entry.sequence = Int(row.integer(0))
      entries.append(entry)
    }
    return entries
  }

  /// Gives up and forgets what is too old.
  public func purgeOperation(now: Date) throws(MeetingStoreError) -> Int {
    let database = try open()
    var rows = 0
    try database.transaction { () throws(MeetingStoreError) in
      try database.query(
        "UPDATE webhook_deliveries SET state = 'failed', next = NULL, finished = ?1, "
          + "problem = coalesce(problem, 'It waited too long.') WHERE state = 'pending' AND created < ?2",
        [.time(now), .time(now - WebhookDelivery.triedFor)])
      rows += database.changes
      try database.query(
        "DELETE FROM webhook_deliveries WHERE finished < ?", [.time(now - WebhookDelivery.keptFinished)])
      rows += database.changes
      try database.query(
        """
        DELETE FROM webhook_deliveries WHERE sequence IN (
          SELECT sequence FROM (
            SELECT sequence, row_number() OVER (PARTITION BY webhook ORDER BY sequence DESC) AS place
            FROM webhook_deliveries WHERE state <> 'pending')
          WHERE place > ?)
        """, [.number(WebhookDelivery.maximumFinished)])
      rows += database.changes
      try database.query("DELETE FROM audit_log WHERE time < ?", [.time(now - AuditEntry.kept)])
      rows += database.changes
      rows += try trimAnonymousEntries()
    }
    return rows
  }

  /// Of what people without a credential have caused the newest entries stay: who pays nothing for them must not fill
  /// the disk.
  func trimAnonymousEntries(most: Int = AuditEntry.maximumAnonymous) throws(MeetingStoreError) -> Int {
    let database = try open()
    try database.query(
      """
      DELETE FROM audit_log WHERE (anonymous = 1 OR actor = 'anybody') AND sequence <= (
        SELECT sequence FROM audit_log WHERE anonymous = 1 OR actor = 'anybody' ORDER BY sequence DESC LIMIT 1 OFFSET ?)
      """, [.number(most)])
    return database.changes
  }
}
