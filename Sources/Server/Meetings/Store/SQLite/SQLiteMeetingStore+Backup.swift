import CSQLite
import Glibc

/// Copies of the whole database.
extension SQLiteMeetingStore {
  /// Copies the database to the new file `target`, as it is at one moment, while it is written to. The file is readable
  /// for this user only: it holds the same keys. An existing file isn't overwritten. `files` go with it
  /// (``takeCopiedFiles()``).
  public func backUp(to target: String, with files: CopiedFiles = CopiedFiles()) async throws(MeetingStoreError) {
    let descriptor = Glibc.open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == ENOSPC || errno == EDQUOT { throw .diskFull(path: target) }
      throw .notWritable(path: target, reason: String(cString: strerror(errno)))
    }
    Glibc.close(descriptor)
    do {
      try copy(to: target, files)
    } catch {
      unlink(target)
      throw error
    }
  }

  private func copy(to target: String, _ files: CopiedFiles) throws(MeetingStoreError) {
    let copy = try DatabaseCopy(from: try open(), to: target)
    while try copy.step() {}
    try copy.finish(with: files)
    // The name has to be on the disk as well.
    guard DiskFolder.synchronise(DiskFolder.containing(target)) else {
      throw .notWritable(path: target, reason: String(cString: strerror(errno)))
    }
  }
}

/// A copy under way (the online backup of SQLite).
private final class DatabaseCopy {
  /// State of running meetings is in no copy: a chat ends with its meeting, and is in nobody's backup for longer; and a
  /// lock must not come back with a copy of last month. Overwritten, not only marked as free.
  private static let leavingOut =
    "PRAGMA secure_delete = ON; DELETE FROM chat_messages; DELETE FROM running_values; DELETE FROM running_meetings; "
    + "DELETE FROM open_events"

  private let source: SQLiteDatabase
  private let path: String
  private var handle: OpaquePointer?
  private var backup: OpaquePointer?

  init(from source: SQLiteDatabase, to path: String) throws(MeetingStoreError) {
    self.source = source
    self.path = path
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw failure() }
    backup = source.begin(copyTo: handle)
    if backup == nil { throw failure() }
  }

  deinit {
    if let backup { sqlite3_backup_finish(backup) }
    sqlite3_close_v2(handle)
  }

  /// Copies everything; false when that is done, true when it is to be tried again.
  ///
  /// All at once: SQLite starts over when somebody else has written between two steps, and on a busy server that would
  /// never end. In one step it reads one state of the file, and in WAL mode a reader holds up no writer.
  func step() throws(MeetingStoreError) -> Bool {
    switch sqlite3_backup_step(backup, -1) {
    case SQLITE_DONE: return false
    case SQLITE_OK: return true
    case SQLITE_BUSY, SQLITE_LOCKED:
      // Somebody writes; this is the store's own thread, where waiting holds up nobody else.
      usleep(10_000)
      return true
    default: throw failure()
    }
  }

  /// Makes the copy a file of its own, on disk.
  func finish(with files: CopiedFiles) throws(MeetingStoreError) {
    let code = sqlite3_backup_finish(backup)
    backup = nil
    guard code == SQLITE_OK, sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", nil, nil, nil) == SQLITE_OK,
      sqlite3_exec(handle, Self.leavingOut, nil, nil, nil) == SQLITE_OK
    else { throw failure() }
    try add(files)
    let closed = sqlite3_close_v2(handle)
    handle = nil
    let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
    defer { if descriptor >= 0 { Glibc.close(descriptor) } }
    guard closed == SQLITE_OK, descriptor >= 0, fsync(descriptor) == 0 else { throw failure() }
  }

  /// A table of the copy alone: a server's database has its files next to it.
  private func add(_ files: CopiedFiles) throws(MeetingStoreError) {
    if files.isEmpty { return }
    let table = "CREATE TABLE copied_files (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT"
    guard sqlite3_exec(handle, table, nil, nil, nil) == SQLITE_OK else { throw failure() }
    for (name, text) in zip(CopiedFiles.names, files.texts) {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, "INSERT INTO copied_files VALUES (?, ?)", -1, &statement, nil) == SQLITE_OK,
        sqlite3_bind_text(statement, 1, name, -1, parley_sqlite_transient()) == SQLITE_OK,
        sqlite3_bind_text(statement, 2, text, Int32(clamping: text.utf8.count), parley_sqlite_transient()) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_DONE
      else { throw failure() }
    }
  }

  private func failure() -> MeetingStoreError {
    let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "it could not be closed"
    if let handle, sqlite3_errcode(handle) & 0xFF == SQLITE_FULL { return .diskFull(path: path) }
    return .failed(path: path, reason: reason)
  }
}
