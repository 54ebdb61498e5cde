import Basics
import Foundation
import TestSupport
import Testing

@testable import Meetings

@Suite("Formats of the store")
struct StoreMigrationTests {
  private let now = Date(timeIntervalSince1970: 1_795_251_600)

  /// The files of each format as text: tables as the first version with that format made them, with a row in each.
  /// They do not follow today's ``StoreSchema``, so a step that is changed after its release is found.
  private static let formats = Repository.file("Tests/Server/StoreFormats")

  /// Makes a file of a format in `folder`.
  private static func make(format: Int, in folder: TemporaryFolder) throws -> SQLiteDatabase {
    let name = format < 10 ? "0\(format).sql" : "\(format).sql"
    let database = try SQLiteDatabase(path: folder.path + "/parley.sqlite")
    try database.execute(try String(contentsOf: formats.appending(path: name), encoding: .utf8))
    return database
  }

  /// How many rows each table of a file has.
  private static func rows(_ database: SQLiteDatabase) throws -> [String: Int] {
    var tables: [String: Int] = [:]
    try database.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") {
      tables[$0.text(0)] = 0
    }
    for name in tables.keys { try database.query("SELECT count(*) FROM \(name)") { tables[name] = Int($0.integer(0)) } }
    return tables
  }

  @Test("there is a file of every format, with a row in every table")
  func everyFile() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.formats.path)
    #expect(
      names.count == StoreSchema.current.steps.count, "a new format needs a file of it in Tests/Server/StoreFormats")
    for format in 1...StoreSchema.current.steps.count {
      let folder = TemporaryFolder()
      let rows = try withExtendedLifetime(folder) { try Self.rows(try Self.make(format: format, in: folder)) }
      #expect(rows.values.allSatisfy { $0 > 0 }, "format \(format): \(rows)")
    }
  }

  @Test(
    "a file of every released format is brought up to date with all that is in it",
    arguments: 1...StoreSchema.current.steps.count)
  func everyFormat(format: Int) async throws {
    let folder = TemporaryFolder()
    let before = try Self.rows(try Self.make(format: format, in: folder))
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let after = try Self.rows(try SQLiteDatabase(path: folder.path + "/parley.sqlite"))
    #expect(before.allSatisfy { after[$0.key] == $0.value }, "\(before) became \(after)")
    let tenant = try await store.defaultTenant(now: now)
    var policy = TenantPolicy(
      signIn: .oidc, allowedOrigins: WebOrigin.list("https://a.example") ?? [], accessLevel: .locked, capacity: 5,
      maximumMeetings: 2, maximumParticipants: 9)
    policy.lobby = LobbySettings(waitsForHost: true, announces: false, timeout: .seconds(600))
    policy.identityProvider = IdentityProvider(
      issuer: "https://id.example", clientID: "parley", scopes: ["openid"], roleClaim: "groups", organizers: ["boss"])
    (policy.chat, policy.maximumChatBytes) = (ChatPolicy(writers: .hosts), 77)
    (policy.maximumStoredMeetings, policy.maximumRequests) = (90, 20)
    (policy.tokenExpiry, policy.encryption) = (.leave, .required)
    #expect(tenant.policy == policy && tenant.id.rawValue == "n_1" && tenant.apiKey == "key1")
    #expect(tenant.signingKey.value == #"{"kty":"RSA"}"# && tenant.signingKeyID == "kid1")
    let keys = try await store.apiKeys(of: tenant.id)
    #expect(keys.map(\.secret.value) == ["secret1"] && keys.first?.isLive(at: now) == true)
    #expect(keys.first?.isLive(at: now + 50_000) == false)

    let meeting = try #require(try await store.meeting(room: try RoomName("DAILY"), tenant: tenant.id))
    #expect(meeting.id.rawValue == "m_1" && meeting.room.display == "Daily" && meeting.kind == .named)
    #expect(meeting.subject == "Standup" && meeting.summary == "about it" && meeting.accessLevel == .invited)
    #expect(meeting.capacity == 7 && meeting.expires == now + 48_400)
    #expect(meeting.passcode?.matches(Secret("1234")) == true)
    #expect(meeting.lobby == LobbySettings(waitsForHost: true, announces: false, timeout: .seconds(90)))
    #expect(meeting.chat == ChatPolicy(history: false, maximumMessages: 5))
    #expect(meeting.owner == "ann" && meeting.revision == 6 && meeting.isEncrypted == true)
    let schedule = try #require(meeting.schedule)
    #expect(schedule.uid == "u@parley" && schedule.sequence == 4 && schedule.doors.closesAfter == 60)
    #expect(schedule.attendees.map(\.text) == ["bob@example.com"] && schedule.zone == "Europe/Berlin")
    // The second of three was taken out.
    let from = Date(timeIntervalSince1970: 1_795_000_000)
    #expect(
      try schedule.occurrences(from: from, limit: 9).map(\.local.text) == [
        "2026-11-23T10:00:00", "2026-12-07T10:00:00",
      ])
    #expect(try await store.personalRoom(of: "ann", tenant: tenant.id)?.id == meeting.id)
    let tokens = try await store.tokens(tenant: tenant.id, room: nil, before: nil, limit: 9)
    #expect(tokens.map(\.id.rawValue) == ["t_9"] && tokens.first?.uses == 2 && tokens.first?.user == "ann")
    #expect(try await store.isRevoked(TokenID(rawValue: "ban m_1 user eve"), tenant: tenant.id))
    let webhook = try #require(try await store.webhooks(tenant: tenant.id).first)
    #expect(
      webhook.secret.value == "whsec_1" && webhook.events == [.meetingStarted, .lobbyLeft] && webhook.isEnabled)
    let waiting = try await store.deliveries(of: webhook.id, state: .pending, before: nil, limit: 9)
    #expect(waiting.map(\.id) == ["d_1"] && waiting.first?.attempts == 3 && waiting.first?.status == 500)
    let log = try await store.auditLog(tenant: "acme", before: nil, limit: 9)
    #expect(log.map(\.action) == ["tenant.create"] && log.first?.actor == "cli root")

    // Meetings that ran when the old server ended are taken over, and beginnings are ended.
    let left = try await store.orphanedMeetings(now: now)
    #expect(left.map(\.meeting) == [meeting.id])
    #expect(left.first?.files.map(\.id) == ["f_1"] && left.first?.files.map(\.bytes) == [9])
    let running = try #require(try await store.runningMeeting(meeting.id))
    #expect(running.values == [RunningMeeting.roomName: "Daily"])
    #expect(running.messages == [JournaledMessage(id: 3, body: "hello", file: ("f_1", 9))])
    let begun = try await store.orphanedEvents()
    #expect(begun.map(\.subject) == ["participant p_1"])
    #expect(begun.allSatisfy { $0.meeting == meeting.id && $0.body == #"{"type":"participant.left"}"# })

    // It can be used as a new one, and what is new comes back as it was.
    let changed = try await store.change(meeting.id) { $0.subject = "Crew" }
    #expect(changed?.revision == meeting.revision + 1)
    #expect(try await store.changePolicy(of: tenant.id) { $0.tokenExpiry = .stay }?.policy.tokenExpiry == .stay)
    let board = MeetingRecord(
      tenant: tenant.id, room: try RoomName("board"), kind: .named, subject: "b", created: now,
      chat: ChatPolicy(writers: .nobody))
    try await store.insert(board)
    let message = JournaledMessage(id: 1, body: "hello")
    try await store.apply([RunningWrite(.message(message), of: board.id, tenant: tenant.id)], now: now)
    #expect(try await store.integrityCheck() == ["ok"])
    await store.close()
    let again = try await SQLiteMeetingStore.open(folder: folder.path)
    #expect(try await again.meeting(id: board.id) == board)
    #expect(try await again.meeting(id: meeting.id) == changed)
    #expect(try await again.runningMeeting(board.id)?.messages == [message])
    await again.close()
  }

  @Test("today's format is the oldest one with every step since")
  func sameTables() throws {
    let (old, new) = (TemporaryFolder(), TemporaryFolder())
    defer { withExtendedLifetime((old, new)) {} }
    func columns(_ database: SQLiteDatabase) throws -> Set<String> {
      try StoreSchema.current.migrate(database)
      var columns: Set<String> = []
      try database.query(
        """
        SELECT t.type, t.name, t.tbl_name, coalesce(c.name, ''), coalesce(c.type, ''), coalesce(c."notnull", 0)
        FROM sqlite_master t LEFT JOIN pragma_table_info(t.name) c
        """
      ) { row in
        columns.insert((0..<6).map { row.text($0) }.joined(separator: " "))
      }
      return columns
    }
    let upgraded = try columns(try Self.make(format: 1, in: old))
    let made = try columns(try SQLiteDatabase(path: new.path + "/parley.sqlite"))
    #expect(upgraded == made && made.count > 100)
  }

  @Test("each step to a newer format is one transaction, done once")
  func steps() throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/d.sqlite"
    func numbers() throws -> [Int64] {
      var found: [Int64] = []
      try SQLiteDatabase(path: path).query("SELECT number FROM numbers ORDER BY number") { found.append($0.integer(0)) }
      return found
    }
    func version() throws -> Int64 {
      var found: Int64 = -1
      try SQLiteDatabase(path: path).query("PRAGMA user_version") { found = $0.integer(0) }
      return found
    }
    let first = "CREATE TABLE numbers (number INTEGER) STRICT; INSERT INTO numbers VALUES (1)"
    let second = "UPDATE numbers SET number = number + 1; INSERT INTO numbers VALUES (10)"
    try StoreSchema(steps: [first]).migrate(try SQLiteDatabase(path: path))
    #expect(try numbers() == [1])
    #expect(try version() == 1)
    // A step that fails halfway leaves the version before it, with its rows.
    #expect(throws: MeetingStoreError.self) {
      try StoreSchema(steps: [first, second + "; INSERT INTO nowhere VALUES (1)"]).migrate(
        try SQLiteDatabase(path: path))
    }
    #expect(try numbers() == [1])
    #expect(try version() == 1)
    for _ in 1...2 {
      try StoreSchema(steps: [first, second]).migrate(try SQLiteDatabase(path: path))
      #expect(try numbers() == [2, 10])
      #expect(try version() == 2)
    }
    // A program that knows fewer steps leaves it alone.
    #expect(throws: MeetingStoreError.newerVersion(path: path, found: 2, known: 1)) {
      try StoreSchema(steps: [first]).migrate(try SQLiteDatabase(path: path))
    }
    #expect(try numbers() == [2, 10])
  }

  @Test("a file of a development format is refused with what to do, and isn't changed", arguments: [1, 15])
  func developmentFormats(version: Int) async throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/parley.sqlite"
    do {
      let database = try SQLiteDatabase(path: path)
      try database.execute(
        "CREATE TABLE tenants (id TEXT); CREATE TABLE meetings (id TEXT); PRAGMA user_version = \(version)")
    }
    let error = MeetingStoreError.developmentFormat(path: path, found: version)
    await #expect(throws: error) { try await SQLiteMeetingStore.open(folder: folder.path) }
    #expect(error.code == "dataTooOld" && error.description.contains("--data"))
    #expect(error.description.contains("before the first release"), "\(error.description)")
    #expect(try Self.rows(try SQLiteDatabase(path: path)) == ["tenants": 0, "meetings": 0])
    await #expect(throws: error) { try await SQLiteMeetingStore.open(folder: folder.path, mustExist: true) }
  }

  @Test("removing a tenant removes its rows in every table but the audit log, no others'")
  func removal() async throws {
    let folder = TemporaryFolder()
    // The newest format, whichever that is: its file has a row in each table.
    let database = try Self.make(format: StoreSchema.current.steps.count, in: folder)
    try database.execute("UPDATE tenants SET is_default = 0")
    #expect(try Self.rows(database).allSatisfy { $0.value == 1 })
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let other = try await SQLiteMeetingStore.open(folder: folder.path)
    let stays = try await store.defaultTenant(now: now)
    let daily = try await store.openMeeting(room: try RoomName("daily"), tenant: stays, now: now)
    let goes = try #require(try await store.tenant(name: "acme")).id
    await #expect(throws: MeetingStoreError.defaultTenant("parley")) {
      try await store.removeTenant(stays.id, now: now)
    }
    #expect(try await store.removeTenant(.random(), now: now) == nil)
    // While a server lives on which one of its meetings runs, only that one knows when it has ended.
    let board = MeetingID(rawValue: "m_board")
    try await other.apply([RunningWrite(.runs, of: board, tenant: goes)], now: now)
    await #expect(throws: MeetingStoreError.tenantInUse("acme")) { try await store.removeTenant(goes, now: now) }
    try await other.apply([RunningWrite(.end, of: board, tenant: goes)], now: now)
    #expect(try await store.meeting(room: try RoomName("daily"), tenant: goes) != nil)
    #expect(try await store.removeTenant(goes, now: now)?.orphanedMeetings == [MeetingID(rawValue: "m_1")])
    #expect(try await store.removeTenant(goes, now: now) == nil)
    let left = try Self.rows(try SQLiteDatabase(path: folder.path + "/parley.sqlite")).filter { $0.value > 0 }
    #expect(left == ["tenants": 1, "api_keys": 1, "meetings": 1, "audit_log": 1])
    #expect(try await store.tenants() == [stays])
    #expect(try await store.meeting(id: daily.id) == daily)
    #expect(try await store.integrityCheck() == ["ok"])
    for each in [store, other] { await each.close() }
  }

  @Test("the references between tables hold after the change of format")
  func references() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let nobody = MeetingRecord(tenant: .random(), room: .random(), kind: .adHoc, subject: "", created: now)
    await #expect(throws: MeetingStoreError.self) { try await store.insert(nobody) }
  }
}
