/// The store's tables, as steps from each version of the format to the next.
///
/// A file has its version in `user_version`, and ``mark`` in `application_id`. A step, once released, is never changed.
struct StoreSchema {
  /// Step n makes version n + 1 of version n.
  let steps: [String]

  static let current = StoreSchema(steps: [first, vaults, messaging, usage, removal])

  /// "PRLY" in ASCII. Development formats had versions 1 to 15 and no mark, so a file without it isn't read.
  static let mark: Int64 = 0x5052_4C59

  /// Brings a file up to date. Each step is one transaction, so a crash leaves a version, never half of one.
  func migrate(_ database: SQLiteDatabase) throws(MeetingStoreError) {
    let found = try Self.version(of: database)
    if found > 0, try Self.number("PRAGMA application_id", database) != Self.mark {
      throw .developmentFormat(path: database.path, found: found)
    }
    guard found <= steps.count else {
      throw .newerVersion(path: database.path, found: found, known: steps.count)
    }
    for index in found..<steps.count {
      try database.transaction { () throws(MeetingStoreError) in
        // Another process may have done this step while we waited for the lock.
        guard try Self.version(of: database) == index else { return }
        try database.execute(steps[index])
        try database.execute("PRAGMA application_id = \(Self.mark); PRAGMA user_version = \(index + 1)")
      }
    }
  }

  /// Whether a database has the tables that every format has.
  static func isPresent(in database: SQLiteDatabase) throws(MeetingStoreError) -> Bool {
    let tables = try number(
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('tenants', 'meetings')", database)
    return try version(of: database) > 0 && tables == 2
  }

  private static func version(of database: SQLiteDatabase) throws(MeetingStoreError) -> Int {
    Int(try number("PRAGMA user_version", database))
  }

  private static func number(_ query: String, _ database: SQLiteDatabase) throws(MeetingStoreError) -> Int64 {
    var number: Int64 = 0
    try database.query(query) { number = $0.integer(0) }
    return number
  }
}
