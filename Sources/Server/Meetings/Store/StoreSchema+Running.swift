extension StoreSchema {
  /// What holds in meetings that run, and their chats. `ends` is set at the start after the server was killed, and null while the meeting runs. Nothing
  /// here refers to `meetings`: a meeting that is removed goes on for those who are in it.
  static let running = """
    CREATE TABLE running_meetings (
      meeting TEXT PRIMARY KEY, tenant TEXT NOT NULL, seen INTEGER NOT NULL, ends INTEGER
    ) STRICT;
    CREATE TABLE running_values (
      meeting TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (meeting, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE chat_messages (
      meeting TEXT NOT NULL, id INTEGER NOT NULL, body TEXT NOT NULL, file TEXT, bytes INTEGER,
      PRIMARY KEY (meeting, id)
    ) STRICT, WITHOUT ROWID;
    """

  /// The ids of OpenTok sessions are kept as they are, where they were kept in lower case.
  static let sessionNames = """
    UPDATE OR IGNORE meetings SET room_key = room WHERE room GLOB '[12]_MX4*';
    UPDATE tokens SET room_key = room WHERE room GLOB '[12]_MX4*';
    """

  /// Which server a meeting runs on, or has taken it over, by the number of its ``LifeLock``.
  static let runningServers = "ALTER TABLE running_meetings ADD COLUMN server INTEGER"

  /// What webhooks were told has begun and has not ended yet (``Beginning``), and on which server.
  static let openEvents = """
    CREATE TABLE open_events (
      sequence INTEGER PRIMARY KEY, meeting TEXT NOT NULL, tenant TEXT NOT NULL, room TEXT NOT NULL, subject TEXT NOT NULL,
      body TEXT NOT NULL, begun INTEGER NOT NULL, server INTEGER NOT NULL, UNIQUE (meeting, subject)
    ) STRICT;
    """
}
