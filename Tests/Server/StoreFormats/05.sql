-- A file of format 5: the tables as the first version with that format made them, and a row in each. Never changed.
CREATE TABLE tenants (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, api_key TEXT NOT NULL UNIQUE,
  is_default INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL,
  signing_key TEXT NOT NULL, signing_key_id TEXT NOT NULL UNIQUE,
  sign_in TEXT NOT NULL, identity_provider TEXT, allowed_origins TEXT NOT NULL, access_level TEXT NOT NULL,
  waits_for_host INTEGER NOT NULL DEFAULT 0, announces INTEGER NOT NULL DEFAULT 1, lobby_seconds INTEGER,
  chat TEXT NOT NULL DEFAULT '', maximum_chat_bytes INTEGER,
  capacity INTEGER, maximum_meetings INTEGER, maximum_participants INTEGER, stored_meetings INTEGER,
  requests INTEGER, token_expiry TEXT, encryption TEXT, removed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX one_default_tenant ON tenants (is_default) WHERE is_default = 1;
CREATE INDEX tenants_being_removed ON tenants (id) WHERE removed = 1;
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
INSERT INTO tenants (id, name, api_key, is_default, sign_in, allowed_origins, access_level, capacity, maximum_meetings, maximum_participants, signing_key, signing_key_id, created, waits_for_host, announces, lobby_seconds, identity_provider, chat, maximum_chat_bytes, stored_meetings, requests, token_expiry, encryption)
  VALUES ('n_1', 'acme', 'key1', 1, 'oidc', 'https://a.example', 'Locked', 5, 2, 9, '{"kty":"RSA"}', 'kid1', 1795000000000, 1, 0, 600, '{"issuer":"https://id.example","clientID":"parley","scopes":["openid"],"organizers":["boss"],"moderators":[],"roleClaim":"groups","emailDomains":[]}', 'writers=hosts', 77, 90, 20, 'leave', 'required');
INSERT INTO api_keys (id, tenant, secret, created, expires)
  VALUES ('k_1', 'n_1', 'secret1', 1795000000000, 1795300000000);
INSERT INTO meetings (id, tenant, room_key, room, kind, subject, summary, access_level, capacity, created, expires, used, passcode, waits_for_host, announces, lobby_seconds, chat, schedule, owner, revision, encrypted)
  VALUES ('m_1', 'n_1', 'daily', 'Daily', 'named', 'Standup', 'about it', 'Invited', 7, 1795000000000, 1795300000000, 1795000000000, 'scrypt$10$8$1$AAECAwQFBgcICQoLDA0ODw==$EftIuBXfkH3o12YqBV3sXt6DhnoiH6Zqz+tnNs0dWm8=', 1, 0, 90, 'history=0 messages=5', '{"attendees":[{"address":"bob@example.com"}],"changed":817000000,"doors":{"closesAfter":60,"early":"refuse","opensBefore":300},"duration":3600,"excluded":["2026-11-30T10:00:00"],"isCancelled":false,"rule":"FREQ=WEEKLY;COUNT=3","sequence":4,"start":"2026-11-23T10:00:00","uid":"u@parley","zone":"Europe/Berlin"}', 'ann', 6, 1);
INSERT INTO revoked_tokens (tenant, id, expires)
  VALUES ('n_1', 'ban m_1 user eve', 1795300000000);
INSERT INTO webhooks (id, tenant, url, secret, events, enabled, created)
  VALUES ('w_1', 'n_1', 'https://hook.example/', 'whsec_1', 'meeting.started,lobby.left', 1, 1795000000000);
INSERT INTO webhook_deliveries (id, webhook, meeting, event, type, body, created, state, attempts, next, status)
  VALUES ('d_1', 'w_1', 'm_1', 'e_1', 'meeting.started', '{}', 1795000000000, 'pending', 3, 1795000000000, 500);
INSERT INTO audit_log (time, actor, tenant, action, target, detail)
  VALUES (1795000000000, 'cli root', 'acme', 'tenant.create', 'acme', '');
INSERT INTO tokens (tenant, id, form, room, room_key, name, user, role, expires, issued, uses)
  VALUES ('n_1', 't_9', 'signed', 'Daily', 'daily', 'Ann', 'ann', 'moderator', 1795300000000, 1795000000000, 2);
INSERT INTO running_meetings (meeting, tenant, seen, server)
  VALUES ('m_1', 'n_1', 1795251500000, 7);
INSERT INTO running_values (meeting, name, value)
  VALUES ('m_1', 'room', 'Daily');
INSERT INTO chat_messages (meeting, id, body, file, bytes)
  VALUES ('m_1', 3, 'hello', 'f_1', 9);
INSERT INTO open_events (meeting, tenant, room, subject, body, begun, server)
  VALUES ('m_1', 'n_1', 'Daily', 'participant p_1', '{"type":"participant.left"}', 1795251400000, 7);
CREATE TABLE vaults (
  tenant TEXT NOT NULL, identity TEXT NOT NULL, version INTEGER NOT NULL,
  salt TEXT, memory INTEGER, passes INTEGER, sealed TEXT, seed TEXT, verifier TEXT, pepper TEXT, recovery TEXT,
  next_seed TEXT, next_verifier TEXT, next_pepper TEXT,
  tries INTEGER NOT NULL, locked INTEGER, changed INTEGER NOT NULL,
  PRIMARY KEY (tenant, identity)
) STRICT;
INSERT INTO vaults (tenant, identity, version, salt, memory, passes, sealed, seed, verifier, pepper, recovery, tries,
    changed)
  VALUES ('n_1', 'ann', 4, 'AAAAAAAAAAAAAAAAAAAAAA', 65536, 3, 'AAAA', 'AAAAAAAAAAAAAAAAAAAAAA', 'AAAA', 'pepper1',
    'AAAA', 2, 1795000000000);
CREATE TABLE messaging_usage (domain TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE messaging_identity_usage (identity INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
CREATE TABLE mailbox_removed_chats (chat TEXT PRIMARY KEY, domain TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE messaging_key_notices (identity INTEGER PRIMARY KEY, after_chat TEXT NOT NULL) STRICT;
CREATE TRIGGER domain_made AFTER INSERT ON messaging_domains BEGIN
  INSERT INTO messaging_usage VALUES (new.id, 0);
END;
CREATE TRIGGER domain_removed AFTER DELETE ON messaging_domains BEGIN
  DELETE FROM messaging_usage WHERE domain = old.id;
END;
CREATE TRIGGER identity_made AFTER INSERT ON messaging_identities BEGIN
  INSERT INTO messaging_identity_usage VALUES (new.id, 0);
END;
CREATE TRIGGER identity_removed AFTER DELETE ON messaging_identities BEGIN
  DELETE FROM messaging_identity_usage WHERE identity = old.id;
  DELETE FROM messaging_key_notices WHERE identity = old.id;
END;
CREATE TRIGGER message_stored AFTER INSERT ON mailbox_messages BEGIN
  UPDATE messaging_identity_usage SET bytes = bytes + coalesce(length(new.body), 0) + 300
    WHERE identity = new.sender;
  UPDATE messaging_usage SET bytes = bytes + coalesce(length(new.body), 0) + 300
    WHERE domain = (SELECT domain FROM messaging_identities WHERE id = new.sender);
END;
CREATE TRIGGER message_recalled AFTER UPDATE OF body ON mailbox_messages BEGIN
  UPDATE messaging_identity_usage
    SET bytes = bytes + coalesce(length(new.body), 0) - coalesce(length(old.body), 0) WHERE identity = new.sender;
  UPDATE messaging_usage SET bytes = bytes + coalesce(length(new.body), 0) - coalesce(length(old.body), 0)
    WHERE domain = (SELECT domain FROM messaging_identities WHERE id = new.sender);
END;
CREATE TRIGGER message_removed AFTER DELETE ON mailbox_messages BEGIN
  UPDATE messaging_identity_usage SET bytes = bytes - coalesce(length(old.body), 0) - 300
    WHERE identity = old.sender;
  UPDATE messaging_usage SET bytes = bytes - coalesce(length(old.body), 0) - 300
    WHERE domain = (SELECT domain FROM messaging_identities WHERE id = old.sender);
END;
CREATE TRIGGER attachment_stored AFTER INSERT ON mailbox_attachments BEGIN
  UPDATE messaging_usage SET bytes = bytes + new.bytes
    WHERE domain = (SELECT domain FROM messaging_identities WHERE id = new.owner);
END;
CREATE TRIGGER attachment_removed AFTER DELETE ON mailbox_attachments BEGIN
  UPDATE messaging_usage SET bytes = bytes - old.bytes
    WHERE domain = (SELECT domain FROM messaging_identities WHERE id = old.owner);
END;
CREATE TRIGGER chat_texts_stored AFTER INSERT ON mailbox_chat_texts BEGIN
  UPDATE messaging_usage SET bytes = bytes + coalesce(length(new.subject), 0) + coalesce(length(new.data), 0)
    WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = new.chat);
END;
CREATE TRIGGER chat_texts_changed AFTER UPDATE ON mailbox_chat_texts BEGIN
  UPDATE messaging_usage
    SET bytes = bytes + coalesce(length(new.subject), 0) + coalesce(length(new.data), 0)
      - coalesce(length(old.subject), 0) - coalesce(length(old.data), 0)
    WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = new.chat);
END;
CREATE TRIGGER chat_texts_removed AFTER DELETE ON mailbox_chat_texts BEGIN
  UPDATE messaging_usage SET bytes = bytes - coalesce(length(old.subject), 0) - coalesce(length(old.data), 0)
    WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = old.chat);
END;
CREATE TRIGGER envelope_stored AFTER INSERT ON mailbox_envelopes BEGIN
  UPDATE messaging_usage SET bytes = bytes + coalesce(length(new.key), 0) + coalesce(length(new.own_key), 0)
    WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = new.chat);
