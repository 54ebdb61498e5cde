import CSQLite
import Glibc

/// One connection to a SQLite file. Not thread-safe: its owner keeps it on one thread.
final class SQLiteDatabase {
  let path: String
  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]
  private let busyMilliseconds: Int32

  /// Opens or creates the file at `path`, readable by this user only, in WAL mode.
  ///
  /// `busyMilliseconds` bounds how long a statement waits for another process.
  init(path: String, busyMilliseconds: Int32 = 5_000) throws(MeetingStoreError) {
    self.path = path
    self.busyMilliseconds = busyMilliseconds
    // SQLite would create the file with the umask's rights; it holds keys, so make it ours first. The -wal and -shm
    // files take over its rights.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == ENOSPC || errno == EDQUOT { throw .diskFull(path: path) }
      throw .notWritable(path: path, reason: String(cString: strerror(errno)))
    }
    Glibc.close(descriptor)
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let error = Self.error(code, handle, path)
      sqlite3_close_v2(handle)
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, busyMilliseconds)
    // FULL: an answered request survives a power cut too, not only the end of the process.
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    // Deleted data is overwritten: it includes chats of meetings that have ended.
    try execute("PRAGMA cache_size = -512; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON")
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs statements without parameters or results.
  func execute(_ sql: String) throws(MeetingStoreError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Runs one statement and calls `row` for each row of the result. The prepared statement is kept for the next time.
  func query(_ sql: String, _ values: [SQLiteValue] = [], row: (SQLiteRow) -> Void = { _ in }) throws(MeetingStoreError)
  {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      switch value {
      case .null: try check(sqlite3_bind_null(statement, position))
      case .integer(let number): try check(sqlite3_bind_int64(statement, position, number))
      case .text(let text):
        try check(
          sqlite3_bind_text(statement, position, text, Int32(clamping: text.utf8.count), parley_sqlite_transient()))
      }
    }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw Self.error(code, handle, path) }
      row(SQLiteRow(statement: statement))
    }
  }

  /// Runs `body` as one transaction: all of it is kept, or, when it throws, nothing. Within a transaction it is a part
  /// of that one.
  func transaction(_ body: () throws(MeetingStoreError) -> Void) throws(MeetingStoreError) {
    if isInTransaction { return try body() }
    try execute("BEGIN IMMEDIATE")
    do {
      try body()
      try execute("COMMIT")
    } catch {
      // After a full disk SQLite may have rolled back already; then this fails, which is as good.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// As ``transaction(_:)``, for what may throw something else too, and has an answer.
  func transaction<Answer>(answering body: () throws -> Answer) throws -> Answer {
    if isInTransaction { return try body() }
    try execute("BEGIN IMMEDIATE")
    do {
      let answer = try body()
      try execute("COMMIT")
      return answer
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Whether a transaction is open.
  private var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Begins to copy everything to another database; nil when that fails, and then `other` has the error.
  func begin(copyTo other: OpaquePointer?) -> OpaquePointer? { sqlite3_backup_init(other, "main", handle, "main") }

  /// Brings everything from the write-ahead log into the file, and empties the log; false when a reader uses it just
  /// now, since it doesn't wait for one.
  func emptyLog() throws(MeetingStoreError) -> Bool {
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, busyMilliseconds) }
    let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED { return false }
    try check(code)
    return true
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  private func prepare(_ sql: String) throws(MeetingStoreError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw .failed(path: path, reason: "an empty statement") }
    statements[sql] = statement
    return statement
  }

  private func check(_ code: Int32) throws(MeetingStoreError) {
    if code != SQLITE_OK { throw Self.error(code, handle, path) }
  }

  private static func error(_ code: Int32, _ handle: OpaquePointer?, _ path: String) -> MeetingStoreError {
    let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    switch code & 0xFF {
    case SQLITE_FULL: return .diskFull(path: path)
    case SQLITE_IOERR:
      let system = handle.map { sqlite3_system_errno($0) } ?? 0
      if system == ENOSPC || system == EDQUOT { return .diskFull(path: path) }
      return .failed(path: path, reason: reason)
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: return .notWritable(path: path, reason: reason)
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path: path, reason: reason)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path)
    default: return .failed(path: path, reason: reason)
    }
  }
}

/// A value bound to a parameter.
enum SQLiteValue {
  case null
  case integer(Int64)
  case text(String)
}

/// The current row of a result; valid only inside the closure it is given to.
struct SQLiteRow {
  fileprivate let statement: OpaquePointer

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}
