import Foundation
import Meetings
import Signaling
import Synchronization
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer

@Suite("Meetings in which people only wait")
struct WaitingOnlyTests {
  private let tenant: Tenant
  private let directory: MeetingDirectory

  init() throws {
    tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token, maximumMeetings: 1), now: Date())
    directory = MeetingDirectory(
      media: TestMediaPlane(), limits: .init(), counters: ServerCounters(), log: Log(level: .error) { _ in })
  }

  private func joinRequest(_ record: MeetingRecord, _ socket: any SignalingSocket) -> JoinRequest {
    let grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: .publisher, expires: .distantFuture)
    return .init(
      admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N", origin: nil,
      join: .init(token: "", name: "N", offer: "", tracks: []), channel: SignalingChannel(socket: socket))
  }

  private func locked() -> MeetingRecord {
    MeetingRecord(
      tenant: tenant.id, room: .random(), kind: .named, subject: "", accessLevel: .locked, created: Date())
  }

  @Test(
    "threat 25: a meeting that ends with only a lobby is released with its quota"
  )
  func expiry() async throws {
    var record = locked()
    let socket = KeepingSocket()
    let room = try await directory.join(joinRequest(record, socket), url: "")
    #expect(await directory.meetingCount == 1)
    #expect(socket.sent.last?.contains(#""reason":"lobby""#) == true)
    await #expect(throws: MeetingRoom.Refusal.self) {
      try await directory.join(joinRequest(locked(), KeepingSocket()), url: "")
    }
    record = MeetingRecord(
      id: record.id, tenant: record.tenant, room: record.room, kind: .named, subject: "", accessLevel: .locked,
      created: record.created, expires: Date(), revision: 1)
    await directory.changed(record)
    try await eventually { await room.isClosed ? nil : "the room is open, whose time is over" }
    #expect(socket.sent.last?.contains(#""reason":"expired""#) == true)
    try await eventually { await directory.meetingCount == 0 ? nil : "the directory holds a room that has ended" }
    _ = try await directory.join(joinRequest(locked(), KeepingSocket()), url: "")
    await directory.shutdown()
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
