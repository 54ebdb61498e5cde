import Foundation
import Meetings
import Signaling
import Synchronization
import Testing

@testable import MeetingServer

@Suite("When a ban is done")
struct BanTests {
  @Test(
    "a ban is told to be done once it is written down, holds before that, and what could not be written is told",
    arguments: [true, false])
  func done(isWritten: Bool) async throws {
    let (asked, ask) = AsyncStream.makeStream(of: JoinGrant.self)
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    let tenant = try Tenant.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    let record = MeetingRecord(tenant: tenant.id, room: .random(), kind: .named, subject: "", created: Date())
    let doors = RoomDoors(banned: { grant, _ in
      ask.yield(grant)
      for await answer in answers { return answer }
      return false
    })
    let room = MeetingRoom(
      record: record, url: "", media: TestMediaPlane(), limits: .init(), counters: ServerCounters(),
      log: Log(level: .error) { _ in }, doors: doors, onLeft: { _ in }, onLobby: { _, _ in })
    func join(_ role: Role) async throws -> (id: String, socket: Socket, newcomer: MeetingRoom.Newcomer) {
      let grant = JoinGrant(
        form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: role, expires: .distantFuture)
      let socket = Socket()
      let newcomer = MeetingRoom.Newcomer(
        admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N", origin: nil,
        join: .init(token: "", name: "N", offer: "", tracks: []), channel: SignalingChannel(socket: socket))
      _ = try await room.join(newcomer)
      return (newcomer.place.participant, socket, newcomer)
    }
    let host = try await join(.moderator)
    let guest = try await join(.publisher)
    await room.handle(
      .room(.removeParticipant(guest.id, ban: true), id: 7), from: host.id, channel: host.newcomer.channel)

    // It is being written: who is banned is out, and nothing is said to be done.
    let grant = try #require(await asked.first { _ in true })
    #expect(grant.id == guest.newcomer.admission.grant.id)
    await #expect(throws: MeetingRoom.Refusal.banned) { _ = try await room.join(guest.newcomer) }
    #expect(!host.socket.sent.contains { $0.contains(#""id":7"#) })
    answer.yield(isWritten)
    try await eventually { host.socket.sent.contains { $0.contains(#""id":7"#) } ? nil : "no answer to the host" }
    let last = try #require(host.socket.sent.last { $0.contains(#""id":7"#) })
    #expect(last.contains(isWritten ? #""type":"done""# : #""code":"internal""#), "\(last)")
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
