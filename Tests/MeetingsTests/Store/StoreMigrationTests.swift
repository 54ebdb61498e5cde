import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("Older formats of the store")
struct StoreMigrationTests {
  private let now = Date(timeIntervalSince1970: 1_795_251_600)

  /// The statements of format 1, as it was released; never changed.
  private static let format1 = """
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
    PRAGMA user_version = 1;
    """

  @Test("a file of format 1 keeps its tenant, keys, meetings and revocations, and can be used as a new one")
  func format1() async throws {
    let folder = TemporaryFolder()
    do {
      let database = try SQLiteDatabase(path: folder.path + "/parley.sqlite")
      try database.execute(Self.format1)
      try database.execute(
        """
        INSERT INTO tenants VALUES ('n_1', 'parley', 'key1', 'secret1', '{"kty":"RSA"}', 'kid1', 1, 1795000000000);
        INSERT INTO meetings VALUES
          ('m_1', 'n_1', 'daily', 'Daily', 'room', 'Daily', '', 'Everyone', NULL, 1795000000000, NULL, 1795000000000),
          ('m_2', 'n_1', 'abc', 'abc', 'adHoc', 's', 'd', 'Invited', 7, 1795000000000, 1795300000000, NULL);
        INSERT INTO revoked_tokens VALUES ('t_1', 1795300000000);
        """)
    }
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
    do {
      let database = try SQLiteDatabase(path: folder.path + "/parley.sqlite")
      try database.execute(Self.format1)
      try database.execute(StoreSchema.migrations[1])
      try database.execute(
        """
        PRAGMA user_version = 2;
        INSERT INTO tenants VALUES
          ('n_1', 'acme', 'key1', 0, 'token', 'https://a.example', 'Locked', 5, 2, 9, '{"kty":"RSA"}', 'kid1', 1795000000000);
        INSERT INTO meetings VALUES
          ('m_1', 'n_1', 'daily', 'Daily', 'named', 'Daily', '', 'Invited', 7, 1795000000000, NULL, NULL);
        """)
    }
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try #require(try await store.tenant(name: "acme"))
    #expect(
      tenant.policy
        == TenantPolicy(
          signIn: .token, allowedOrigins: WebOrigin.list("https://a.example") ?? [], accessLevel: .locked, capacity: 5,
          maximumMeetings: 2, maximumParticipants: 9))
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