END;
CREATE TRIGGER envelope_changed AFTER UPDATE ON mailbox_envelopes BEGIN
  UPDATE messaging_usage
    SET bytes = bytes + coalesce(length(new.key), 0) + coalesce(length(new.own_key), 0)
      - coalesce(length(old.key), 0) - coalesce(length(old.own_key), 0)
    WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = new.chat);
END;
CREATE TRIGGER envelope_removed AFTER DELETE ON mailbox_envelopes BEGIN
  UPDATE messaging_usage SET bytes = bytes - coalesce(length(old.key), 0) - coalesce(length(old.own_key), 0)
    WHERE domain = (SELECT domain FROM mailbox_chats WHERE id = old.chat);
END;
CREATE TRIGGER key_record_stored AFTER INSERT ON messaging_key_records BEGIN
  UPDATE messaging_usage SET bytes = bytes + length(CAST(new.record AS BLOB)) WHERE domain = new.domain;
END;
CREATE TRIGGER key_record_changed AFTER UPDATE ON messaging_key_records BEGIN
  UPDATE messaging_usage
    SET bytes = bytes + length(CAST(new.record AS BLOB)) - length(CAST(old.record AS BLOB))
    WHERE domain = new.domain;
END;
CREATE TRIGGER key_record_removed AFTER DELETE ON messaging_key_records BEGIN
  UPDATE messaging_usage SET bytes = bytes - length(CAST(old.record AS BLOB)) WHERE domain = old.domain;
