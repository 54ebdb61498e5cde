public import FoundationEssentials
public import Basics
import Glibc

/// The embedded store: one SQLite file in the data folder, in WAL mode, on a thread of its own.
///
/// Survives the sudden end of the process at any moment: a request is answered only after its transaction is on disk.
/// The folder and the file are made for this user only, because the file holds the signing keys.
public actor SQLiteMeetingStore: MeetingStore {
  private let thread: SerialThread
  let path: String
  private var database: SQLiteDatabase?
  private var livenessLock: LivenessLock?
  /// How many meetings are kept for a tenant that has no limit of its own; nil for any number.
  var defaultStoredMeetings: Int?
  /// The default tenant while its key pair is being made.
  var newDefaultTenant: Task<Tenant, any Error>?

  /// The name of the database file in the data folder.
  public static let fileName = "parley.sqlite"

  /// The store's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private init(path: String) {
    self.path = path
    thread = SerialThread()
  }

  deinit { thread.stop() }

  /// Whether there is a store in `folder`.
  public static func exists(folder: String) -> Bool { access(folder + "/" + fileName, F_OK) == 0 }

  /// Opens the store in `folder`, which is created when it is missing, and brings its format up to date. With
  /// `mustExist` a file without a store's tables is ``MeetingStoreError/damaged(path:reason:)``: another program's
  /// database, or an empty file.
  public static func open(
    folder: String, mustExist: Bool = false
  ) async throws(MeetingStoreError) -> SQLiteMeetingStore {
    let store = SQLiteMeetingStore(path: folder + "/" + fileName)
    try await store.start(folder: folder, mustExist: mustExist)
    return store
  }

  private func start(folder: String, mustExist: Bool) throws(MeetingStoreError) {
    try Self.makeFolder(folder)
    let database = try SQLiteDatabase(path: path)
    if mustExist, !(try StoreSchema.isPresent(in: database)) {
      throw .damaged(path: path, reason: "it has no tables of a server")
    }
    try StoreSchema.current.migrate(database)
    self.database = database
  }

  private static func makeFolder(_ folder: String) throws(MeetingStoreError) {
    var partial = ""
    for part in folder.split(separator: "/", omittingEmptySubsequences: false) {
      let parent = partial.isEmpty ? "." : partial
      partial += partial.isEmpty && !folder.hasPrefix("/") ? part : "/" + part
      if partial.isEmpty || partial == "/" { continue }
      if mkdir(partial, 0o700) == 0 {
        // Data in the folder is lost with its name.
        _ = DiskFolder.synchronise(parent)
      } else if errno != EEXIST && errno != EISDIR {
        let reason = errno
        var info = stat()
        if stat(partial, &info) == 0 { continue }
        if reason == ENOSPC || reason == EDQUOT { throw .diskFull(path: folder) }
        throw .notWritable(path: folder, reason: String(cString: strerror(reason)))
      }
    }
    var info = stat()
    guard stat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
      throw .notWritable(path: folder, reason: "it is not a folder")
    }
  }

  func open() throws(MeetingStoreError) -> SQLiteDatabase {
    guard let database else { throw .closed }
    return database
  }

  /// The lock by which other servers on the folder see that this one lives, from the first use on.
  func liveness() throws(MeetingStoreError) -> LivenessLock {
    if let livenessLock { return livenessLock }
    let taken = try LivenessLock(path: String(path.dropLast(Self.fileName.count)) + LivenessLock.fileName)
    livenessLock = taken
    return taken
  }

  /// Runs `body` as one transaction, for which the disk is awaited once.
  public func transaction<Answer: Sendable>(
    _ body: @Sendable (any StoreTransaction) throws -> Answer
  ) throws -> Answer {
    let transaction = SQLiteTransaction(store: self)
    return try open().transaction(answering: { try body(transaction) })
  }

  // MARK: Upkeep

  /// Forgets what nobody needs any more.
  public func purge(now: Date, running: [MeetingID] = []) throws(MeetingStoreError) -> Int {
    let database = try open()
    var rows = 0
    try database.transaction { () throws(MeetingStoreError) in
      let week: TimeInterval = 7 * 24 * 3_600
      let day: TimeInterval = 24 * 3_600
      try database.query("DELETE FROM meetings WHERE expires < ?", [.time(now - week)])
      rows += database.changes
      try database.query(
        "DELETE FROM meetings WHERE kind = 'room' AND used IS NULL AND created < ?", [.time(now - day)])
      rows += database.changes
      for id in running { try markUsed(id, now: now) }
      // The next join makes such a room again, except for the bans from it, which name its id.
      try database.query(
        """
        DELETE FROM meetings WHERE kind = 'room' AND used < ?1 AND revision = 0 AND passcode IS NULL
          AND schedule IS NULL AND owner IS NULL AND NOT EXISTS (
            SELECT 1 FROM revoked_tokens AS note WHERE note.tenant = meetings.tenant AND note.expires >= ?2
              AND note.id > 'ban ' || meetings.id || ' ' AND note.id < 'ban ' || meetings.id || '!')
        """, [.time(now - MeetingRecord.roomKept), .time(now)])
      rows += database.changes
      // Rooms that people without a credential have made, whatever their settings.
      try database.query(
        "DELETE FROM meetings WHERE anonymous = 1 AND coalesce(used, created) < ?",
        [.time(now - MeetingRecord.roomKept)])
      rows += database.changes
      try database.query("DELETE FROM revoked_tokens WHERE expires < ?", [.time(now)])
      rows += database.changes
      rows += try forgetBans(running: running)
      rows += try trimGuestTokens()
      // Those that ended lately can still be looked up.
      try database.query("DELETE FROM tokens WHERE expires < ?", [.time(now - week)])
      rows += database.changes
    }
    return rows
  }

  /// Bans from meetings that are kept no more are about nothing: another meeting of the same room has another id. One
  /// that runs goes on without its record.
  private func forgetBans(running: [MeetingID]) throws(MeetingStoreError) -> Int {
    let database = try open()
    var gone: Set<String> = []
    try database.query(
      """
      SELECT DISTINCT substr(id, 5, instr(substr(id, 5), ' ') - 1) AS meeting FROM revoked_tokens
      WHERE id > 'ban ' AND id < 'ban!' AND meeting NOT IN (SELECT id FROM meetings)
      """
    ) { gone.insert($0.text(0)) }
    var rows = 0
    for meeting in gone.subtracting(running.map(\.rawValue)) where !meeting.isEmpty {
      try database.query(
        "DELETE FROM revoked_tokens WHERE id > 'ban ' || ?1 || ' ' AND id < 'ban ' || ?1 || '!'", [.text(meeting)])
      rows += database.changes
    }
    return rows
  }

  /// How many tokens are listed that guests came with who had asked for them: anybody gets any number of those.
  static let maximumGuestTokens = 100_000

  /// Of tokens that guests came with the newest stay listed. Whether one is revoked does not depend on that.
  func trimGuestTokens(most: Int = maximumGuestTokens) throws(MeetingStoreError) -> Int {
    let database = try open()
    try database.query(
      """
      DELETE FROM tokens WHERE issued IS NULL AND user IS NULL AND form = 'signed' AND sequence <= (
        SELECT sequence FROM tokens WHERE issued IS NULL AND user IS NULL AND form = 'signed'
        ORDER BY sequence DESC LIMIT 1 OFFSET ?)
      """, [.number(most)])
    return database.changes
  }

  /// Whether the file can be written: takes its write lock, and writes nothing.
  public func check() throws(MeetingStoreError) {
    // Taking the write lock shows that the file can be written, without writing anything.
    let database = try open()
    try database.execute("BEGIN IMMEDIATE")
    try database.execute("ROLLBACK")
  }

  public func close() { (database, livenessLock) = (nil, nil) }

  /// Whether the whole file is in order, by the database's own check. Reads everything: for repair, not for requests.
  public func isIntact() throws(MeetingStoreError) -> Bool { try integrityCheck() == ["ok"] }

  /// The answer of the database's own check of the whole file: `["ok"]`, or the faults.
  func integrityCheck() throws(MeetingStoreError) -> [String] {
    var lines: [String] = []
    try open().query("PRAGMA integrity_check") { lines.append($0.text(0)) }
    return lines
  }

  /// Bounds the file to `pages` more pages than it has, so that tests can fill the disk.
  func limitGrowth(pages: Int) throws(MeetingStoreError) {
    var count = 0
    try open().query("PRAGMA page_count") { count = Int($0.integer(0)) }
    try open().execute("PRAGMA max_page_count = \(count + pages)")
  }
}
