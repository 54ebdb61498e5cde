import Foundation
import Signaling
import Synchronization
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer
@testable import Meetings

@Suite("The journal of what happens in meetings")
struct EventJournalTests {
  @Test(
    "a full disk loses no entry: its writer is told, and it is written later")
  func fullDisk() async throws {
    let folder = NSTemporaryDirectory() + "parley-journal-\(UUID().uuidString)"
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

  @Test("an entry that was given up is never reported as written")
  func givenUp() async throws {
    let events = RoomEvents()
    let fails = Mutex(true)
    let reading = Task { await events.read { _ in events.settle(!fails.withLock(\.self)) } }
    let first = use(events)
    try await eventually { await events.isWritten(first) ? "nobody reads" : nil }
    let second = use(events)
    #expect(await events.isWritten(second) == false)
    fails.withLock { $0 = false }
    let kept = use(events)
    #expect(await events.isWritten(kept))
    for lost in [first, second] { #expect(await events.isWritten(lost) == false) }
    events.end()
    await reading.value
    #expect(await events.isWritten(kept))
    #expect(await events.isWritten(second) == false)
  }

  @Test("a join during a full disk is refused as such, and doesn't wait for room")
  func laterOnFullDisk() async throws {
    let events = RoomEvents()
    let tries = Mutex(0)
    let isFull = Mutex(true)
    let reading = Task {
      await events.read { _ in
        while isFull.withLock(\.self) {
          tries.withLock { $0 += 1 }
          events.delay()
          try? await Task.sleep(for: .milliseconds(2))
        }
        events.settle(true)
      }
    }
    let first = use(events)
    try await eventually { tries.withLock(\.self) > 0 ? nil : "nobody reads" }
    // The reader has the first in its hands, and does not look at what comes.
    let later = use(events)
    #expect(try await bounded { await events.isWritten(later) } == false)
    #expect(await events.isWritten(first) == false)
    isFull.withLock { $0 = false }
    try await eventually { await events.isWritten(later) ? nil : "what came while the disk was full is not written" }
    #expect(await events.isWritten(first))
    events.end()
    await reading.value
  }

  @Test("events dropped because too many wait are counted in /metrics and logged")
  func dropped() async throws {
    let folder = NSTemporaryDirectory() + "parley-dropped-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try await SQLiteMeetingStore.open(folder: folder)
    let counters = OperationCounters()
    let lines = Mutex<[String]>([])
    let events = RoomEvents(dropped: counters.eventsLost)
    let journal = EventJournal(
      events: events, store: store, quality: QualityHistory(), counters: counters,
      log: Log(level: .error) { line in lines.withLock { $0.append(line) } }, wake: {})
    let record = MeetingRecord(tenant: .random(), room: .random(), kind: .room, subject: "", created: Date())
    for _ in 0..<RoomEvents.maximumWaiting + 3 { events.add(RoomEvent(.meetingStarted, in: record)) }
    events.end()
    await journal.run()
    await store.close()
    #expect(counters.text.contains("\nparley_events_lost_total 3\n"))
    let told = lines.withLock { $0.filter { $0.contains("events.dropped") } }
    #expect(told.count == 1 && told.first?.contains("count=3") == true, "\(told)")
  }

  /// A right is used; its place.
  private func use(_ events: RoomEvents) -> UInt64 {
    let record = MeetingRecord(tenant: .random(), room: .random(), kind: .room, subject: "", created: Date())
    let person = RoomEvent.Person(id: "p", name: "Ann", role: "moderator")
    return events.add(RoomEvent(.rightUsed(by: person, action: "lock", target: ""), in: record))
  }

  @Test(
    "audited actions are never dropped: at a named limit, further ones are refused")
  func noRightIsDropped() async throws {
    let events = RoomEvents()
    let record = MeetingRecord(tenant: .random(), room: .random(), kind: .room, subject: "", created: Date())
    let person = RoomEvent.Person(id: "p", name: "Ann", role: "moderator")
    for _ in 0..<RoomEvents.maximumWaiting { events.add(RoomEvent(.participantJoined(person), in: record)) }
    #expect(events.add(RoomEvent(.participantJoined(person), in: record)) == RoomEvents.nowhere)
    let dropped = events.dropped.current
    let use = RoomEvent(.rightUsed(by: person, action: "lock", target: ""), in: record)
    for _ in 0..<RoomEvents.maximumRights {
      #expect(events.refusalOfRights == nil)
      #expect(events.add(use) != RoomEvents.nowhere)
    }
    #expect(events.refusalOfRights?.text.contains("auditBacklog") == true)
    // Uses under way when the limit is reached are kept all the same.
    #expect(events.add(use) != RoomEvents.nowhere)
    #expect(events.dropped.current == dropped)

    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    let counters = ServerCounters()
    let room = MeetingRoom(
      record: record, url: "", media: TestMediaPlane(), limits: .init(), counters: counters,
      log: Log(level: .error) { _ in }, events: events, onLeft: { _ in }, onLobby: { _, _ in })
    let socket = KeepingSocket()
    let grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: .moderator, expires: .distantFuture)
    let host = JoinRequest(
      admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N", origin: nil,
      join: .init(token: "", name: "N", offer: "", tracks: []), channel: SignalingChannel(socket: socket))
    _ = try await room.join(host)
    for message in [
      ClientMessage.lock(true, id: 7), .admit(.all, id: 7), .deny(.all, id: 7), .room(.liftMuteAll, id: 7),
      .room(.lowerHands, id: 7), .room(.createPoll(PollDraft(question: "?", options: ["a", "b"])), id: 7),
      .room(.endMeeting, id: 7),
    ] {
      await room.handle(message, from: host.session.participant, channel: host.channel)
      let answer = try #require(socket.sent.last)
      #expect(answer.contains(#""code":"quotaReached""#) && answer.contains("auditBacklog"), "\(message): \(answer)")
    }
    // Nothing of that was done, and what anybody may do goes on.
    #expect(await room.isClosed == false)
    #expect(await room.lobby.isLocked == false)
    await room.handle(
      .room(.raiseHand(true, participant: nil), id: 8), from: host.session.participant, channel: host.channel)
    #expect(socket.sent.last?.contains(#""type":"done""#) == true)
    #expect(counters.text.contains(#"parley_limited_total{limit="auditBacklog"} 7"#))

    let rights = Mutex(0)
    let reading = Task {
      await events.read { batch in
        rights.withLock { $0 += batch.count { if case .rightUsed = $0.kind { true } else { false } } }
        events.settle(true)
      }
    }
    try await eventually { events.refusalOfRights == nil ? nil : "nobody reads" }
    await room.handle(.lock(true, id: 9), from: host.session.participant, channel: host.channel)
    try await eventually { socket.sent.last?.contains(#""id":9"#) == true ? nil : "no answer" }
    #expect(socket.sent.last?.contains(#""type":"done""#) == true)
    events.end()
    await reading.value
    #expect(rights.withLock(\.self) == RoomEvents.maximumRights + 2)
    await room.end(.shutdown, "")
  }
}

/// A socket that keeps what is sent.
private final class KeepingSocket: SignalingSocket {
  private let lines = Mutex<[String]>([])
  var sent: [String] { lines.withLock(\.self) }
  func next() async -> SignalingFrame? { nil }
  func send(_ text: String) { lines.withLock { $0.append(text) } }
  func close(code: UInt16, reason: String) {}
}