END;
INSERT INTO messaging_domains (id, tenant, settings, created)
  VALUES ('5e5ba4d0-0000-4000-8000-000000000001', 'n_1', '{"environment":"sandbox","authentication":{"disabled":{}},"hasKeyManagement":true}', 1795000000000);
INSERT INTO messaging_identities (id, domain, user, pin, keys, last_event, purged, created)
  VALUES (4611686018427387905, '5e5ba4d0-0000-4000-8000-000000000001', 'ann', '0a1b2c3d', '{"signing":"AAAA","encryption":"AAAA","generation":1}', 2, 1, 1795000000000);
INSERT INTO messaging_endpoints (id, identity, secret, description, nickname, persistent, acknowledged, token_expires, created, seen)
  VALUES ('e_1', 4611686018427387905, 'hash', 'phone', 'mine', 1, 1, 1795300000000, 1795000000000, 1795000000000);
INSERT INTO messaging_key_records (domain, user, record)
  VALUES ('5e5ba4d0-0000-4000-8000-000000000001', 'ann', '{"public":{}}');
INSERT INTO mailbox_chats (id, domain, pair, creator, cookie, policy, last_message)
  VALUES ('c_1', '5e5ba4d0-0000-4000-8000-000000000001', '1 4611686018427387905', 4611686018427387905, 'k', 'adminsOnly', 1);
INSERT INTO mailbox_chat_texts (chat, subject, data)
  VALUES ('c_1', 'AAAA', NULL);
INSERT INTO mailbox_participants (chat, identity, state, admin, delivered, read, first_message)
  VALUES ('c_1', 4611686018427387905, 'active', 1, 1, 0, 1);
INSERT INTO mailbox_envelopes (chat, identity, key, own_key)
  VALUES ('c_1', 4611686018427387905, 'AAAA', 'BBBB');
INSERT INTO mailbox_messages (chat, number, sender, endpoint, cookie, time, recalled, body, attachments)
  VALUES ('c_1', 1, 4611686018427387905, 'e_1', 'k', 1795000000000, 0, 'AAAA', 'a_1');
INSERT INTO mailbox_deleted (identity, chat, number)
  VALUES (4611686018427387905, 'c_1', 1);
INSERT INTO mailbox_attachments (id, chat, owner, bytes, complete, uses, created)
  VALUES ('a_1', 'c_1', 4611686018427387905, 9, 1, 1, 1795000000000);
INSERT INTO mailbox_events (identity, number, time, chat, message)
  VALUES (4611686018427387905, 2, 1795000000000, 'c_1', 1);
INSERT INTO mailbox_removed_chats (chat, domain)
  VALUES ('c_0', '5e5ba4d0-0000-4000-8000-000000000001');
INSERT INTO messaging_key_notices (identity, after_chat)
  VALUES (4611686018427387905, 'c_1');
PRAGMA application_id = 1347570777;
PRAGMA user_version = 5;
