import Basics
import Glibc

/// A copy in the place of what is kept.
extension SQLiteMeetingStore {
  /// Replaces the stored data by a copy's (``backUp(to:with:)``), in one transaction, also while a server works on the
  /// file: all of it holds from the next request on. `folder` is one with the copy as its store, in today's format,
  /// which nobody writes to.
  ///
  /// These stay as they have become since the copy:
  /// - Meetings that run stay as they are, with what holds in them.
  /// - Tokens and people that were refused since stay so, secrets stay as good or retired as they were, and webhooks
  ///   still receive the events that wait for them.
  /// - Vaults stay: devices would take an older record for an attack, and an older count would give tries back.
  /// - A domain of the messaging service stays as it is: no message gets lost, and none comes twice. A missing one
  ///   comes whole. One whose tenant the copy doesn't have is refused to everybody, and ``MailboxUpkeep`` removes it.
  /// - The audit log keeps its entries, and gets those of the copy that it lacks, and `entry`.
  ///
  /// - Throws: ``MeetingStoreError/failed(path:reason:)`` where a meeting runs whose tenant the copy does not have, and
  ///   while a domain of the copy is being removed: what is left of it would stay in place of the copy's.
  public func replace(byStoreIn folder: String, _ entry: AuditEntry) throws(MeetingStoreError) {
    let database = try open()
    let copy = folder + "/" + Self.fileName
    try database.query("ATTACH ? AS copy", [.text(copy)])
    defer { try? database.execute("DETACH copy") }
    // The copy has a tenant that it was removing only until upkeep goes on with that.
    let kept = "(SELECT id FROM copy.tenants WHERE removed = 0)"
    try database.transaction { () throws(MeetingStoreError) in
      var homeless = ""
      try database.query(
        "SELECT meeting FROM main.running_meetings WHERE ends IS NOT 0 AND tenant NOT IN \(kept)"
      ) { homeless = $0.text(0) }
      guard homeless.isEmpty else {
        throw .failed(
          path: copy,
          reason: "the meeting \(homeless) runs, and the copy does not have its tenant; end the meeting first")
      }
      let transaction = SQLiteMailboxTransaction(database: database)
      let isMarked = SQLiteMailboxTransaction.isMarked
      let halves = try transaction.rows(
        "SELECT id FROM main.messaging_domains WHERE \(isMarked) "
          + "AND tenant IN (SELECT tenant FROM copy.messaging_domains WHERE NOT \(isMarked))"
      ) { $0.text(0) }
      if let half = halves.first {
        throw .failed(
          path: copy,
          reason: "the domain \(half) is still being removed; restore once it is gone, so that it comes back whole")
      }
      let missing = try transaction.rows("SELECT tenant FROM main.messaging_domains WHERE tenant NOT IN \(kept)") {
        TenantID(rawValue: $0.text(0))
      }
      for tenant in missing { try transaction.startRemoval(of: tenant, now: entry.time) }
      try database.execute(Self.replacing)
      try append(entry)
    }
  }

