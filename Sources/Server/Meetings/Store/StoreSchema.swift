/// The store's tables, as steps from each version of the format to the next. A step, once released, is never changed.
enum StoreSchema {
  static let migrations: [String] = [
    """
    CREATE TABLE tenants (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, api_key TEXT NOT NULL UNIQUE, api_secret TEXT NOT NULL,
      signing_key TEXT NOT NULL, signing_key_id TEXT NOT NULL UNIQUE, is_default INTEGER NOT NULL DEFAULT 0,
      created INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX one_default_tenant ON tenants (is_default) WHERE is_default = 1;
    CREATE TABLE meetings (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenants (id), room_key TEXT NOT NULL UNIQUE,
      room TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, summary TEXT NOT NULL,
      access_level TEXT NOT NULL, capacity INTEGER, created INTEGER NOT NULL, expires INTEGER,
      used INTEGER
    ) STRICT;
    CREATE INDEX meetings_by_end ON meetings (expires) WHERE expires IS NOT NULL;
    CREATE TABLE revoked_tokens (id TEXT PRIMARY KEY, expires INTEGER NOT NULL) STRICT;
    """,
    // Tenants get rules and secrets that can be changed, room names and revocations belong to a tenant.
    """
    CREATE TABLE tenants_2 (
      id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, api_key TEXT NOT NULL UNIQUE, is_default INTEGER NOT NULL DEFAULT 0,
      sign_in TEXT NOT NULL, allowed_origins TEXT NOT NULL, access_level TEXT NOT NULL, capacity INTEGER,
      maximum_meetings INTEGER, maximum_participants INTEGER,
      signing_key TEXT NOT NULL, signing_key_id TEXT NOT NULL UNIQUE, created INTEGER NOT NULL
    ) STRICT;
    INSERT INTO tenants_2
      SELECT id, name, api_key, is_default, CASE is_default WHEN 1 THEN 'open' ELSE 'token' END, '', 'Everyone', NULL,
        NULL, NULL, signing_key, signing_key_id, created FROM tenants;
    CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenants_2 (id), secret TEXT NOT NULL, created INTEGER NOT NULL,
      expires INTEGER, retired INTEGER
    ) STRICT;
    CREATE INDEX api_keys_by_tenant ON api_keys (tenant);
    INSERT INTO api_keys SELECT 'k_' || lower(hex(randomblob(4))), id, api_secret, created, NULL, NULL FROM tenants;
    CREATE TABLE meetings_2 (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenants_2 (id), room_key TEXT NOT NULL,
      room TEXT NOT NULL, kind TEXT NOT NULL,
      subject TEXT NOT NULL, summary TEXT NOT NULL, access_level TEXT NOT NULL, capacity INTEGER,
      created INTEGER NOT NULL, expires INTEGER, used INTEGER, UNIQUE (tenant, room_key)
    ) STRICT;
    INSERT INTO meetings_2
      SELECT id, tenant, room_key, room, kind, subject, summary, access_level, capacity, created, expires, used
      FROM meetings;
    CREATE TABLE revoked_tokens_2 (
      tenant TEXT NOT NULL, id TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT;
    INSERT INTO revoked_tokens_2
      SELECT tenants.id, revoked_tokens.id, expires FROM revoked_tokens, tenants WHERE is_default = 1;
    DROP TABLE meetings;
    DROP TABLE revoked_tokens;
    DROP TABLE tenants;
    ALTER TABLE tenants_2 RENAME TO tenants;
    ALTER TABLE meetings_2 RENAME TO meetings;
    ALTER TABLE revoked_tokens_2 RENAME TO revoked_tokens;
    CREATE UNIQUE INDEX one_default_tenant ON tenants (is_default) WHERE is_default = 1;
    CREATE INDEX meetings_by_end ON meetings (expires) WHERE expires IS NOT NULL;
    """,
    // Meetings get a passcode and a lobby, tenants the defaults of new meetings.
    """
    ALTER TABLE meetings ADD COLUMN passcode TEXT;
    ALTER TABLE meetings ADD COLUMN waits_for_host INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE meetings ADD COLUMN announces INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE meetings ADD COLUMN lobby_seconds INTEGER;
    ALTER TABLE tenants ADD COLUMN waits_for_host INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tenants ADD COLUMN announces INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE tenants ADD COLUMN lobby_seconds INTEGER;
    """,
    // Webhooks with what they are to be told, and the audit log, which nothing changes and only time shortens.
    """
    CREATE TABLE webhooks (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenants (id), url TEXT NOT NULL, secret TEXT NOT NULL,
      events TEXT NOT NULL, enabled INTEGER NOT NULL, created INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX meetings_by_age ON meetings (created DESC, id);
    CREATE INDEX webhooks_by_tenant ON webhooks (tenant);
    CREATE TABLE webhook_deliveries (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
      webhook TEXT NOT NULL REFERENCES webhooks (id), meeting TEXT NOT NULL, event TEXT NOT NULL, type TEXT NOT NULL,
      body TEXT NOT NULL, created INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, next INTEGER,
      status INTEGER, problem TEXT, finished INTEGER
    ) STRICT;
    CREATE INDEX deliveries_pending ON webhook_deliveries (webhook, meeting, sequence) WHERE state = 'pending';
    CREATE INDEX deliveries_by_webhook ON webhook_deliveries (webhook, sequence);
    CREATE INDEX deliveries_finished ON webhook_deliveries (finished) WHERE finished IS NOT NULL;
    CREATE TABLE audit_log (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, actor TEXT NOT NULL, tenant TEXT NOT NULL,
      action TEXT NOT NULL, target TEXT NOT NULL, detail TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_log_by_tenant ON audit_log (tenant, sequence);
    CREATE TRIGGER audit_log_is_not_changed BEFORE UPDATE ON audit_log
      BEGIN SELECT raise(ABORT, 'the audit log is only added to'); END;
    CREATE TRIGGER audit_log_is_kept BEFORE DELETE ON audit_log
      WHEN old.time > (CAST(strftime('%s', 'now') AS INTEGER) - 399 * 24 * 3600) * 1000
      BEGIN SELECT raise(ABORT, 'the audit log is only added to'); END;
    """,
    // Tenants get a provider at which their people sign in, as JSON.
    """
    ALTER TABLE tenants ADD COLUMN identity_provider TEXT;
    """,
    // What becomes of the chats of meetings.
    """
    ALTER TABLE meetings ADD COLUMN chat TEXT NOT NULL DEFAULT '';
    ALTER TABLE tenants ADD COLUMN chat TEXT NOT NULL DEFAULT '';
    ALTER TABLE tenants ADD COLUMN maximum_chat_bytes INTEGER;
    """,
    // The meetings of one tenant page by page.
    """
    CREATE INDEX meetings_by_tenant_and_age ON meetings (tenant, created DESC, id);
    """,
    planning,
    changes,
    lists,
    running,
    runningServers,
    openEvents,
    sessionNames,
    anonymous,
  ]

  /// Brings the file up to date; each step is one transaction, so a crash leaves a version, never half of one.
  static func migrate(_ database: SQLiteDatabase) throws(MeetingStoreError) {
    let found = try version(of: database)
    guard found <= migrations.count else {
      throw .newerVersion(path: database.path, found: found, known: migrations.count)
    }
    guard found < migrations.count else { return }
    for index in found..<migrations.count {
      try database.transaction { () throws(MeetingStoreError) in
        // Another process may have done this step while we waited for the lock.
        guard try version(of: database) == index else { return }
        try database.execute(migrations[index])
        try database.execute("PRAGMA user_version = \(index + 1)")
      }
    }
  }

  /// Whether a database has the tables that every format has.
  static func isPresent(in database: SQLiteDatabase) throws(MeetingStoreError) -> Bool {
    var tables: Int64 = 0
    try database.query(
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('tenants', 'meetings')"
    ) { tables = $0.integer(0) }
    return try version(of: database) > 0 && tables == 2
  }

  private static func version(of database: SQLiteDatabase) throws(MeetingStoreError) -> Int {
    var version = 0
    try database.query("PRAGMA user_version") { version = Int($0.integer(0)) }
    return version
  }
}
