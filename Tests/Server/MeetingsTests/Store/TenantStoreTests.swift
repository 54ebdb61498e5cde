import Basics
import Foundation
import TestTenants
import Testing

@testable import Meetings

@Suite("Tenants in the store")
struct TenantStoreTests {
  private let now = Date(timeIntervalSince1970: 1_795_251_600)

  @Test("a tenant keeps its rules, is found by name and key, and its name is taken once")
  func rules() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let policy = TenantPolicy(
      signIn: .token, allowedOrigins: WebOrigin.list("https://a.example;http://b.example:81") ?? [],
      accessLevel: .locked, capacity: 5, maximumMeetings: 2, maximumParticipants: 9,
      lobby: LobbySettings(waitsForHost: true, announces: false, timeout: .seconds(90)))
    let tenant = try TestTenants.make(name: "acme", policy: policy, now: now)
    try await store.insert(tenant, key: .make(tenant: tenant.id, now: now))
    #expect(try await store.tenant(name: "acme") == tenant)
    #expect(try await store.tenant(apiKey: tenant.apiKey) == tenant)
    #expect(try await store.tenant(id: tenant.id)?.policy == policy)
    #expect(Int32(tenant.apiKey) != nil, "some server SDKs keep API keys as 32-bit numbers")
    let twin = try TestTenants.make(name: "acme", policy: policy, now: now)
    await #expect(throws: MeetingStoreError.tenantExists("acme")) {
      try await store.insert(twin, key: .make(tenant: twin.id, now: now))
    }
    #expect(try await store.apiKeys(of: twin.id).isEmpty)
    let changed = try await store.changePolicy(of: tenant.id) {
      $0.allowedOrigins = []
      $0.capacity = nil
    }
    var expected = policy
    expected.allowedOrigins = []
    expected.capacity = nil
    #expect(changed?.policy == expected)
    #expect(try await store.tenant(id: tenant.id)?.policy == expected)
    #expect(try await store.changePolicy(of: .random()) { $0.capacity = 1 } == nil)
    let meeting = try await store.openMeeting(room: try RoomName("r"), tenant: tenant, now: now)
    #expect(meeting.accessLevel == .locked && meeting.capacity == 5 && meeting.lobby == policy.lobby)
  }

  @Test("two processes' changes of a tenant's rules are both kept, a failed one is none")
  func twoChanges() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let other = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try await store.defaultTenant(now: now)
    let id = tenant.id
    // Each has the tenant as it was before both.
    #expect(try await other.tenant(id: id) == tenant)
    await withTaskGroup(of: Void.self) { group in
      for number in 1...20 {
        group.addTask {
          _ = try? await store.changePolicy(of: id) { $0.capacity = ($0.capacity ?? 0) + number }
        }
        group.addTask {
          _ = try? await other.changePolicy(of: id) { $0.maximumMeetings = ($0.maximumMeetings ?? 0) + number }
        }
      }
    }
    let policy = try #require(try await store.tenant(id: id)?.policy)
    #expect(policy.capacity == 210 && policy.maximumMeetings == 210)
    struct No: Error {}
    await #expect(throws: No.self) {
      _ = try await store.changePolicy(of: id) {
        $0.capacity = 1
        throw No()
      }
    }
    #expect(try await store.tenant(id: id)?.policy == policy)
    await other.close()
  }

  @Test("two secrets are good at once and no more; the old one ends by itself or by hand")
  func rotation() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try await store.defaultTenant(now: now)
    let first = try #require(try await store.apiKeys(of: tenant.id).first)
    let second = try await store.rotateKey(of: tenant.id, others: nil, now: now + 1)
    await #expect(throws: MeetingStoreError.tooManyKeys) {
      _ = try await store.rotateKey(of: tenant.id, others: now + 1, now: now + 1)
    }
    #expect(try await store.apiKeys(of: tenant.id).count { $0.isLive(at: now + 1) } == 2)
    #expect(try await store.retireKey(first.id, of: tenant.id, now: now + 2))
    #expect(try await store.retireKey(first.id, of: tenant.id, now: now + 2) == false)
    #expect(try await store.retireKey(second.id, of: .random(), now: now + 2) == false)
    let third = try await store.rotateKey(of: tenant.id, others: now + 60, now: now + 3)
    func live(_ time: Date) async throws -> [String] {
      try await store.apiKeys(of: tenant.id).filter { $0.isLive(at: time) }.map(\.id)
    }
    #expect(try await live(now + 59) == [third.id, second.id])
    #expect(try await live(now + 60) == [third.id])
  }
}