  /// References between tables are looked at when all is done. Of two meetings that want one place the one that
  /// runs keeps it. The order of tenants is of no matter, and keeps SQLite from copying pages of the table instead of
  /// rows: then it would still miss those that meetings refer to.
  private static let replacing = """
    PRAGMA defer_foreign_keys = ON;
    DELETE FROM main.webhook_deliveries WHERE webhook NOT IN (SELECT id FROM copy.webhooks);
    DELETE FROM main.webhooks;
    DELETE FROM main.api_keys WHERE tenant NOT IN (SELECT id FROM copy.tenants);
    DELETE FROM main.meetings WHERE id NOT IN (SELECT meeting FROM main.running_meetings WHERE ends IS NOT 0);
    DELETE FROM main.vaults WHERE tenant NOT IN (SELECT id FROM copy.tenants)
      AND tenant NOT IN (SELECT tenant FROM main.messaging_domains);
    DELETE FROM main.tenants
      WHERE id IN (SELECT id FROM copy.tenants) OR id NOT IN (SELECT tenant FROM main.messaging_domains);
    INSERT INTO main.tenants SELECT * FROM copy.tenants ORDER BY id;
    INSERT OR IGNORE INTO main.api_keys SELECT * FROM copy.api_keys;
    INSERT INTO main.webhooks SELECT * FROM copy.webhooks;
    INSERT OR IGNORE INTO main.meetings SELECT * FROM copy.meetings;
    INSERT OR IGNORE INTO main.revoked_tokens SELECT * FROM copy.revoked_tokens;
    INSERT OR IGNORE INTO main.vaults SELECT * FROM copy.vaults;
    INSERT OR IGNORE INTO main.tokens (tenant, id, form, room, room_key, name, user, role, expires, issued, used, uses)
      SELECT tenant, id, form, room, room_key, name, user, role, expires, issued, used, uses
      FROM copy.tokens ORDER BY sequence;
    CREATE TEMP TABLE missing_domains AS
      SELECT id FROM copy.messaging_domains WHERE id NOT IN (SELECT id FROM main.messaging_domains)
        AND tenant NOT IN (SELECT tenant FROM main.messaging_domains);
    INSERT INTO main.messaging_domains SELECT * FROM copy.messaging_domains
      WHERE id IN (SELECT id FROM missing_domains);
    INSERT OR IGNORE INTO main.messaging_identities SELECT * FROM copy.messaging_identities
      WHERE domain IN (SELECT id FROM missing_domains);
    INSERT OR IGNORE INTO main.messaging_key_records SELECT * FROM copy.messaging_key_records
      WHERE domain IN (SELECT id FROM missing_domains);
    INSERT OR IGNORE INTO main.messaging_endpoints SELECT * FROM copy.messaging_endpoints
      WHERE identity IN (SELECT id FROM copy.messaging_identities WHERE domain IN (SELECT id FROM missing_domains));
    INSERT OR IGNORE INTO main.mailbox_events SELECT * FROM copy.mailbox_events
      WHERE identity IN (SELECT id FROM copy.messaging_identities WHERE domain IN (SELECT id FROM missing_domains));
    INSERT OR IGNORE INTO main.mailbox_chats SELECT * FROM copy.mailbox_chats
      WHERE domain IN (SELECT id FROM missing_domains);
    INSERT OR IGNORE INTO main.mailbox_chat_texts SELECT * FROM copy.mailbox_chat_texts
      WHERE chat IN (SELECT id FROM copy.mailbox_chats WHERE domain IN (SELECT id FROM missing_domains));
    INSERT OR IGNORE INTO main.mailbox_envelopes SELECT * FROM copy.mailbox_envelopes
      WHERE chat IN (SELECT id FROM copy.mailbox_chats WHERE domain IN (SELECT id FROM missing_domains));
    INSERT OR IGNORE INTO main.mailbox_participants SELECT * FROM copy.mailbox_participants
      WHERE chat IN (SELECT id FROM copy.mailbox_chats WHERE domain IN (SELECT id FROM missing_domains));
    INSERT OR IGNORE INTO main.mailbox_messages SELECT * FROM copy.mailbox_messages
      WHERE chat IN (SELECT id FROM copy.mailbox_chats WHERE domain IN (SELECT id FROM missing_domains));
    INSERT OR IGNORE INTO main.mailbox_deleted SELECT * FROM copy.mailbox_deleted
      WHERE chat IN (SELECT id FROM copy.mailbox_chats WHERE domain IN (SELECT id FROM missing_domains));
    INSERT OR IGNORE INTO main.mailbox_attachments SELECT * FROM copy.mailbox_attachments
      WHERE chat IN (SELECT id FROM copy.mailbox_chats WHERE domain IN (SELECT id FROM missing_domains));
    DROP TABLE missing_domains;
    INSERT INTO main.audit_log (time, actor, tenant, action, target, detail)
      SELECT time, actor, tenant, action, target, detail FROM copy.audit_log
      EXCEPT SELECT time, actor, tenant, action, target, detail FROM main.audit_log ORDER BY time;
    """
}
