-- A file of format 1: the tables as the first version with that format made them, and a row in each. Never changed.
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
INSERT INTO tenants VALUES ('n_1', 'parley', 'key1', 'secret1', '{"kty":"RSA"}', 'kid1', 1, 1795000000000);
INSERT INTO meetings VALUES
  ('m_1', 'n_1', 'daily', 'Daily', 'room', 'Daily', '', 'Everyone', NULL, 1795000000000, NULL, 1795000000000),
  ('m_2', 'n_1', 'abc', 'abc', 'adHoc', 's', 'd', 'Invited', 7, 1795000000000, 1795300000000, NULL);
INSERT INTO revoked_tokens VALUES ('t_1', 1795300000000);
PRAGMA user_version = 1;
