import Foundation
import Meetings
import Signaling
import Synchronization
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer

@Suite("When a ban is done")
struct BanTests {
  @Test(
    "a ban holds at once, is confirmed once written, and a failed write is reported",
    arguments: [true, false])
  func done(isWritten: Bool) async throws {
    let (asked, ask) = AsyncStream.makeStream(of: JoinGrant.self)
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    let record = MeetingRecord(tenant: tenant.id, room: .random(), kind: .named, subject: "", created: Date())
    let dependencies = RoomDependencies(banned: { grant, _ in
      ask.yield(grant)
      for await answer in answers { return answer }
      return false
    })
    let room = MeetingRoom(
      record: record, url: "", media: TestMediaPlane(), limits: .init(), counters: ServerCounters(),
      log: Log(level: .error) { _ in }, dependencies: dependencies, onLeft: { _ in }, onLobby: { _, _ in })
    func join(_ role: Role) async throws -> (id: String, socket: Socket, joinRequest: JoinRequest) {
      let grant = JoinGrant(
        form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: role, expires: .distantFuture)
      let socket = Socket()
      let joinRequest = JoinRequest(
        admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N", origin: nil,
        join: .init(token: "", name: "N", offer: "", tracks: []), channel: SignalingChannel(socket: socket))
      _ = try await room.join(joinRequest)
      return (joinRequest.session.participant, socket, joinRequest)
    }
    let host = try await join(.moderator)
    let guest = try await join(.publisher)
    await room.handle(
      .room(.removeParticipant(guest.id, ban: true), id: 7), from: host.id, channel: host.joinRequest.channel)

    // It is being written: who is banned is out, and nothing is said to be done.
    let grant = try #require(await asked.first { _ in true })
    #expect(grant.id == guest.joinRequest.admission.grant.id)
    await #expect(throws: MeetingRoom.Refusal.banned) { _ = try await room.join(guest.joinRequest) }
    #expect(!host.socket.sent.contains { $0.contains(#""id":7"#) })
    answer.yield(isWritten)
    try await eventually { host.socket.sent.contains { $0.contains(#""id":7"#) } ? nil : "no answer to the host" }
    let last = try #require(host.socket.sent.last { $0.contains(#""id":7"#) })
    #expect(last.contains(isWritten ? #""type":"done""# : #""code":"internal""#), "\(last)")
    await room.end(.shutdown, "")
  }
}

@Suite("When what a host does is done")
struct DoneTests {
  @Test(
    "hosts' actions wait for their audit entry; one that can't be written is reported",
    arguments: [
      ClientMessage.room(.endMeeting, id: 7), .lock(true, id: 7), .admit(.all, id: 7), .deny(.all, id: 7),
    ], [true, false])
  func done(message: ClientMessage, isWritten: Bool) async throws {
    let events = RoomEvents()
    // The disk's answer; nil while it has not answered.
    let disk = Mutex<Bool?>(true)
    let rights = Mutex(0)
    let journal = Task {
      await events.read { batch in
        rights.withLock { $0 += batch.count { if case .rightUsed = $0.kind { true } else { false } } }
        while disk.withLock({ $0 }) == nil { try? await Task.sleep(for: .milliseconds(2)) }
        events.settle(disk.withLock { $0 } ?? false)
      }
    }
    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    let record = MeetingRecord(
      tenant: tenant.id, room: .random(), kind: .named, subject: "", accessLevel: .locked, created: Date())
    let room = MeetingRoom(
      record: record, url: "", media: TestMediaPlane(), limits: .init(), counters: ServerCounters(),
      log: Log(level: .error) { _ in }, events: events, onLeft: { _ in }, onLobby: { _, _ in })
    func join(_ role: Role) async throws -> (id: String, socket: Socket, channel: SignalingChannel) {
      let grant = JoinGrant(
        form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: role, expires: .distantFuture)
      let socket = Socket()
      let joinRequest = JoinRequest(
        admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N", origin: nil,
        join: .init(token: "", name: "N", offer: "", tracks: []), channel: SignalingChannel(socket: socket))
      _ = try await room.join(joinRequest)
      return (joinRequest.session.participant, socket, joinRequest.channel)
    }
    let host = try await join(.moderator)
    let guest = try await join(.publisher)
    try await eventually { await events.isWritten(await room.lastEvent) ? nil : "the beginning is not written" }
    disk.withLock { $0 = nil }
    // A host who comes into a locked meeting has used a right by that.
    let rightsBefore = rights.withLock { $0 }
    let before = guest.socket.sent.count
    let asking = Task { await room.handle(message, from: host.id, channel: host.channel) }

    try await eventually { rights.withLock { $0 } == rightsBefore + 1 ? nil : "nobody writes down who does it" }
    // A server that ended now would leave nothing of it.
    #expect(!host.socket.sent.contains { $0.contains(#""id":7"#) })
    #expect(guest.socket.sent.count == before)
    #expect(await room.isClosed == false)
    #expect(await room.lobby.isLocked == false)
    #expect(await room.lobby.waiters.count == 1)
    disk.withLock { $0 = isWritten }
    await asking.value
    switch message {
    case .lock: #expect(await room.lobby.isLocked)
    case .admit, .deny: #expect(await room.lobby.waiters.isEmpty)
    default:
      #expect(guest.socket.sent.last?.contains("endedByHost") == true)
      #expect(await room.isClosed)
    }
    try await eventually { host.socket.sent.contains { $0.contains(#""id":7"#) } ? nil : "no answer to the host" }
    let answer = try #require(host.socket.sent.last { $0.contains(#""id":7"#) })
    #expect(answer.contains(isWritten ? #""type":"done""# : #""code":"internal""#), "\(answer)")
    if message == .room(.endMeeting, id: 7) {
      try await eventually {
        host.socket.sent.last?.contains("endedByHost") == true ? nil : "the host was not told that it is over"
      }
    }
    disk.withLock { $0 = true }
    events.end()
    await journal.value
    await room.end(.shutdown, "")
  }
}

/// A socket that keeps what is sent.
private final class Socket: SignalingSocket {
  private let lines = Mutex<[String]>([])
  var sent: [String] { lines.withLock(\.self) }
  func next() async -> SignalingFrame? { nil }
  func send(_ text: String) { lines.withLock { $0.append(text) } }
  func close(code: UInt16, reason: String) {}
}
