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

  @Test("the references between tables hold after the change of format")
  func references() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let nobody = MeetingRecord(tenant: .random(), room: .random(), kind: .adHoc, subject: "", created: now)
    await #expect(throws: MeetingStoreError.self) { try await store.insert(nobody) }
  }
}
