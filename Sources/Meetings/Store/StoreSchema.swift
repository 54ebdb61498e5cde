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
    """
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

  private static func version(of database: SQLiteDatabase) throws(MeetingStoreError) -> Int {
    var version = 0
    try database.query("PRAGMA user_version") { version = Int($0.integer(0)) }
    return version
  }
}
