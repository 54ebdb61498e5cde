import Foundation
import Testing

@testable import Meetings

@Suite("The SQLite store")
struct SQLiteMeetingStoreTests {
  private let now = Date(timeIntervalSince1970: 1_795_251_600)

  @Test("the default tenant is made once with random keys, and is there after reopening")
  func defaultTenant() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path + "/a/b")
    let tenant = try await store.defaultTenant(now: now)
    #expect(try await store.defaultTenant(now: now) == tenant)
    await store.close()
    await #expect(throws: MeetingStoreError.closed) { try await store.defaultTenant(now: now) }
    let again = try await SQLiteMeetingStore.open(folder: folder.path + "/a/b")
    #expect(try await again.defaultTenant(now: now) == tenant)
    #expect(try await again.tenant(signingKeyID: tenant.signingKeyID) == tenant)
    #expect(try await again.tenant(signingKeyID: "other") == nil)
    let key = try #require(try await again.apiKeys(of: tenant.id).first)
    #expect(key.isLive(at: now) && tenant.policy.signIn == .open)
    #expect(!"\(key)".contains(key.secret.value) && !"\(tenant)".contains(tenant.signingKey.value))
    let other = try await SQLiteMeetingStore.open(folder: folder.path + "/other")
    let stranger = try await other.defaultTenant(now: now)
    #expect(stranger.apiKey != tenant.apiKey)
    #expect(try await other.apiKeys(of: stranger.id).first?.secret != key.secret)
  }

  @Test("the folder and the files are for this user only, since they hold keys")
  func rights() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path + "/data")
    _ = try await store.defaultTenant(now: now)
    func mode(_ path: String) throws -> Int? {
      try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(try mode(folder.path + "/data") == 0o700)
    #expect(try mode(folder.path + "/data/parley.sqlite") == 0o600)
    #expect(try mode(folder.path + "/data/parley.sqlite-wal") == 0o600)
  }

  @Test(
    "a time that was told is the same once it was kept, to the second too", arguments: [0.9996, 0.9994, 0.0004, 0.1234])
  func times(fraction: Double) async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try await store.defaultTenant(now: now).id
    let time = (now + fraction).kept
    let meeting = MeetingRecord(
      tenant: tenant, room: .random(), kind: .adHoc, subject: "s", created: time, expires: time + 2_592_000)
    try await store.insert(meeting)
    let kept = try #require(try await store.meeting(id: meeting.id))
    #expect(kept == meeting && time.kept == time)
    #expect(kept.expires?.formatted(.iso8601) == meeting.expires?.formatted(.iso8601))
  }

  @Test("a room is made on first use, found in any spelling, and keeps all its facts")
  func meetings() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let owner = try await store.defaultTenant(now: now)
    let tenant = owner.id
    let room = try await store.openMeeting(room: try RoomName("Daily"), tenant: owner, now: now)
    #expect(room.kind == .room && room.expires == nil && room.subject == "Daily")
    #expect(try await store.openMeeting(room: try RoomName("daily"), tenant: owner, now: now).id == room.id)
    let adHoc = MeetingRecord(
      tenant: tenant, room: .random(), kind: .adHoc, subject: "Ünïcode '; DROP TABLE meetings", summary: "d",
      accessLevel: .invited, created: now, expires: now + 60, capacity: 7)
    try await store.insert(adHoc)
    #expect(try await store.meeting(id: adHoc.id) == adHoc)
    #expect(try await store.meeting(room: adHoc.room, tenant: tenant) == adHoc)
    await #expect(throws: MeetingStoreError.exists(adHoc.room.display)) {
      var copy = adHoc
      copy.id = .random()
      try await store.insert(copy)
    }
    #expect(adHoc.isExpired(at: now + 60) && !adHoc.isExpired(at: now + 59))
    #expect(try await store.integrityCheck() == ["ok"])
  }

  @Test("purging forgets what is over or was never used, and nothing else")
  func purge() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let owner = try await store.defaultTenant(now: now)
    let tenant = owner.id
    let unused = try await store.openMeeting(room: try RoomName("unused"), tenant: owner, now: now)
    let used = try await store.openMeeting(room: try RoomName("used"), tenant: owner, now: now)
    try await store.markUsed(used.id, now: now)
    let adHoc = MeetingRecord(
      tenant: tenant, room: .random(), kind: .adHoc, subject: "", created: now, expires: now + 60)
    try await store.insert(adHoc)
    try await store.revoke(TokenID(rawValue: "t"), tenant: tenant, expires: now + 60)
    #expect(try await store.purge(now: now + 3_600) == 1)
    #expect(try await store.meeting(id: adHoc.id) != nil)
    #expect(try await store.purge(now: now + 8 * 24 * 3_600) == 2)
    #expect(try await store.meeting(id: unused.id) == nil)
    #expect(try await store.meeting(id: adHoc.id) == nil)
    #expect(try await store.meeting(id: used.id) != nil)
  }

  @Test(
    "a room opened by name alone is forgotten after a token's lifetime unused")
  func oldRooms() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let owner = try await store.defaultTenant(now: now)
    var rooms: [String: MeetingRecord] = [:]
    for name in ["plain", "later", "running", "changed", "banned", "ban-over"] {
      let room = try await store.openMeeting(room: try RoomName(name), tenant: owner, now: now)
      try await store.markUsed(room.id, now: now)
      rooms[name] = room
    }
    let named = MeetingRecord(tenant: owner.id, room: .random(), kind: .named, subject: "", created: now)
    try await store.insert(named)
    try await store.markUsed(named.id, now: now)
    rooms["named"] = named
    let later = now + MeetingRecord.roomKept + 60
    try await store.markUsed(try #require(rooms["later"]).id, now: now + 7_200)
    _ = try await store.change(try #require(rooms["changed"]).id) { $0.subject = "Ours" }
    for (name, end) in [("banned", later + 60), ("ban-over", now + 60)] {
      let grant = JoinGrant(
        form: .signed, tenant: owner.id, id: TokenID(rawValue: "eve"), target: .anyRoom, role: .publisher,
        expires: later)
      for note in grant.banNotes(in: try #require(rooms[name]).id) {
        try await store.revoke(note, tenant: owner.id, expires: end)
      }
    }
    let running = [try #require(rooms["running"]).id]
    #expect(try await store.purge(now: later - 120, running: running) == 1)
    _ = try await store.purge(now: later, running: running)
    var gone: Set<String> = []
    for (name, room) in rooms where try await store.meeting(id: room.id) == nil { gone.insert(name) }
    #expect(gone == ["plain", "ban-over"])
    await store.close()
  }

  @Test("a full disk fails a request with a typed error, and stored data stays")
  func fullDisk() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let owner = try await store.defaultTenant(now: now)
    let tenant = owner.id
    let before = try await store.openMeeting(room: try RoomName("before"), tenant: owner, now: now)
    try await store.limitGrowth(pages: 2)
    await #expect(throws: MeetingStoreError.diskFull(path: folder.path + "/parley.sqlite")) {
      for index in 0..<1_000 {
        try await store.insert(
          MeetingRecord(
            tenant: tenant, room: .random(), kind: .adHoc, subject: String(repeating: "s", count: 250),
            summary: String(repeating: "\(index)", count: 500), created: now, expires: now))
      }
    }
    #expect(try await store.meeting(id: before.id) == before)
    #expect(try await store.integrityCheck() == ["ok"])
    #expect(MeetingStoreError.diskFull(path: "/x").description.contains("No space"))
  }

  @Test("an unwritable folder, a damaged file and a newer format are told apart")
  func refusals() async throws {
    let folder = TemporaryFolder()
    try "x".write(toFile: folder.path + "/file", atomically: true, encoding: .utf8)
    await expect("dataNotWritable") { try await SQLiteMeetingStore.open(folder: folder.path + "/file/data") }
    await expect("dataNotWritable") { try await SQLiteMeetingStore.open(folder: "/proc/parley") }

    try FileManager.default.createDirectory(atPath: folder.path + "/damaged", withIntermediateDirectories: true)
    let garbage = String(repeating: "not a database ", count: 1_000)
    try garbage.write(toFile: folder.path + "/damaged/parley.sqlite", atomically: true, encoding: .utf8)
    await expect("dataDamaged") { try await SQLiteMeetingStore.open(folder: folder.path + "/damaged") }

    let store = try await SQLiteMeetingStore.open(folder: folder.path + "/newer")
    await store.close()
    let database = try SQLiteDatabase(path: folder.path + "/newer/parley.sqlite")
    try database.execute("PRAGMA user_version = 99")
    await expect("dataTooNew") { try await SQLiteMeetingStore.open(folder: folder.path + "/newer") }
  }

  @Test("a read-only data folder is a typed error that says what to do")
  func readOnly() throws {
    let folder = TemporaryFolder()
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o700) }
    // A user with all rights is not stopped by the mode; taking another file-system identity on this thread is.
    _ = setFileSystemUser(65_534)
    defer { _ = setFileSystemUser(getuid()) }
    do {
      _ = try SQLiteDatabase(path: folder.path + "/parley.sqlite")
      Issue.record("it was opened")
    } catch {
      #expect(error.code == "dataNotWritable")
      #expect(error.description.contains("--data"))
    }
  }

  @Test("a file that another process holds is a typed error after the busy timeout")
  func busy() throws {
    let folder = TemporaryFolder()
    let first = try SQLiteDatabase(path: folder.path + "/d.sqlite")
    let second = try SQLiteDatabase(path: folder.path + "/d.sqlite", busyMilliseconds: 10)
    try first.execute("BEGIN IMMEDIATE")
    #expect(throws: MeetingStoreError.busy(path: folder.path + "/d.sqlite")) { try second.execute("BEGIN IMMEDIATE") }
  }

  private func expect(_ code: String, _ body: () async throws -> SQLiteMeetingStore) async {
    do {
      _ = try await body()
      Issue.record("it was opened")
    } catch {
      #expect((error as? MeetingStoreError)?.code == code, "\(error)")
    }
  }
}

/// The system call setfsuid(2), which Swift's Glibc module leaves out.
@_silgen_name("setfsuid") private func setFileSystemUser(_ user: UInt32) -> Int32

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
  let path: String
  init() {
    path = NSTemporaryDirectory() + "parley-test-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
