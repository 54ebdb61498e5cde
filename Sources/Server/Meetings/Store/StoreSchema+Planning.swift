extension StoreSchema {
  /// Meetings get a time and an owner, tenants further limits, and tokens that were made or seen are listed.
  static let planning = """
    ALTER TABLE meetings ADD COLUMN schedule TEXT;
    ALTER TABLE meetings ADD COLUMN owner TEXT;
    CREATE UNIQUE INDEX meetings_by_owner ON meetings (tenant, owner) WHERE owner IS NOT NULL;
    ALTER TABLE tenants ADD COLUMN stored_meetings INTEGER;
    ALTER TABLE tenants ADD COLUMN requests INTEGER;
    CREATE TABLE tokens (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, id TEXT NOT NULL, form TEXT NOT NULL,
      room TEXT NOT NULL, room_key TEXT NOT NULL, name TEXT, user TEXT, role TEXT NOT NULL, expires INTEGER NOT NULL,
      issued INTEGER, used INTEGER, uses INTEGER NOT NULL, UNIQUE (tenant, id)
    ) STRICT;
    CREATE INDEX tokens_by_room ON tokens (tenant, room_key, sequence);
    CREATE INDEX tokens_by_end ON tokens (expires);
    """
}
