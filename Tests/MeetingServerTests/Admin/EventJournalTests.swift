import Foundation
import Testing

@testable import MeetingServer
@testable import Meetings

@Suite("The journal of what happens in meetings")
struct EventJournalTests {
  @Test(
    "on a full disk nothing is lost: whoever waits for the entry is told, and it is written when there is room again")
  func fullDisk() async throws {
    let folder = "/tmp/parley-journal-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try await SQLiteMeetingStore.open(folder: folder)
    let (events, counters) = (RoomEvents(), OperationCounters())
    let journal = EventJournal(
      events: events, store: store, quality: QualityHistory(), counters: counters, log: Log(level: .error) { _ in },
      wake: {}, pause: .milliseconds(2))
    let running = Task { await journal.run() }
    let record = MeetingRecord(tenant: .random(), room: .random(), kind: .room, subject: "", created: Date())
    @Sendable func use(_ action: String, _ target: String = "") -> UInt64 {
      events.add(
        RoomEvent(
          .rightUsed(by: .init(id: "p", name: "Ann", role: "moderator"), action: action, target: target), in: record))
    }
    @Sendable func actions() async throws -> [String] {
      try await store.auditLog(tenant: nil, before: nil, limit: 1_000).reversed().map(\.action)
    }
    let first = use("one")
    try await eventually { try await actions().count == 1 ? nil : "the journal does not read" }
    #expect(await events.isWritten(first))
    try await store.limitGrowth(pages: 0)
    // More than the last page has room for.
    var last = first
    for index in 0..<300 { last = use("\(index)", String(repeating: "x", count: 200)) }
    #expect(await events.isWritten(last) == false)
    #expect(try await actions().count < 301)
    let third = use("three")
    try await store.limitGrowth(pages: 1_000)
    try await eventually { await events.isWritten(third) ? nil : "what came while the disk was full is not written" }
    #expect(await events.isWritten(last))
    #expect(try await actions() == ["meeting.one"] + (0..<300).map { "meeting.\($0)" } + ["meeting.three"])
    #expect(counters.eventsLost.current == 0)
    events.end()
    await running.value
    #expect(await events.isWritten(use("four")) == false)
    await store.close()
  }
}
