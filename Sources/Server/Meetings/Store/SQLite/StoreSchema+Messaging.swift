extension StoreSchema {
  /// Domains, identities, chats and mailboxes of the messaging service. Numbers of identities are below 2⁶³. An event
  /// without a body is the message that it names, so that a message of many recipients is stored once. The long texts
  /// of chats and participants have tables of their own: a message changes or reads their short rows alone.
  static let messaging = """
    CREATE TABLE messaging_domains (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL UNIQUE REFERENCES tenants (id), settings TEXT NOT NULL,
      created INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE messaging_identities (
      id INTEGER PRIMARY KEY, domain TEXT NOT NULL REFERENCES messaging_domains (id), user TEXT NOT NULL,
      pin TEXT NOT NULL, keys TEXT, last_event INTEGER NOT NULL DEFAULT 0, purged INTEGER NOT NULL DEFAULT 0,
      mailbox_characters INTEGER NOT NULL DEFAULT 0, key_changes INTEGER NOT NULL DEFAULT 0,
      key_hour INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, UNIQUE (domain, user), UNIQUE (domain, pin)
    ) STRICT;
    CREATE TABLE messaging_key_records (
      domain TEXT NOT NULL, user TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (domain, user)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE messaging_endpoints (
      id TEXT PRIMARY KEY, identity INTEGER NOT NULL, secret TEXT NOT NULL, description TEXT NOT NULL,
      nickname TEXT NOT NULL, persistent INTEGER NOT NULL, acknowledged INTEGER NOT NULL,
      token_expires INTEGER NOT NULL, created INTEGER NOT NULL, seen INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX messaging_endpoints_by_identity ON messaging_endpoints (identity, created);
    CREATE INDEX messaging_endpoints_ephemeral ON messaging_endpoints (token_expires) WHERE persistent = 0;

    CREATE TABLE mailbox_chats (
      id TEXT PRIMARY KEY, domain TEXT NOT NULL, pair TEXT, creator INTEGER NOT NULL, cookie TEXT NOT NULL,
      policy TEXT NOT NULL, last_message INTEGER NOT NULL, UNIQUE (creator, cookie)
    ) STRICT;
    CREATE TABLE mailbox_chat_texts (
      chat TEXT PRIMARY KEY, subject TEXT, data TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mailbox_chats_by_domain ON mailbox_chats (domain);
    CREATE UNIQUE INDEX mailbox_chats_by_pair ON mailbox_chats (domain, pair) WHERE pair IS NOT NULL;
    CREATE TABLE mailbox_participants (
      chat TEXT NOT NULL, identity INTEGER NOT NULL, state TEXT NOT NULL, admin INTEGER NOT NULL,
      delivered INTEGER NOT NULL, read INTEGER NOT NULL, first_message INTEGER NOT NULL, PRIMARY KEY (chat, identity)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE mailbox_envelopes (
      chat TEXT NOT NULL, identity INTEGER NOT NULL, key TEXT, own_key TEXT, PRIMARY KEY (chat, identity)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mailbox_participants_by_identity ON mailbox_participants (identity, chat);
    CREATE TABLE mailbox_messages (
      chat TEXT NOT NULL, number INTEGER NOT NULL, sender INTEGER NOT NULL, endpoint TEXT NOT NULL,
      cookie TEXT NOT NULL, time INTEGER NOT NULL, recalled INTEGER NOT NULL DEFAULT 0, body TEXT,
      attachments TEXT NOT NULL, PRIMARY KEY (chat, number), UNIQUE (chat, sender, cookie)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE mailbox_deleted (
      identity INTEGER NOT NULL, chat TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (chat, number, identity)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE mailbox_attachments (
      id TEXT PRIMARY KEY, chat TEXT NOT NULL, owner INTEGER NOT NULL, bytes INTEGER NOT NULL,
      complete INTEGER NOT NULL, uses INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX mailbox_attachments_by_chat ON mailbox_attachments (chat);
    CREATE INDEX mailbox_attachments_by_owner ON mailbox_attachments (owner, bytes);
    CREATE INDEX mailbox_attachments_waiting ON mailbox_attachments (created) WHERE uses = 0;
    CREATE TABLE mailbox_events (
      identity INTEGER NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL, subject TEXT, body TEXT, chat TEXT,
      message INTEGER, PRIMARY KEY (identity, number)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX mailbox_events_by_subject ON mailbox_events (identity, subject) WHERE subject IS NOT NULL;
    CREATE INDEX mailbox_events_by_time ON mailbox_events (time);
    """
}
