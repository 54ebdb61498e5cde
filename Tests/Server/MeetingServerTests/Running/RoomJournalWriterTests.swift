import Basics
import Foundation
import Meetings
import Signaling
import Synchronization
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer

@Suite("When a chat message is told")
struct RoomJournalWriterTests {
  private let tenant: Tenant
  private let record: MeetingRecord
  private let store = GatedStore()
  private let writer: RoomJournalWriter
  private let room: MeetingRoom

  init() throws {
    tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    record = MeetingRecord(tenant: tenant.id, room: .random(), kind: .named, subject: "", created: Date())
    let log = Log(level: .error) { _ in }
    writer = RoomJournalWriter(store: store, log: log, pause: .milliseconds(2))
    room = MeetingRoom(
      record: record, url: "", media: TestMediaPlane(), limits: .init(), counters: ServerCounters(), log: log,
      dependencies: RoomDependencies(running: writer), onLeft: { _ in }, onLobby: { _, _ in })
  }

  private func join() async throws -> (String, BookSocket, SignalingChannel) {
    let grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: .moderator, expires: .distantFuture)
    let socket = BookSocket()
    let joinRequest = JoinRequest(
      admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N", origin: nil,
      join: .init(token: "", name: "N", offer: "", tracks: []), channel: SignalingChannel(socket: socket))
    _ = try await room.join(joinRequest)
    return (joinRequest.session.participant, socket, joinRequest.channel)
  }

  @Test("a message is delivered once it is on disk, and waiting ones follow in order")
  func order() async throws {
    let writing = Task { [writer] in await writer.run() }
    let (ann, socket, channel) = try await join()
    let (_, other, _) = try await join()
    #expect(await room.isKept())
    let before = await store.batches
    await store.hold()
    for number in 0..<20 { await room.handle(.chat(text: "m\(number)", to: nil), from: ann, channel: channel) }
    try await eventually { await store.batches == before + 1 ? nil : "nothing is being written" }
    #expect(!(socket.sent + other.sent).contains { $0.contains(#""type":"chat""#) })
    await store.release()
    for socket in [socket, other] {
      try await eventually {
        let texts = socket.sent.filter { $0.contains(#""type":"chat""#) }
        guard texts.count == 20 else { return "\(texts.count) messages came" }
        #expect(texts.enumerated().allSatisfy { $1.contains("\"m\($0)\"") })
        return nil
      }
    }
    #expect(await store.batches <= before + 3)
    await room.end(.removed, "")
    writer.end()
    await writing.value
    #expect(await store.written.last?.change == .end)
  }

  @Test("a message repeated on another socket during its write is told and answered once")
  func saidAgain() async throws {
    let writing = Task { [writer] in await writer.run() }
    let (ann, _, channel) = try await join()
    let (_, other, _) = try await join()
    #expect(await room.isKept())
    await store.hold()
    await room.handle(.chat(text: "once", to: nil, id: 5), id: 5, from: ann, channel: channel)
    let socket = BookSocket()
    let later = SignalingChannel(socket: socket)
    try await room.resume(participant: ann, channel: later, origin: nil)
    await room.handle(.chat(text: "once", to: nil, id: 5), id: 5, from: ann, channel: later)
    #expect(!(socket.sent + other.sent).contains { $0.contains("once") || $0.contains(#""type":"done""#) })
    await store.release()
    try await eventually { socket.sent.contains { $0.contains("once") } ? nil : "the message does not come back" }
    // Any result of it comes before this message.
    await room.handle(.chat(text: "end", to: nil, id: 6), id: 6, from: ann, channel: later)
    for socket in [socket, other] {
      try await eventually { socket.sent.contains { $0.contains("end") } ? nil : "the end does not come" }
      #expect(socket.sent.count { $0.contains(#""type":"chat""#) && $0.contains("once") } == 1)
    }
    #expect(socket.sent.count { $0.contains(#""type":"done""#) && $0.contains(#""id":5"#) } == 1)
    await room.end(.removed, "")
    writer.end()
    await writing.value
  }

  @Test("the end of an orphaned meeting is told, and forgotten only once that is on disk")
  func over() async throws {
    let events = RoomEvents()
    let writer = RoomJournalWriter(store: store, log: Log(level: .error) { _ in }, events: events)
    let told = Mutex<[RoomEvent]>([])
    let isFull = Mutex(true)
    let reading = Task {
      await events.read { batch in
        told.withLock { $0 += batch }
        while isFull.withLock(\.self) {
          events.delay()
          try? await Task.sleep(for: .milliseconds(2))
        }
        events.settle(true)
      }
    }
    await store.leave(record.id)
    try await writer.takeOver(ChatFileStore(data: "/nowhere"))
    #expect(writer.isOrphaned(record.id))
    await store.end(record.id, of: tenant.id)
    let upkeep = Task { await writer.keepUp(ChatFileStore(data: "/nowhere"), minute: .milliseconds(2)) { [] } }
    try await eventually { await store.asked > 3 ? nil : "it is not looked at again" }
    #expect(!writer.isOrphaned(record.id))
    #expect(await store.toldOf.isEmpty)
    isFull.withLock { $0 = false }
    try await eventually { await store.toldOf == [record.id] ? nil : "it is not forgotten" }
    upkeep.cancel()
    await upkeep.value
    events.end()
    await reading.value
    let ends = told.withLock(\.self)
    try #require(ends.count == 1)
    #expect(ends[0].meeting == record.id && ends[0].tenant == tenant.id && ends[0].room == "Daily")
    guard case .meetingEnded("empty") = ends[0].kind else { throw Unexpected(text: "\(ends[0].kind)") }
  }

  @Test("a full disk holds up no message but tells its sender, and is caught up later")
  func fullDisk() async throws {
    let writing = Task { [writer] in await writer.run() }
    let (ann, socket, channel) = try await join()
    let (_, other, _) = try await join()
    await store.fail(.diskFull(path: "/"))
    await room.handle(.chat(text: "hello", to: nil, id: 5), from: ann, channel: channel)
    try await eventually { other.sent.contains { $0.contains("hello") } ? nil : "the message does not come" }
    let refusal = try #require(socket.sent.first { $0.contains(#""id":5"#) })
    #expect(refusal.contains(#""type":"error""#) && refusal.contains("cannot keep it"))
    await room.handle(.lock(true, id: 6), from: ann, channel: channel)
    try await eventually { socket.sent.contains { $0.contains(#""id":6"#) } ? nil : "no answer to the lock" }
    #expect(socket.sent.first { $0.contains(#""id":6"#) }?.contains(#""type":"error""#) == true)
    await store.fail(nil)
    try await eventually {
      let kinds = await store.written.map(\.change)
      let isThere =
        kinds.contains { if case .message = $0 { true } else { false } }
        && kinds.contains { if case .value = $0 { true } else { false } }
      return isThere ? nil : "what waited is not written: \(kinds)"
    }
    await room.end(.removed, "")
    writer.end()
    await writing.value
    let place = writer.add(RunningWrite(.runs, of: record.id, tenant: tenant.id))
    #expect(await writer.isWritten(place, of: record.id) == false)
  }

  @Test(
    "deleted content is overwritten soon, and again after a failure, if there is any")
  func overwriting() async throws {
    let writing = Task { [writer] in await writer.run() }
    await writeOther()
    let upkeep = Task { [writer] in
      await writer.keepUp(ChatFileStore(data: "/nowhere"), minute: .milliseconds(2)) { [] }
    }
    try await eventually { await store.overwritten.count >= 2 ? nil : "it is not tried again" }
    await writeOther()
    try await eventually { await store.overwritten.last == 2 ? nil : "what came later is not overwritten" }
    upkeep.cancel()
    await upkeep.value
    #expect(await store.overwritten == [1, 1, 2])
    writer.end()
    await writing.value
  }

  /// Has something of another meeting written.
  private func writeOther() async {
    let other = MeetingID(rawValue: "m_other")
    #expect(await writer.isWritten(writer.add(RunningWrite(.runs, of: other, tenant: tenant.id)), of: other))
  }

  @Test(
    "done is said only once lost state is rewritten, and an ended meeting stays ended")
  func givenUp() async throws {
    let writing = Task { [writer] in await writer.run() }
    let (ann, socket, channel) = try await join()
    func answer(_ id: Int) async throws -> String {
      try await eventually { socket.sent.contains { $0.contains("\"id\":\(id)") } ? nil : "no answer to \(id)" }
      return socket.sent.first { $0.contains("\"id\":\(id)") } ?? ""
    }
    await writeOther()
    let before = await store.written.count { $0.meeting == record.id }
    await store.fail(.failed(path: "/", reason: "broken"))
    let poll = RoomRequest.createPoll(.init(question: "Tea?", options: ["yes", "no"]))
    await room.handle(.room(poll, id: 5), from: ann, channel: channel)
    #expect(try await answer(5).contains(#""type":"error""#))
    await room.handle(.lock(true, id: 6), from: ann, channel: channel)
    #expect(try await answer(6).contains(#""type":"error""#))
    let lost = writer.lost(of: record.id)
    await store.fail(nil)
    await writeOther()
    #expect(!writer.has(lost, of: record.id))
    #expect(await writer.isWritten(lost, of: record.id) == false)
    #expect(await store.written.count { $0.meeting == record.id } == before)
    await room.handle(.lock(true, id: 7), from: ann, channel: channel)
    #expect(try await answer(7).contains(#""type":"done""#))
    var values: [String: String] = [:]
    for write in await store.written { if case .value(let value, let name) = write.change { values[name] = value } }
    #expect(values["poll 1"]?.contains("Tea?") == true && values["state"]?.contains(#""isLocked":true"#) == true)
    await store.fail(.failed(path: "/", reason: "broken"))
    await room.end(.removed, "")
    #expect(await room.isKept() == false)
    await store.fail(nil)
    await writeOther()
    #expect(await store.written.contains { $0.meeting == record.id && $0.change == .end })
    writer.end()
    await writing.value
  }

  @Test("a write that is given up because too much waits is never reported as written")
  func tooMuch() async throws {
    await store.fail(.diskFull(path: "/"))
    let places = (0...RoomJournalWriter.maximumWaiting).map { number in
      writer.add(RunningWrite(.runs, of: MeetingID(rawValue: "m_\(number % 2)"), tenant: tenant.id))
    }
    let writing = Task { [writer] in await writer.run() }
    try await eventually { await store.batches > 1 ? nil : "it is not tried again" }
    await store.fail(nil)
    await writeOther()
    #expect(!writer.has(places[0], of: MeetingID(rawValue: "m_0")))
    #expect(writer.has(try #require(places.dropLast().last), of: MeetingID(rawValue: "m_1")))
    writer.end()
    await writing.value
  }

  @Test("chat beyond today's limits goes from the disk when somebody comes back")
  func tooMuchLeft() async throws {
    let writing = Task { [writer] in await writer.run() }
    let entries = (1...ChatPolicy.messages + 3).map {
      ChatEntry(id: $0, from: "p_a", name: "A", text: "m\($0)", time: Date())
    }
    await store.leave(record.id, messages: entries.compactMap { JournaledChatEntry(entry: $0).message })
    try await writer.takeOver(ChatFileStore(data: "/nowhere"))
    _ = try await join()
    try await eventually {
      await store.written.contains { $0.change == .forget(through: 3) } ? nil : "old messages stay on the disk"
    }
    await room.end(.removed, "")
    writer.end()
    await writing.value
  }

  @Test("a meeting whose state can't be read admits nobody, so that no lock opens")
  func unreadable() async throws {
    await store.leave(record.id)
    try await writer.takeOver(ChatFileStore(data: "/nowhere"))
    await store.fail(.failed(path: "/", reason: "broken"))
    await #expect(throws: MeetingRoom.Refusal.self) { _ = try await join() }
    await store.fail(nil)
    _ = try await join()
    await room.end(.removed, "")
  }
}

/// A store that writes on demand.
private actor GatedStore: RunningStore {
  private(set) var written: [RunningWrite] = []
  private(set) var batches = 0
  /// How much was written at each time at which what was forgotten was to be overwritten.
  private(set) var overwritten: [Int] = []
  private var problem: MeetingStoreError?
  private var isHolding = false
  private var gates: [CheckedContinuation<Void, Never>] = []
  private var left: [OrphanedMeeting] = []
  private var messages: [JournaledMessage] = []

  func hold() { isHolding = true }
  func fail(_ problem: MeetingStoreError?) { self.problem = problem }

  func leave(_ meeting: MeetingID, messages: [JournaledMessage] = []) {
    left = [OrphanedMeeting(meeting: meeting, files: [])]
    self.messages = messages
  }

  func release() {
    isHolding = false
    for gate in gates { gate.resume() }
    gates = []
  }

  func apply(_ writes: [RunningWrite], now: Date) async throws(MeetingStoreError) {
    batches += 1
    if isHolding { await withCheckedContinuation { gates.append($0) } }
    if let problem { throw problem }
    written += writes
  }

  func runningMeeting(_ id: MeetingID) throws(MeetingStoreError) -> RunningMeeting? {
    if let problem { throw problem }
    return messages.isEmpty ? nil : RunningMeeting(values: [:], messages: messages)
  }

  func touchRunning(now: Date) {}

  func overwriteForgotten() -> Bool {
    overwritten.append(written.count)
    return overwritten.count > 1
  }

  func orphanedMeetings(now: Date) -> [OrphanedMeeting] { left }
  func orphanedEvents() -> [OpenEvent] { [] }

  private var over: [ExpiredMeeting] = []
  /// How often it was asked for what is over, and what it may forget.
  private(set) var (asked, toldOf): (Int, [MeetingID]) = (0, [])

  func end(_ meeting: MeetingID, of tenant: TenantID) {
    (left, over) = ([], [ExpiredMeeting(meeting: meeting, tenant: tenant, room: "Daily")])
  }

  func expireOrphans(now: Date, except: [MeetingID]) -> [ExpiredMeeting] {
    asked += 1
    return over
  }

  func forgetExpired(_ meetings: [MeetingID]) {
    over.removeAll { meetings.contains($0.meeting) }
    toldOf += meetings
  }
}

/// A socket that keeps what is sent.
private final class BookSocket: SignalingSocket {
  private let lines = Mutex<[String]>([])
  var sent: [String] { lines.withLock(\.self) }

  func next() async -> SignalingFrame? { nil }
  func send(_ text: String) { lines.withLock { $0.append(text) } }
  func close(code: UInt16, reason: String) {}
}
