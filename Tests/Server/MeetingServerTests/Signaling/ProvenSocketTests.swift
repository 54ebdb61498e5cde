import Foundation
import Meetings
import Signaling
import Synchronization
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer

@Suite("Sockets that stand for somebody")
struct ProvenSocketTests {
  @Test(
    "threat 38: a socket counts as proven before its participant hears of it",
    arguments: [AccessLevel.everyone, .locked])
  func before(level: AccessLevel) async throws {
    let tenant = try TestTenants.make(name: "t", policy: TenantPolicy(signIn: .token), now: Date())
    let record = MeetingRecord(
      tenant: tenant.id, room: .random(), kind: .named, subject: "", accessLevel: level, created: Date())
    let directory = MeetingDirectory(
      media: TestMediaPlane(), limits: .init(), counters: ServerCounters(), log: Log(level: .error) { _ in })
    let grant = JoinGrant(
      form: .signed, tenant: tenant.id, id: .random(), target: .anyRoom, role: .publisher, expires: .distantFuture)
    let (first, second) = (OrderSocket(), OrderSocket())
    let joinRequest = JoinRequest(
      admission: Admission(meeting: record, tenant: tenant, grant: grant), name: "N", origin: nil,
      join: .init(token: "", name: "N", offer: "", tracks: []), channel: SignalingChannel(socket: first))
    _ = try await directory.join(joinRequest, url: "")
    #expect(first.deeds.prefix(2) == ["prove", level == .locked ? "waiting" : "welcome"])
    if level == .everyone {
      _ = try await directory.resume(
        token: joinRequest.session.resumeToken, channel: SignalingChannel(socket: second), origin: nil)
      #expect(second.deeds.prefix(2) == ["prove", "resumed"])
    }
    await directory.shutdown()
  }
}

/// A socket that keeps what is done with it, in order; of what is sent, the type.
private final class OrderSocket: SignalingSocket {
  private let list = Mutex<[String]>([])
  var deeds: [String] { list.withLock(\.self) }

  func next() async -> SignalingFrame? { nil }
  func prove() { list.withLock { $0.append("prove") } }
  func send(_ text: String) {
    struct Message: Decodable { var type: String }
    let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8))
    list.withLock { $0.append(message?.type ?? text) }
  }
  func close(code: UInt16, reason: String) {}
}