  /// What a file of format `format` has in it, from 2 on: statements as that version wrote them.
  private static func contents(_ format: Int) -> String {
    func row(_ table: String, _ columns: [(since: Int, name: String, value: String)]) -> String {
      let known = columns.filter { $0.since <= format }
      return "INSERT INTO \(table) (\(known.map(\.name).joined(separator: ", "))) "
        + "VALUES (\(known.map(\.value).joined(separator: ", ")));\n"
    }
    var text = row(
      "tenants",
      [
        (2, "id", "'n_1'"), (2, "name", "'acme'"), (2, "api_key", "'key1'"), (2, "is_default", "1"),
        (2, "sign_in", "'oidc'"), (2, "allowed_origins", "'https://a.example'"), (2, "access_level", "'Locked'"),
        (2, "capacity", "5"), (2, "maximum_meetings", "2"), (2, "maximum_participants", "9"),
        (2, "signing_key", "'{\"kty\":\"RSA\"}'"), (2, "signing_key_id", "'kid1'"), (2, "created", "1795000000000"),
        (3, "waits_for_host", "1"), (3, "announces", "0"), (3, "lobby_seconds", "600"),
        (
          5, "identity_provider",
          #"'{"issuer":"https://id.example","clientID":"parley","scopes":["openid"],"organizers":["boss"],"moderators":[],"#
            + #""roleClaim":"groups","emailDomains":[]}'"#
        ), (6, "chat", "'writers=hosts'"), (6, "maximum_chat_bytes", "77"), (8, "stored_meetings", "90"),
        (8, "requests", "20"), (9, "token_expiry", "'leave'"),
      ])
    text += row(
      "api_keys",
      [
        (2, "id", "'k_1'"), (2, "tenant", "'n_1'"), (2, "secret", "'secret1'"), (2, "created", "1795000000000"),
        (2, "expires", "1795300000000"),
      ])
    text += row(
      "meetings",
      [
        (2, "id", "'m_1'"), (2, "tenant", "'n_1'"), (2, "room_key", "'daily'"), (2, "room", "'Daily'"),
        (2, "kind", "'named'"), (2, "subject", "'Standup'"), (2, "summary", "'about it'"),
        (2, "access_level", "'Invited'"), (2, "capacity", "7"), (2, "created", "1795000000000"),
        (2, "expires", "1795300000000"), (2, "used", "1795000000000"),
        (3, "passcode", "'scrypt$10$8$1$AAECAwQFBgcICQoLDA0ODw==$EftIuBXfkH3o12YqBV3sXt6DhnoiH6Zqz+tnNs0dWm8='"),
        (3, "waits_for_host", "1"), (3, "announces", "0"), (3, "lobby_seconds", "90"),
        (6, "chat", "'history=0 messages=5'"),
        (
          8, "schedule",
          #"'{"attendees":[{"address":"bob@example.com"}],"changed":817000000,"doors":{"closesAfter":60,"early":"refuse","#
            + #""opensBefore":300},"duration":3600,"excluded":["2026-11-30T10:00:00"],"isCancelled":false,"rule":"#
            + #""FREQ=WEEKLY;COUNT=3","sequence":4,"start":"2026-11-23T10:00:00","uid":"u@parley","zone":"Europe/Berlin"}'"#
        ), (8, "owner", "'ann'"), (9, "revision", "6"),
      ])
    text += row(
      "revoked_tokens", [(2, "tenant", "'n_1'"), (2, "id", "'ban m_1 user eve'"), (2, "expires", "1795300000000")])
    guard format >= 4 else { return text }
    text += row(
      "webhooks",
      [
        (4, "id", "'w_1'"), (4, "tenant", "'n_1'"), (4, "url", "'https://hook.example/'"), (4, "secret", "'whsec_1'"),
        (4, "events", "'meeting.started,lobby.left'"), (4, "enabled", "1"), (4, "created", "1795000000000"),
      ])
    text += row(
      "webhook_deliveries",
      [
        (4, "id", "'d_1'"), (4, "webhook", "'w_1'"), (4, "meeting", "'m_1'"), (4, "event", "'e_1'"),
        (4, "type", "'meeting.started'"), (4, "body", "'{}'"), (4, "created", "1795000000000"),
        (4, "state", "'pending'"), (4, "attempts", "3"), (4, "next", "1795000000000"), (4, "status", "500"),
      ])
    text += row(
      "audit_log",
      [
        (4, "time", "1795000000000"), (4, "actor", "'cli root'"), (4, "tenant", "'acme'"),
        (4, "action", "'tenant.create'"), (4, "target", "'acme'"), (4, "detail", "''"),
      ])
    guard format >= 8 else { return text }
    text += row(
      "tokens",
      [
        (8, "tenant", "'n_1'"), (8, "id", "'t_9'"), (8, "form", "'signed'"), (8, "room", "'Daily'"),
        (8, "room_key", "'daily'"), (8, "name", "'Ann'"), (8, "user", "'ann'"), (8, "role", "'moderator'"),
        (8, "expires", "1795300000000"), (8, "issued", "1795000000000"), (8, "uses", "2"),
      ])
    return text
  }

  @Test("a file of every format that was released is brought forward with all that is in it", arguments: 2...12)
  func everyFormat(format: Int) async throws {
    let folder = TemporaryFolder()
    do {
      let database = try SQLiteDatabase(path: folder.path + "/parley.sqlite")
      try database.execute(Self.format1)
      for step in StoreSchema.migrations[1..<format] { try database.execute(step) }
      try database.execute(Self.contents(format) + "PRAGMA user_version = \(format)")
    }
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
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

    // It can be used as a new one, and what is new comes back as it was.
    let changed = try await store.change(meeting.id) { $0.subject = "Crew" }
    #expect(changed?.revision == meeting.revision + 1)
    #expect(try await store.changePolicy(of: tenant.id) { $0.tokenExpiry = .stay }?.policy.tokenExpiry == .stay)
    let board = MeetingRecord(
      tenant: tenant.id, room: try RoomName("board"), kind: .named, subject: "b", created: now,
      chat: ChatPolicy(writers: .nobody))
    try await store.insert(board)
    #expect(try await store.leftBehind(now: now).isEmpty)
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

  @Test("the references between tables hold after the change of format")
  func references() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let nobody = MeetingRecord(tenant: .random(), room: .random(), kind: .adHoc, subject: "", created: now)
    await #expect(throws: MeetingStoreError.self) { try await store.insert(nobody) }
  }
}
