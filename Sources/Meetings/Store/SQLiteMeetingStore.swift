public import FoundationEssentials
import Basics
import Glibc

/// The embedded store: one SQLite file in the data folder, in WAL mode, on a thread of its own.
///
/// Survives the sudden end of the process at any moment: a request is answered only after its transaction is on disk.
/// The folder and the file are made for this user only, because the file holds the signing keys.
public actor SQLiteMeetingStore: MeetingStore {
  private let thread: SerialThread
  private let path: String
  private var database: SQLiteDatabase?

  /// The name of the database file in the data folder.
  public static let fileName = "parley.sqlite"

  /// The store's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private init(path: String) {
    self.path = path
    thread = SerialThread()
  }

  deinit { thread.stop() }

  /// Opens the store in `folder`, which is created when it is missing, and brings its format up to date.
  public static func open(folder: String) async throws(MeetingStoreError) -> SQLiteMeetingStore {
    let store = SQLiteMeetingStore(path: folder + "/" + fileName)
    try await store.start(folder: folder)
    return store
  }

  private func start(folder: String) throws(MeetingStoreError) {
    try Self.makeFolder(folder)
    let database = try SQLiteDatabase(path: path)
    try StoreSchema.migrate(database)
    self.database = database
  }

  private static func makeFolder(_ folder: String) throws(MeetingStoreError) {
    var partial = ""
    for part in folder.split(separator: "/", omittingEmptySubsequences: false) {
      partial += partial.isEmpty && !folder.hasPrefix("/") ? part : "/" + part
      if partial.isEmpty || partial == "/" { continue }
      if mkdir(partial, 0o700) != 0 && errno != EEXIST && errno != EISDIR {
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

  private func open() throws(MeetingStoreError) -> SQLiteDatabase {
    guard let database else { throw .closed }
    return database
  }

  // MARK: Tenants

  private static let tenantColumns = "id, name, api_key, api_secret, signing_key, signing_key_id, created"

  /// The tenant of requests without credentials; made on first use.
  public func defaultTenant(now: Date) throws(MeetingStoreError) -> Tenant {
    let database = try open()
    let select = "SELECT \(Self.tenantColumns) FROM tenants WHERE is_default = 1"
    if let tenant = try tenant(select, []) { return tenant }
    let fresh: Tenant
    do {
      fresh = try Tenant.make(name: "parley", now: now)
    } catch {
      throw .failed(path: path, reason: "no signing key could be made: \(error)")
    }
    // Another process on the same folder may have been quicker; its tenant then counts.
    try database.query(
      "INSERT INTO tenants (\(Self.tenantColumns), is_default) VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING",
      [
        .text(fresh.id.rawValue), .text(fresh.name), .text(fresh.apiKey), .text(fresh.apiSecret.value),
        .text(fresh.signingKey.value), .text(fresh.signingKeyID), .time(now),
      ])
    guard let tenant = try tenant(select, []) else {
      throw .failed(path: path, reason: "the default tenant is missing after it was stored")
    }
    return tenant
  }

  /// The tenant of a signing key.
  public func tenant(signingKeyID: String) throws(MeetingStoreError) -> Tenant? {
    try tenant("SELECT \(Self.tenantColumns) FROM tenants WHERE signing_key_id = ?", [.text(signingKeyID)])
  }

  private func tenant(_ sql: String, _ values: [SQLiteValue]) throws(MeetingStoreError) -> Tenant? {
    var tenant: Tenant?
    try open().query(sql, values) { row in
      tenant = Tenant(
        id: TenantID(rawValue: row.text(0)), name: row.text(1), apiKey: row.text(2), apiSecret: Secret(row.text(3)),
        signingKey: Secret(row.text(4)), signingKeyID: row.text(5), created: row.time(6))
    }
    return tenant
  }

  // MARK: Meetings

  private static let meetingColumns =
    "id, tenant, room, room_key, kind, subject, summary, access_level, capacity, created, expires"

  /// The meeting of a room name; made when there is none.
  public func openMeeting(room: RoomName, tenant: TenantID, now: Date) throws(MeetingStoreError) -> MeetingRecord {
    if let meeting = try meeting(room: room) { return meeting }
    let fresh = MeetingRecord(tenant: tenant, room: room, kind: .room, subject: room.display, created: now)
    do {
      try insert(fresh)
      return fresh
    } catch .exists {
      // Another process on the same folder was quicker.
      guard let meeting = try meeting(room: room) else { throw .busy(path: path) }
      return meeting
    }
  }

  /// Keeps a new meeting, unless its room name is taken.
  public func insert(_ meeting: MeetingRecord) throws(MeetingStoreError) {
    let database = try open()
    try database.query(
      "INSERT INTO meetings (\(Self.meetingColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [
        .text(meeting.id.rawValue), .text(meeting.tenant.rawValue), .text(meeting.room.display),
        .text(meeting.room.key), .text(meeting.kind.rawValue), .text(meeting.subject), .text(meeting.summary),
        .text(meeting.accessLevel.rawValue), meeting.capacity.map { .integer(Int64($0)) } ?? .null,
        .time(meeting.created),
        meeting.expires.map { .time($0) } ?? .null,
      ])
    if database.changes == 0 { throw .exists(meeting.room.display) }
  }

  /// The meeting with that id.
  public func meeting(id: MeetingID) throws(MeetingStoreError) -> MeetingRecord? {
    try meeting("SELECT \(Self.meetingColumns) FROM meetings WHERE id = ?", id.rawValue)
  }

  /// The meeting with that room name.
  public func meeting(room: RoomName) throws(MeetingStoreError) -> MeetingRecord? {
    try meeting("SELECT \(Self.meetingColumns) FROM meetings WHERE room_key = ?", room.key)
  }

  private func meeting(_ sql: String, _ value: String) throws(MeetingStoreError) -> MeetingRecord? {
    var meeting: MeetingRecord?
    try open().query(sql, [.text(value)]) { row in
      meeting = MeetingRecord(
        id: MeetingID(rawValue: row.text(0)), tenant: TenantID(rawValue: row.text(1)),
        room: RoomName(stored: row.text(2), key: row.text(3)), kind: .init(rawValue: row.text(4)) ?? .adHoc,
        subject: row.text(5), summary: row.text(6),
        // An unknown level (of a later version) is taken as the strictest.
        accessLevel: AccessLevel(rawValue: row.text(7)) ?? .locked, created: row.time(9),
        expires: row.isNull(10) ? nil : row.time(10),
        capacity: row.isNull(8) ? nil : Int(clamping: row.integer(8)))
    }
    return meeting
  }

  /// Notes that someone joined.
  public func markUsed(_ id: MeetingID, now: Date) throws(MeetingStoreError) {
    // Once an hour is often enough to keep a meeting, and spares most joins the write.
    try open().query(
      "UPDATE meetings SET used = ?1 WHERE id = ?2 AND (used IS NULL OR used < ?1 - 3600000)",
      [.time(now), .text(id.rawValue)])
  }

  // MARK: Tokens

  /// Refuses a token from now on.
  public func revoke(_ token: TokenID, expires: Date) throws(MeetingStoreError) {
    try open().query(
      "INSERT INTO revoked_tokens (id, expires) VALUES (?, ?) ON CONFLICT DO NOTHING",
      [.text(token.rawValue), .time(expires)])
  }

  /// Whether a token was revoked.
  public func isRevoked(_ token: TokenID) throws(MeetingStoreError) -> Bool {
    var found = false
    try open().query("SELECT 1 FROM revoked_tokens WHERE id = ?", [.text(token.rawValue)]) { _ in found = true }
    return found
  }

  // MARK: Upkeep

  /// Forgets what nobody needs any more.
  public func purge(now: Date) throws(MeetingStoreError) -> Int {
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
      try database.query("DELETE FROM revoked_tokens WHERE expires < ?", [.time(now)])
      rows += database.changes
    }
    return rows
  }

  /// Whether the file can be written: takes its write lock, and writes nothing.
  public func check() throws(MeetingStoreError) {
    // Taking the write lock shows that the file can be written, without writing anything.
    let database = try open()
    try database.execute("BEGIN IMMEDIATE")
    try database.execute("ROLLBACK")
  }

  /// Closes the file.
  public func close() { database = nil }

  /// Whether the whole file is in order, by the database's own check. Reads everything: for repair, not for requests.
  public func isIntact() throws(MeetingStoreError) -> Bool { try integrityCheck() == ["ok"] }

  /// What the database's own check of the whole file says: `["ok"]`, or what is wrong.
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

extension SQLiteValue {
  /// Times are kept as whole milliseconds since 1970.
  fileprivate static func time(_ date: Date) -> SQLiteValue {
    .integer(Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? 0)
  }
}

extension SQLiteRow {
  fileprivate func time(_ column: Int32) -> Date { Date(timeIntervalSince1970: Double(integer(column)) / 1_000) }
}
