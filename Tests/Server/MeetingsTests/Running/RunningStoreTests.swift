import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("The state of running meetings")
struct RunningStoreTests {
  private let now = Date(timeIntervalSince1970: 1_795_251_600)
  private let tenant = TenantID(rawValue: "n_a")
  private let meeting = MeetingID(rawValue: "m_a")

  private func message(_ id: Int, _ body: String, file: (String, Int)? = nil) -> RunningWrite {
    RunningWrite(.message(JournaledMessage(id: id, body: body, file: file)), of: meeting, tenant: tenant)
  }

  private func write(_ change: RunningWrite.Change) -> RunningWrite {
    RunningWrite(change, of: meeting, tenant: tenant)
  }

  @Test("values and messages keep their order, change, and go when the meeting ends")
  func keeping() async throws {
    let folder = TemporaryFolder()
    var store = try await SQLiteMeetingStore.open(folder: folder.path)
    #expect(try await store.runningMeeting(meeting) == nil)
    try await store.apply(
      [
        message(2, "two", file: ("f_1", 7)), message(1, "one"), write(.value("a", of: "state")),
        write(.value("b", of: "state")), write(.value("p", of: "poll 1")), message(1, "uno"),
      ], now: now)
    await store.close()
    store = try await SQLiteMeetingStore.open(folder: folder.path)
    var found = try #require(try await store.runningMeeting(meeting))
    #expect(found.values == ["state": "b", "poll 1": "p"])
    #expect(
      found.messages == [JournaledMessage(id: 1, body: "uno"), JournaledMessage(id: 2, body: "two", file: ("f_1", 7))])
    try await store.apply([write(.forget(through: 1)), write(.noValue(of: "poll 1"))], now: now)
    found = try #require(try await store.runningMeeting(meeting))
    #expect(found.messages.map(\.id) == [2] && found.values == ["state": "b"])
    // One of that name that begins at once is another one.
    try await store.apply([write(.end), message(3, "three")], now: now)
    found = try #require(try await store.runningMeeting(meeting))
    #expect(found.messages.map(\.id) == [3] && found.values.isEmpty)
    try await store.apply([write(.end)], now: now)
    #expect(try await store.runningMeeting(meeting) == nil)
    await store.close()
  }

  @Test(
    "a killed server's state holds for ten minutes from a start within the hour")
  func leaving() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    try await store.apply([message(1, "one", file: ("f_1", 7)), message(2, "two")], now: now)
    let start = now + 1_800
    let left = try await store.orphanedMeetings(now: start)
    #expect(left == [OrphanedMeeting(meeting: meeting, files: [.init(id: "f_1", tenant: tenant, bytes: 7)])])
    // A second start does not give it more time.
    #expect(try await store.orphanedMeetings(now: start + 300).count == 1)
    #expect(try await store.expireOrphans(now: start + 599, except: []).isEmpty)
    #expect(try await store.expireOrphans(now: start + 601, except: [meeting]).isEmpty)
    #expect(try await store.expireOrphans(now: start + 601, except: []).map(\.meeting) == [meeting])
    #expect(try await store.runningMeeting(meeting) == nil)
    try await store.forgetExpired([meeting])

    // For people who come back in time the meeting goes on, as long as it runs.
    try await store.apply([message(1, "one")], now: now)
    _ = try await store.orphanedMeetings(now: now)
    try await store.apply([write(.runs)], now: now + 60)
    #expect(try await store.expireOrphans(now: now + 9_000, except: []).isEmpty)
    try await store.touchRunning(now: now + 9_000)
    #expect(try await store.orphanedMeetings(now: now + 9_000 + 3_600).count == 1)
    try await store.apply([write(.runs)], now: now + 20_000)
    #expect(try await store.orphanedMeetings(now: now + 20_000 + 4_000).isEmpty)
    #expect(try await store.runningMeeting(meeting) == nil)
    await store.close()
  }

  @Test(
    "another server on the folder leaves a living server's meetings alone")
  func otherServers() async throws {
    let folder = TemporaryFolder()
    let first = try await SQLiteMeetingStore.open(folder: folder.path)
    let second = try await SQLiteMeetingStore.open(folder: folder.path)
    try await first.apply([message(1, "one")], now: now)
    #expect(try await second.orphanedMeetings(now: now + 60).isEmpty)
    #expect(try await second.expireOrphans(now: now + 9_000, except: []).isEmpty)
    try await second.touchRunning(now: now + 9_000)
    await first.close()
    // It was not noted by the second that the first still ran.
    let third = try await SQLiteMeetingStore.open(folder: folder.path)
    #expect(try await third.orphanedMeetings(now: now + 120).count == 1)
    #expect(try await second.orphanedMeetings(now: now + 180).isEmpty)
    #expect(try await second.expireOrphans(now: now + 9_000, except: []).isEmpty)
    await third.close()
    #expect(try await second.orphanedMeetings(now: now + 240).count == 1)
    #expect(try await second.expireOrphans(now: now + 719, except: []).isEmpty)
    #expect(try await second.expireOrphans(now: now + 721, except: []).map(\.meeting) == [meeting])
    await second.close()
  }

  @Test(
    "a meeting's end is told until everybody knows, over kills, unless it runs again"
  )
  func over() async throws {
    let folder = TemporaryFolder()
    var store = try await SQLiteMeetingStore.open(folder: folder.path)
    try await store.apply([write(.value("Daily", of: RunningMeeting.roomName)), message(1, "one")], now: now)
    let later = now + 7_200
    for _ in 0..<2 {
      await store.close()
      store = try await SQLiteMeetingStore.open(folder: folder.path)
      #expect(try await store.orphanedMeetings(now: later).isEmpty)
      let over = ExpiredMeeting(meeting: meeting, tenant: tenant, room: "Daily")
      #expect(try await store.expireOrphans(now: later, except: []) == [over])
      #expect(try await store.runningMeeting(meeting) == nil)
    }
    try await store.apply([message(2, "two")], now: later)
    #expect(try await store.expireOrphans(now: later, except: []).isEmpty)
    try await store.forgetExpired([meeting])
    #expect(try await store.runningMeeting(meeting)?.messages.map(\.id) == [2])
    await store.close()
    store = try await SQLiteMeetingStore.open(folder: folder.path)
    _ = try await store.orphanedMeetings(now: later + 7_200)
    #expect(try await store.expireOrphans(now: later + 7_200, except: []).count == 1)
    try await store.forgetExpired([meeting])
    #expect(try await store.expireOrphans(now: later + 7_200, except: []).isEmpty)
    await store.close()
  }

  @Test("a killed server's beginnings are found by one other, until their end is kept")
  func beginnings() async throws {
    func begin(_ subject: String, in meeting: String = "m_a") -> OpenEvent {
      OpenEvent(
        meeting: MeetingID(rawValue: meeting), tenant: tenant, room: "Daily", subject: subject, body: "{}", seen: now)
    }
    let folder = TemporaryFolder()
    func open() async throws -> SQLiteMeetingStore { try await SQLiteMeetingStore.open(folder: folder.path) }
    let first = try await open()
    let second = try await open()
    let all = [begin("p_1"), begin("t_1"), begin("p_2"), begin("p_3", in: "m_b"), begin("p_4", in: "m_c")]
    try await first.apply(all.map { .begins($0) })
    try await first.apply([.ends(meeting, subject: "p_2"), .allEnd(MeetingID(rawValue: "m_c"))])
    try await first.apply([write(.runs)], now: now + 300)
    #expect(try await second.orphanedEvents().isEmpty)
    await first.close()
    let left = try await second.orphanedEvents()
    #expect(left.map(\.subject) == ["p_3", "t_1", "p_1"])
    #expect(left.map(\.seen) == [now, now + 300, now + 300])
    #expect(left.first == begin("p_3", in: "m_b"))
    #expect(try await second.orphanedEvents().isEmpty)
    let third = try await open()
    #expect(try await third.orphanedEvents().isEmpty)
    await second.close()
    // It was killed before it reported any of them.
    #expect(try await third.orphanedEvents() == left)
    try await third.apply(left.map { .ends($0.meeting, subject: $0.subject) })
    await third.close()
    let last = try await open()
    #expect(try await last.orphanedEvents().isEmpty)
    await last.close()
  }

  @Test("an occurrence that was running lasts as planned, and shares its state with none")
  func planned() throws {
    // 2026-11-21, 10:00 in UTC, for three hours, daily.
    let schedule = try MeetingSchedule(
      start: try #require(CivilTime("2026-11-21T10:00:00")), zone: "UTC", duration: 10_800,
      rule: try RecurrenceRule("FREQ=DAILY;COUNT=3"), doors: .init(closesAfter: 600), now: now)
    let begin = Date(timeIntervalSince1970: 1_795_255_200)
    #expect(try schedule.occurrences(from: begin, limit: 1).first?.start == begin)
    let end = begin + 10_800 + 600
    #expect(RunningMeeting.end(seen: begin + 60, schedule: schedule, now: begin + 120) == end)
    #expect(RunningMeeting.end(seen: begin + 60, schedule: schedule, now: begin + 9_000) == end)
    #expect(RunningMeeting.end(seen: end - 60, schedule: schedule, now: end) == end + 600)
    let next = begin + 86_400
    #expect(RunningMeeting.end(seen: begin + 60, schedule: schedule, now: next) < next)
    #expect(RunningMeeting.end(seen: begin, schedule: nil, now: begin + 10) == begin + 610)
  }

  @Test("forgotten state is in no file once overwritten, also beneath another process")
  func overwriting() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let other = try await SQLiteMeetingStore.open(folder: folder.path)
    _ = try await other.defaultTenant(now: now)
    let secret = "what-nobody-is-to-read-later"
    try await store.apply((1...200).map { message($0, "\($0) \(secret)") }, now: now)
    try await store.apply([write(.end)], now: now)
    #expect(try await store.overwriteForgotten())
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.contains(SQLiteMeetingStore.fileName))
    for file in files where !file.hasSuffix("-shm") {
      let bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)")
    }
    await other.close()
    await store.close()
  }

  @Test("no copy has running meetings' chats and decisions, not even in free pages")
  func copies() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    _ = try await store.defaultTenant(now: now)
    let secret = "what-nobody-is-to-read-in-a-copy"
    try await store.apply(
      (1...200).map { message($0, "\($0) \(secret)") } + [write(.value(secret, of: "state"))], now: now)
    let begun = OpenEvent(meeting: meeting, tenant: tenant, room: "d", subject: "p_1", body: secret, seen: now)
    try await store.apply([.begins(begun)])
    try await store.backUp(to: folder.path + "/copy")
    let bytes = try Data(contentsOf: URL(filePath: folder.path + "/copy"))
    #expect(bytes.range(of: Data(secret.utf8)) == nil)
    #expect(try await store.runningMeeting(meeting)?.messages.count == 200)
    await store.close()
    try FileManager.default.createDirectory(atPath: folder.path + "/again", withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      atPath: folder.path + "/copy", toPath: folder.path + "/again/" + SQLiteMeetingStore.fileName)
    let copy = try await SQLiteMeetingStore.open(folder: folder.path + "/again")
    #expect(try await copy.isIntact())
    #expect(try await copy.knownDefaultTenant() != nil)
    #expect(try await copy.runningMeeting(meeting) == nil)
    await copy.close()
  }
}
