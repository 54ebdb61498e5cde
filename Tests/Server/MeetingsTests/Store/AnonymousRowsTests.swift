import Basics
import Foundation
import TestSupport
import TestTenants
import Testing

@testable import Meetings

@Suite("Rows that people without an account leave in the store")
struct AnonymousRowsTests {
  private let now = Date(timeIntervalSince1970: 1_795_251_600)

  private func anonymous(_ owner: Tenant, _ name: String) throws -> MeetingRecord {
    var meeting = MeetingRecord(opening: try RoomName(name), of: owner, now: now)
    meeting.isAnonymous = true
    return meeting
  }

  private func ban(_ id: String, _ meeting: MeetingRecord, _ store: SQLiteMeetingStore) async throws {
    let grant = JoinGrant(
      form: .signed, tenant: meeting.tenant, id: TokenID(rawValue: id), target: .anyRoom, role: .publisher, expires: now
    )
    for note in grant.banNotes(in: meeting.id) {
      try await store.revoke(note, tenant: meeting.tenant, expires: now + 10 * 365 * 86_400)
    }
  }

  @Test("threat 43: an anonymous meeting ends after its last use, with changes and bans")
  func meetings() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let owner = try await TestTenants.makeDefault(in: store, now: now)
    var made: [String: MeetingRecord] = [:]
    for name in ["changed", "banned", "passcode", "later", "running", "adopted"] {
      let meeting = try anonymous(owner, name)
      try await store.insert(meeting)
      try await store.markUsed(meeting.id, now: name == "later" ? now + 86_400 : now)
      made[name] = meeting
    }
    let own = try await store.openMeeting(room: try RoomName("own"), tenant: owner, now: now)
    made["own"] = own
    for (name, meeting) in made where name != "banned" {
      _ = try await store.change(meeting.id) { $0.summary = String(repeating: "€", count: 2_000) }
    }
    let hash = try PasscodeHash(Secret("1234"))
    _ = try await store.change(try #require(made["passcode"]).id) { $0.passcode = hash }
    _ = try await store.change(try #require(made["adopted"]).id) { $0.isAnonymous = false }
    try await store.markUsed(own.id, now: now)
    try await ban("eve", try #require(made["banned"]), store)
    try await ban("eve", own, store)
    #expect(try await store.meeting(id: try #require(made["changed"]).id)?.isAnonymous == true)

    _ = try await store.purge(now: now + MeetingRecord.roomKept - 60)
    for meeting in made.values { #expect(try await store.meeting(id: meeting.id) != nil) }
    let running = [try #require(made["running"]).id]
    _ = try await store.purge(now: now + MeetingRecord.roomKept + 60, running: running)
    var gone: Set<String> = []
    for (name, meeting) in made where try await store.meeting(id: meeting.id) == nil { gone.insert(name) }
    #expect(gone == ["changed", "banned", "passcode"])
    // Bans from meetings that are there hold, those from others are about nothing.
    let database = try SQLiteDatabase(path: folder.path + "/parley.sqlite")
    var bans: [String] = []
    try database.query("SELECT id FROM revoked_tokens") { bans.append($0.text(0)) }
    #expect(bans == ["ban \(own.id) token eve"])
    await store.close()
  }

  @Test("a ban from a meeting that runs on without its record is kept until it ends")
  func bansOfRunning() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let owner = try await TestTenants.makeDefault(in: store, now: now)
    let meeting = try anonymous(owner, "gone")
    try await ban("eve", meeting, store)
    _ = try await store.purge(now: now, running: [meeting.id])
    let note = TokenID(rawValue: "ban \(meeting.id) token eve")
    #expect(try await store.isRevoked(note, tenant: owner.id))
    _ = try await store.purge(now: now)
    #expect(try await !store.isRevoked(note, tenant: owner.id))
    await store.close()
  }

  @Test("threat 43: strangers' audit entries keep their newest, everybody else's all stay")
  func entries() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let time = Date()
    for number in 0..<12 {
      let (actor, isAnonymous) = [("anybody", false), ("holder of t", true), ("cli root", false)][number % 3]
      try await store.append(
        AuditEntry(
          time: time, actor: actor, tenant: "parley", action: "meeting.change", target: "\(number)",
          isAnonymous: isAnonymous))
    }
    #expect(try await store.trimAnonymousEntries(most: 3) == 5)
    let kept = try await store.auditLog(tenant: nil, before: nil, limit: 100)
    #expect(kept.filter(\.isAnonymous).map(\.target) == ["10", "9", "7"])
    #expect(kept.filter { !$0.isAnonymous }.map(\.target) == ["11", "8", "5", "2"])
    // Nobody takes others' entries out.
    let database = try SQLiteDatabase(path: folder.path + "/parley.sqlite")
    #expect(throws: MeetingStoreError.self) { try database.execute("DELETE FROM audit_log") }
    #expect(throws: MeetingStoreError.self) { try database.execute("UPDATE audit_log SET anonymous = 1") }
    await store.close()
  }

  @Test(
    "threat 43: of guests' tokens the newest stay listed, of tokens given out all do")
  func tokens() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let owner = try await TestTenants.makeDefault(in: store, now: now)
    let meeting = try anonymous(owner, "daily")
    for number in 0..<9 {
      let grant = JoinGrant(
        form: number.isMultiple(of: 3) ? .parley : .signed, tenant: owner.id, id: TokenID(rawValue: "t\(number)"),
        target: .meeting(meeting.id), role: .publisher, expires: now + 60)
      let admission = Admission(meeting: meeting, tenant: owner, grant: grant)
      try await store.record([TokenRecord(used: admission, name: "N", at: now)])
    }
    #expect(try await store.trimGuestTokens(most: 2) == 4)
    let kept = try await store.tokens(tenant: nil, room: nil, before: nil, limit: 100).map(\.id.rawValue)
    #expect(kept == ["t8", "t7", "t6", "t3", "t0"])
    await store.close()
  }
}
