-- A file of format 3: the tables as the first version with that format made them, and a row in each. Never changed.
CREATE TABLE "tenants" (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, api_key TEXT NOT NULL UNIQUE, is_default INTEGER NOT NULL DEFAULT 0,
  sign_in TEXT NOT NULL, allowed_origins TEXT NOT NULL, access_level TEXT NOT NULL, capacity INTEGER,
  maximum_meetings INTEGER, maximum_participants INTEGER,
  signing_key TEXT NOT NULL, signing_key_id TEXT NOT NULL UNIQUE, created INTEGER NOT NULL
, waits_for_host INTEGER NOT NULL DEFAULT 0, announces INTEGER NOT NULL DEFAULT 1, lobby_seconds INTEGER) STRICT;
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES "tenants" (id), secret TEXT NOT NULL, created INTEGER NOT NULL,
  expires INTEGER, retired INTEGER
) STRICT;
CREATE INDEX api_keys_by_tenant ON api_keys (tenant);
CREATE TABLE "meetings" (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL REFERENCES "tenants" (id), room_key TEXT NOT NULL,
  room TEXT NOT NULL, kind TEXT NOT NULL,
  subject TEXT NOT NULL, summary TEXT NOT NULL, access_level TEXT NOT NULL, capacity INTEGER,
  created INTEGER NOT NULL, expires INTEGER, used INTEGER, passcode TEXT, waits_for_host INTEGER NOT NULL DEFAULT 0, announces INTEGER NOT NULL DEFAULT 1, lobby_seconds INTEGER, UNIQUE (tenant, room_key)
) STRICT;
CREATE TABLE "revoked_tokens" (
  tenant TEXT NOT NULL, id TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (tenant, id)
) STRICT;
CREATE UNIQUE INDEX one_default_tenant ON tenants (is_default) WHERE is_default = 1;
CREATE INDEX meetings_by_end ON meetings (expires) WHERE expires IS NOT NULL;
INSERT INTO tenants (id, name, api_key, is_default, sign_in, allowed_origins, access_level, capacity, maximum_meetings, maximum_participants, signing_key, signing_key_id, created, waits_for_host, announces, lobby_seconds)
  VALUES ('n_1', 'acme', 'key1', 1, 'oidc', 'https://a.example', 'Locked', 5, 2, 9, '{"kty":"RSA"}', 'kid1', 1795000000000, 1, 0, 600);
INSERT INTO api_keys (id, tenant, secret, created, expires)
  VALUES ('k_1', 'n_1', 'secret1', 1795000000000, 1795300000000);
INSERT INTO meetings (id, tenant, room_key, room, kind, subject, summary, access_level, capacity, created, expires, used, passcode, waits_for_host, announces, lobby_seconds)
  VALUES ('m_1', 'n_1', 'daily', 'Daily', 'named', 'Standup', 'about it', 'Invited', 7, 1795000000000, 1795300000000, 1795000000000, 'scrypt$10$8$1$AAECAwQFBgcICQoLDA0ODw==$EftIuBXfkH3o12YqBV3sXt6DhnoiH6Zqz+tnNs0dWm8=', 1, 0, 90);
INSERT INTO revoked_tokens (tenant, id, expires)
  VALUES ('n_1', 'ban m_1 user eve', 1795300000000);
PRAGMA user_version = 3;
