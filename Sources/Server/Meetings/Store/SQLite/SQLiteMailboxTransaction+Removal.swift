import Basics
import FoundationEssentials
import Messaging

/// The removal of domains and tenants, a part in each transaction. Each has a mark until its last row is gone, so a
/// restart goes on with it.
extension SQLiteMailboxTransaction {
  static let isMarked = "json_extract(settings, '$.removalStarted') IS NOT NULL"

  func isBeingRemoved(_ domain: DomainID) throws(MeetingStoreError) -> Bool {
    try !rows("SELECT 1 FROM messaging_domains WHERE id = ? AND \(Self.isMarked)", [.text(domain.text)]) { _ in true }
      .isEmpty
  }

  func domainsBeingRemoved() throws(MeetingStoreError) -> [DomainID] {
    try rows("SELECT id FROM messaging_domains WHERE \(Self.isMarked)") { DomainID($0.text(0)) }
  }

  func purge(domain: DomainID, limit: Int) throws(MeetingStoreError) -> RemovedRows {
    let id = SQLiteValue.text(domain.text)
    var removed = RemovedRows()
    while removed.count < limit {
      guard let part = try removePart(of: id, limit: limit - removed.count) else {
        try removeEmpty(domain: id)
        removed.isComplete = true
        return removed
      }
      removed.attachments += part.attachments
      // One for what the part stands for, so that empty ones come to an end too.
      removed.count += part.count + 1
    }
    return removed
  }

  /// Removes a chat or an identity of a domain, or as much of it as fits; nil when there is none.
  private func removePart(of domain: SQLiteValue, limit: Int) throws(MeetingStoreError) -> RemovedRows? {
    func first(_ table: String, _ column: String) throws(MeetingStoreError) -> String? {
      try rows("SELECT \(column) FROM \(table) WHERE domain = ? LIMIT 1", [domain]) { $0.text(0) }.first
    }
    if let chat = try first("mailbox_removed_chats", "chat") { return try purge(removed: .text(chat), limit: limit) }
    if let chat = try first("mailbox_chats", "id") { return try remove(chat: ChatID(chat), limit: limit) }
    try run(
      "DELETE FROM messaging_key_records WHERE domain = ?1 AND user IN "
        + "(SELECT user FROM messaging_key_records WHERE domain = ?1 LIMIT ?2)", [domain, .number(limit)])
    if database.changes > 0 { return RemovedRows(count: database.changes) }
    // After the messages: their senders' rows have the counted bytes.
    let member = try rows("SELECT id FROM messaging_identities WHERE domain = ? LIMIT 1", [domain]) { $0.identity(0) }
    return try member.first.map { identity throws(MeetingStoreError) in
      try remove(identity: identity, of: domain, limit: limit)
    }
  }

  private func remove(
    identity: RegID, of domain: SQLiteValue, limit: Int
  ) throws(MeetingStoreError) -> RemovedRows {
    let id = SQLiteValue.id(identity)
    try run(
      "DELETE FROM mailbox_events WHERE identity = ?1 AND number IN "
        + "(SELECT number FROM mailbox_events WHERE identity = ?1 LIMIT ?2)", [id, .number(limit)])
    var removed = RemovedRows(count: database.changes)
    if removed.count >= limit { return removed }
    try run("DELETE FROM messaging_endpoints WHERE identity = ?", [id])
    removed.count += database.changes
    try run(
      "DELETE FROM vaults WHERE identity = ? AND tenant = (SELECT tenant FROM messaging_domains WHERE id = ?)",
      [.text(VaultOwner.messagingPrefix + "\(identity)"), domain])
    removed.count += database.changes
    try run("DELETE FROM messaging_identities WHERE id = ?", [id])
    return removed
  }

  /// Removes a domain without chats and identities. A vault that came while its identity went is left, too.
  private func removeEmpty(domain: SQLiteValue) throws(MeetingStoreError) {
    try run(
      "DELETE FROM vaults WHERE identity LIKE 'messaging %' "
        + "AND tenant = (SELECT tenant FROM messaging_domains WHERE id = ?)", [domain])
    try run("DELETE FROM messaging_domains WHERE id = ?", [domain])
  }

  // MARK: Tenants

  /// Marks a tenant and its domain. Its name is free from here on, its keys are gone, and only the removal finds it.
  func startRemoval(of tenant: TenantID, now: Date) throws(MeetingStoreError) {
    if var domain = try domain(of: tenant), !domain.isBeingRemoved {
      domain.settings.removalStarted = now
      try update(domain)
    }
    try run(
      "UPDATE tenants SET removed = 1, is_default = 0, name = 'removed-' || lower(replace(id, '_', '-')), "
        + "api_key = id, signing_key = '', signing_key_id = id, identity_provider = NULL WHERE id = ?",
      [.text(tenant.rawValue)])
  }

  func tenantsBeingRemoved() throws(MeetingStoreError) -> [TenantID] {
    try rows("SELECT id FROM tenants WHERE removed = 1") { TenantID(rawValue: $0.text(0)) }
  }

  /// Tables with many rows of a tenant, those first that refer to others.
  private static let tenantTables: KeyValuePairs = [
    "webhook_deliveries": "webhook IN (SELECT id FROM webhooks WHERE tenant = ?1)", "webhooks": "tenant = ?1",
    "tokens": "tenant = ?1", "revoked_tokens": "tenant = ?1", "vaults": "tenant = ?1", "meetings": "tenant = ?1",
    "api_keys": "tenant = ?1",
  ]

  func purge(tenant: TenantID, limit: Int) throws(MeetingStoreError) -> RemovedRows {
    let id = SQLiteValue.text(tenant.rawValue)
    var removed = RemovedRows()
    guard try tenantsBeingRemoved().contains(tenant) else {
      removed.isComplete = true
      return removed
    }
    if let domain = try domain(of: tenant) {
      removed = try purge(domain: domain.id, limit: limit)
      guard removed.isComplete else { return removed }
      removed.isComplete = false
    }
    for (table, condition) in Self.tenantTables {
      try run(
        "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE \(condition) LIMIT ?2)",
        [id, .number(max(limit - removed.count, 0))])
      removed.count += database.changes
      if removed.count >= limit { return removed }
    }
    // Last, since most of the others refer to it.
    try run("DELETE FROM tenants WHERE id = ?", [id])
    removed.isComplete = true
    return removed
  }
}
