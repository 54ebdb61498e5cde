extension StoreSchema {
  /// The first format. Times are milliseconds since 1970.
  static let first = """
    CREATE TABLE tenants (
      id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, api_key TEXT NOT NULL UNIQUE,
      is_default INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL,
      signing_key TEXT NOT NULL, signing_key_id TEXT NOT NULL UNIQUE,
      sign_in TEXT NOT NULL, identity_provider TEXT, allowed_origins TEXT NOT NULL, access_level TEXT NOT NULL,
      waits_for_host INTEGER NOT NULL DEFAULT 0, announces INTEGER NOT NULL DEFAULT 1, lobby_seconds INTEGER,
      chat TEXT NOT NULL DEFAULT '', maximum_chat_bytes INTEGER,
      capacity INTEGER, maximum_meetings INTEGER, maximum_participants INTEGER, stored_meetings INTEGER,
      requests INTEGER, token_expiry TEXT, encryption TEXT
    ) STRICT;
    CREATE UNIQUE INDEX one_default_tenant ON tenants (is_default) WHERE is_default = 1;
    CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenants (id), secret TEXT NOT NULL,
      created INTEGER NOT NULL, expires INTEGER, retired INTEGER
    ) STRICT;
    CREATE INDEX api_keys_by_tenant ON api_keys (tenant);

    CREATE TABLE meetings (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenants (id), room_key TEXT NOT NULL, room TEXT NOT NULL,
      kind TEXT NOT NULL, subject TEXT NOT NULL, summary TEXT NOT NULL,
      access_level TEXT NOT NULL, capacity INTEGER, passcode TEXT,
      waits_for_host INTEGER NOT NULL DEFAULT 0, announces INTEGER NOT NULL DEFAULT 1, lobby_seconds INTEGER,
      chat TEXT NOT NULL DEFAULT '', schedule TEXT, owner TEXT,
      created INTEGER NOT NULL, expires INTEGER, used INTEGER,
      revision INTEGER NOT NULL DEFAULT 0, anonymous INTEGER NOT NULL DEFAULT 0, encrypted INTEGER,
      UNIQUE (tenant, room_key)
    ) STRICT;
    CREATE INDEX meetings_by_end ON meetings (expires) WHERE expires IS NOT NULL;
    CREATE INDEX meetings_by_age ON meetings (created DESC, id);
    CREATE INDEX meetings_by_tenant_and_age ON meetings (tenant, created DESC, id);
    CREATE UNIQUE INDEX meetings_by_owner ON meetings (tenant, owner) WHERE owner IS NOT NULL;
    CREATE INDEX meetings_anonymous ON meetings (tenant) WHERE anonymous = 1;

    CREATE TABLE revoked_tokens (
      tenant TEXT NOT NULL, id TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT;
    CREATE TABLE tokens (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, id TEXT NOT NULL, form TEXT NOT NULL,
      room TEXT NOT NULL, room_key TEXT NOT NULL, name TEXT, user TEXT, role TEXT NOT NULL, expires INTEGER NOT NULL,
      issued INTEGER, used INTEGER, uses INTEGER NOT NULL, UNIQUE (tenant, id)
    ) STRICT;
    CREATE INDEX tokens_by_end ON tokens (expires);
    CREATE INDEX tokens_by_tenant ON tokens (tenant, sequence);
    CREATE INDEX tokens_by_place ON tokens (room_key, sequence);
    CREATE INDEX tokens_by_room ON tokens (tenant, room_key, sequence);

    CREATE TABLE webhooks (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES tenants (id), url TEXT NOT NULL, secret TEXT NOT NULL,
      events TEXT NOT NULL, enabled INTEGER NOT NULL, created INTEGER NOT NULL
    ) STRICT;
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
      action TEXT NOT NULL, target TEXT NOT NULL, detail TEXT NOT NULL, anonymous INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX audit_log_by_tenant ON audit_log (tenant, sequence);
    CREATE INDEX audit_log_anonymous ON audit_log (sequence) WHERE anonymous = 1 OR actor = 'anybody';
    CREATE TRIGGER audit_log_is_not_changed BEFORE UPDATE ON audit_log
      BEGIN SELECT raise(ABORT, 'the audit log is only added to'); END;
    CREATE TRIGGER audit_log_is_kept BEFORE DELETE ON audit_log
      WHEN old.anonymous = 0 AND old.actor <> 'anybody'
        AND old.time > (CAST(strftime('%s', 'now') AS INTEGER) - 399 * 24 * 3600) * 1000
      BEGIN SELECT raise(ABORT, 'the audit log is only added to'); END;
    """
    + running

  /// The state of running meetings, their chats, and the events whose end webhooks still have to hear (``OpenEvent``).
  /// `server` is the number of the ``LivenessLock`` of the server that runs the meeting or took it over; `ends` is set
  /// when it took it over. Nothing here refers to `meetings`, because a removed meeting goes on for its participants.
  private static let running = """

    CREATE TABLE running_meetings (
      meeting TEXT PRIMARY KEY, tenant TEXT NOT NULL, seen INTEGER NOT NULL, ends INTEGER, server INTEGER
    ) STRICT;
    CREATE TABLE running_values (
      meeting TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (meeting, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE chat_messages (
      meeting TEXT NOT NULL, id INTEGER NOT NULL, body TEXT NOT NULL, file TEXT, bytes INTEGER,
      PRIMARY KEY (meeting, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE open_events (
      sequence INTEGER PRIMARY KEY, meeting TEXT NOT NULL, tenant TEXT NOT NULL, room TEXT NOT NULL,
      subject TEXT NOT NULL, body TEXT NOT NULL, begun INTEGER NOT NULL, server INTEGER NOT NULL,
      UNIQUE (meeting, subject)
    ) STRICT;
    """
}
