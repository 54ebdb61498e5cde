import Basics
import Foundation
import TestSupport
import Testing

@testable import Meetings

@Suite("Older formats of the store")
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

  @Test("a file of format 1 keeps its tenant, keys, meetings and revocations, and can be used as a new one")
  func format1() async throws {
    let folder = TemporaryFolder()
    do { _ = try Self.make(format: 1, in: folder) }
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try await store.defaultTenant(now: now)
    #expect(tenant.id.rawValue == "n_1" && tenant.apiKey == "key1" && tenant.isDefault)
    #expect(tenant.signingKeyID == "kid1" && tenant.policy == TenantPolicy(signIn: .open))
    let keys = try await store.apiKeys(of: tenant.id)
    #expect(keys.map(\.secret.value) == ["secret1"] && keys.allSatisfy { $0.isLive(at: now) })
    let daily = try await store.openMeeting(room: try RoomName("DAILY"), tenant: tenant, now: now)
    #expect(daily.id.rawValue == "m_1" && daily.room.display == "Daily")
    let other = try #require(try await store.meeting(id: MeetingID(rawValue: "m_2")))
    #expect(other.capacity == 7 && other.accessLevel == .invited && other.expires == now + 48_400)
    #expect(try await store.isRevoked(TokenID(rawValue: "t_1"), tenant: tenant.id))
    #expect(try await store.purge(now: now) == 0)

    let second = try Tenant.make(name: "second", policy: TenantPolicy(signIn: .token), now: now)
    try await store.insert(second, key: .make(tenant: second.id, now: now))
    #expect(try await store.openMeeting(room: try RoomName("daily"), tenant: second, now: now).id != daily.id)
    #expect(try await store.integrityCheck() == ["ok"])
    await store.close()
    let again = try await SQLiteMeetingStore.open(folder: folder.path)
    #expect(try await again.tenants().map(\.name) == ["parley", "second"])
  }

  @Test("a file of the format before the lobby keeps its tenants and meetings, which have neither passcode nor lobby")
  func beforeTheLobby() async throws {
    let folder = TemporaryFolder()
    do { _ = try Self.make(format: 2, in: folder) }
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try #require(try await store.tenant(name: "acme"))
    #expect(tenant.policy.lobby == LobbySettings() && tenant.policy.accessLevel == .locked)
    #expect(tenant.signingKeyID == "kid1" && tenant.created == Date(timeIntervalSince1970: 1_795_000_000))
    let daily = try #require(try await store.meeting(id: MeetingID(rawValue: "m_1")))
    #expect(daily.passcode == nil && daily.lobby == LobbySettings() && daily.accessLevel == .invited)

    // What is new can be kept, and comes back as it was.
    let lobby = LobbySettings(waitsForHost: true, announces: false, patience: .seconds(600))
    let policy = try #require(try await store.changePolicy(of: tenant.id) { $0.lobby = lobby }).policy
    #expect(policy.lobby == lobby)
    #expect(try await store.tenant(id: tenant.id)?.policy == policy)
    let board = MeetingRecord(
      tenant: tenant.id, room: try RoomName("board"), kind: .named, subject: "b", created: now,
      passcode: try PasscodeHash(Secret("1234")), lobby: policy.lobby)
    try await store.insert(board)
    #expect(try await store.meeting(id: board.id) == board)
    #expect(try await store.integrityCheck() == ["ok"])
  }

  @Test("there is a file of every format, with a row in every table")
  func everyFile() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.formats.path)
    #expect(names.count == StoreSchema.migrations.count, "a new format needs a file of it in Tests/Server/StoreFormats")
    for format in 1...StoreSchema.migrations.count {
      let folder = TemporaryFolder()
      let rows = try withExtendedLifetime(folder) { try Self.rows(try Self.make(format: format, in: folder)) }
      #expect(rows.values.allSatisfy { $0 > 0 }, "format \(format): \(rows)")
    }
  }

  @Test(
    "the rooms of OpenTok sessions that format 13 kept in lower case are found by their ids, and no room of another name"
  )
  func sessionNames() async throws {
    let folder = TemporaryFolder()
    let session = TokenWorld.session
    do {
      let database = try Self.make(format: 13, in: folder)
      try database.execute(
        """
        UPDATE meetings SET room = '\(session)', room_key = '\(session.lowercased())';
        UPDATE tokens SET room = '\(session)', room_key = '\(session.lowercased())';
        """)
    }
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try await store.defaultTenant(now: now)
    #expect(try await store.meeting(room: try RoomName(session), tenant: tenant.id)?.id.rawValue == "m_1")
    #expect(try await store.meeting(room: try RoomName("daily"), tenant: tenant.id) == nil)
    #expect(try await store.tokens(tenant: tenant.id, room: session, before: nil, limit: 9).count == 1)
  }

  @Test(
    "a file of every format that was released is brought forward with all that is in it",
    arguments: 2...StoreSchema.migrations.count)
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
    if format >= 3 { policy.lobby = LobbySettings(waitsForHost: true, announces: false, patience: .seconds(600)) }
    if format >= 5 {
      policy.identityProvider = IdentityProvider(
        issuer: "https://id.example", clientID: "parley", scopes: ["openid"], roleClaim: "groups", organizers: ["boss"])
    }
    if format >= 6 { (policy.chat, policy.maximumChatBytes) = (ChatPolicy(writers: .hosts), 77) }
    if format >= 8 { (policy.maximumStoredMeetings, policy.maximumRequests) = (90, 20) }
    if format >= 9 { policy.tokenExpiry = .leave }
    #expect(tenant.policy == policy && tenant.id.rawValue == "n_1" && tenant.apiKey == "key1")
    #expect(tenant.signingKey.value == #"{"kty":"RSA"}"# && tenant.signingKeyID == "kid1")
    let keys = try await store.apiKeys(of: tenant.id)
    #expect(keys.map(\.secret.value) == ["secret1"] && keys.first?.isLive(at: now) == true)
    #expect(keys.first?.isLive(at: now + 50_000) == false)

    let meeting = try #require(try await store.meeting(room: try RoomName("DAILY"), tenant: tenant.id))
    #expect(meeting.id.rawValue == "m_1" && meeting.room.display == "Daily" && meeting.kind == .named)
    #expect(meeting.subject == "Standup" && meeting.summary == "about it" && meeting.accessLevel == .invited)
    #expect(meeting.capacity == 7 && meeting.expires == now + 48_400)
    if format >= 3 {
      #expect(meeting.passcode?.matches(Secret("1234")) == true)
      #expect(meeting.lobby == LobbySettings(waitsForHost: true, announces: false, patience: .seconds(90)))
    } else {
      #expect(meeting.passcode == nil && meeting.lobby == LobbySettings())
    }
    #expect(meeting.chat == (format >= 6 ? ChatPolicy(history: false, maximumMessages: 5) : ChatPolicy()))
    #expect(meeting.owner == (format >= 8 ? "ann" : nil) && meeting.revision == (format >= 9 ? 6 : 0))
    if format >= 8 {
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
    }
    #expect(try await store.isRevoked(TokenID(rawValue: "ban m_1 user eve"), tenant: tenant.id))
    if format >= 4 {
      let webhook = try #require(try await store.webhooks(tenant: tenant.id).first)
      #expect(
        webhook.secret.value == "whsec_1" && webhook.events == [.meetingStarted, .lobbyLeft] && webhook.isEnabled)
      let waiting = try await store.deliveries(of: webhook.id, state: .pending, before: nil, limit: 9)
      #expect(waiting.map(\.id) == ["d_1"] && waiting.first?.attempts == 3 && waiting.first?.status == 500)
      let log = try await store.auditLog(tenant: "acme", before: nil, limit: 9)
      #expect(log.map(\.action) == ["tenant.create"] && log.first?.actor == "cli root")
    }

    // What ran when the old server ended is taken over, and what was begun is ended.
    let left = try await store.leftBehind(now: now)
    #expect(left.map(\.meeting) == (format >= 11 ? [meeting.id] : []))
    if format >= 11 {
      #expect(left.first?.files.map(\.id) == ["f_1"] && left.first?.files.map(\.bytes) == [9])
      let running = try #require(try await store.runningMeeting(meeting.id))
      #expect(running.values == [RunningMeeting.roomName: "Daily"])
      #expect(running.messages == [KeptMessage(id: 3, body: "hello", file: ("f_1", 9))])
    }
    let begun = try await store.leftBeginnings()
    #expect(begun.map(\.subject) == (format >= 13 ? ["participant p_1"] : []))
    #expect(begun.allSatisfy { $0.meeting == meeting.id && $0.body == #"{"type":"participant.left"}"# })

    // It can be used as a new one, and what is new comes back as it was.
    let changed = try await store.change(meeting.id) { $0.subject = "Crew" }
    #expect(changed?.revision == meeting.revision + 1)
    #expect(try await store.changePolicy(of: tenant.id) { $0.tokenExpiry = .stay }?.policy.tokenExpiry == .stay)
    let board = MeetingRecord(
      tenant: tenant.id, room: try RoomName("board"), kind: .named, subject: "b", created: now,
      chat: ChatPolicy(writers: .nobody))
    try await store.insert(board)
    let message = KeptMessage(id: 1, body: "hello")
    try await store.apply([RunningWrite(.message(message), of: board.id, tenant: tenant.id)], now: now)
    #expect(try await store.integrityCheck() == ["ok"])
    await store.close()
    let again = try await SQLiteMeetingStore.open(folder: folder.path)
    #expect(try await again.meeting(id: board.id) == board)
    #expect(try await again.meeting(id: meeting.id) == changed)
    #expect(try await again.runningMeeting(board.id)?.messages == [message])
    await again.close()
  }

  @Test("a tenant is removed with all that any table has of it but the audit log, and nothing of another one")
  func removal() async throws {
    let folder = TemporaryFolder()
    do {
      // The newest format, whichever that is: its file has a row in each table.
      let database = try Self.make(format: StoreSchema.migrations.count, in: folder)
      try database.execute("UPDATE tenants SET is_default = 0")
      #expect(try Self.rows(database).allSatisfy { $0.value == 1 })
    }
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let other = try await SQLiteMeetingStore.open(folder: folder.path)
    let stays = try await store.defaultTenant(now: now)
    let daily = try await store.openMeeting(room: try RoomName("daily"), tenant: stays, now: now)
    let goes = try #require(try await store.tenant(name: "acme")).id
    await #expect(throws: MeetingStoreError.defaultTenant("parley")) { try await store.removeTenant(stays.id) }
    #expect(try await store.removeTenant(.random()) == nil)
    // While a server lives on which one of its meetings runs, only that one knows when it has ended.
    let board = MeetingID(rawValue: "m_board")
    try await other.apply([RunningWrite(.runs, of: board, tenant: goes)], now: now)
    await #expect(throws: MeetingStoreError.tenantInUse("acme")) { try await store.removeTenant(goes) }
    try await other.apply([RunningWrite(.end, of: board, tenant: goes)], now: now)
    #expect(try await store.meeting(room: try RoomName("daily"), tenant: goes) != nil)
    #expect(try await store.removeTenant(goes) == [MeetingID(rawValue: "m_1")])
    #expect(try await store.removeTenant(goes) == nil)
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
