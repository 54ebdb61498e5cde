import Basics
import Foundation
import TestTenants
import Testing

@testable import Meetings

@Suite("Webhooks and the audit log in the store")
struct WebhookStoreTests {
  private let now = Date(timeIntervalSince1970: 1_795_251_600)

  private func delivery(_ webhook: Webhook, _ meeting: String, _ event: String, at time: Date) -> WebhookDelivery {
    WebhookDelivery(
      webhook: webhook.id, meeting: meeting, event: event, type: "meeting.started", body: "{\"id\":\"\(event)\"}",
      created: time)
  }

  private func make(
    _ store: SQLiteMeetingStore, _ events: [WebhookEventType] = []
  ) async throws -> Webhook {
    let tenant = try await TestTenants.makeDefault(in: store, now: now)
    let webhook = Webhook(tenant: tenant.id, url: "https://a.example/x", events: events, created: now)
    #expect(try await store.insert(webhook))
    return webhook
  }

  @Test("a webhook keeps its address, secret and events, and a tenant has ten at most")
  func webhooks() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    var webhook = try await make(store, [.meetingStarted, .participantLeft])
    #expect(try await store.webhook(id: webhook.id) == webhook)
    webhook.url = "https://b.example/"
    webhook.events = []
    webhook.isEnabled = false
    let wanted = webhook
    #expect(try await store.change(webhook.id) { $0 = wanted } == webhook)
    #expect(try await store.webhooks(tenant: webhook.tenant) == [webhook])
    #expect(try await store.webhooks(tenant: .random()).isEmpty)
    for _ in 1..<Webhook.maximumPerTenant { _ = try await make(store) }
    let eleventh = Webhook(tenant: webhook.tenant, url: "https://c.example/", created: now)
    #expect(try await store.insert(eleventh) == false)
    #expect(try await store.change(eleventh.id) { _ in } == nil)
    try await store.enqueue([delivery(webhook, "m_1", "e_1", at: now)])
    #expect(try await store.removeWebhook(webhook.id))
    #expect(try await store.removeWebhook(webhook.id) == false)
    #expect(try await store.pendingDeliveries() == 0)
    // A delivery for one that is gone isn't kept, and doesn't fail the others.
    try await store.enqueue([delivery(webhook, "m_1", "e_2", at: now)])
    #expect(try await store.pendingDeliveries() == 0)
  }

  @Test("only a meeting's first event is due for a webhook, the next when that is done")
  func heads() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let (a, b) = (try await make(store), try await make(store))
    try await store.enqueue([
      delivery(a, "m_1", "e_1", at: now), delivery(b, "m_1", "e_1", at: now), delivery(a, "m_1", "e_2", at: now + 1),
      delivery(a, "m_2", "e_3", at: now + 2),
    ])
    func due() async throws -> [String] {
      var found: [String] = []
      for head in try await store.deliveryHeads() {
        let event = try await store.delivery(sequence: head.sequence)?.event ?? ""
        found.append("\(event) \(head.webhook == a.id ? "a" : "b")")
      }
      return found
    }
    #expect(try await due() == ["e_1 a", "e_1 b", "e_3 a"])
    let first = try #require(try await store.deliveryHeads().first)
    try await store.record(
      .retry(at: now + 60, status: 503, problem: "busy"), sequence: first.sequence, now: now)
    // It still holds the place before e_2, and is the last to be due.
    #expect(try await due() == ["e_1 b", "e_3 a", "e_1 a"])
    let tried = try #require(try await store.delivery(sequence: first.sequence))
    #expect(tried.attempts == 1 && tried.status == 503 && tried.problem == "busy" && tried.next == now + 60)
    try await store.record(.delivered(status: 204), sequence: first.sequence, now: now + 60)
    #expect(try await due() == ["e_1 b", "e_2 a", "e_3 a"])
    _ = try await store.change(a.id) { $0.isEnabled = false }
    #expect(try await due() == ["e_1 b"])
  }

  @Test("waiting deliveries outlive the process, and a replay goes to the end")
  func replay() async throws {
    let folder = TemporaryFolder()
    var store = try await SQLiteMeetingStore.open(folder: folder.path)
    let webhook = try await make(store)
    try await store.enqueue([delivery(webhook, "m_1", "e_1", at: now), delivery(webhook, "m_1", "e_2", at: now)])
    await store.close()
    store = try await SQLiteMeetingStore.open(folder: folder.path)
    #expect(try await store.pendingDeliveries() == 2)
    let all = try await store.deliveries(of: webhook.id, state: nil, before: nil, limit: 10)
    #expect(all.map(\.event) == ["e_2", "e_1"])
    let page = try await store.deliveries(of: webhook.id, state: .pending, before: all[0].sequence, limit: 10)
    #expect(page.map(\.event) == ["e_1"])
    for delivery in all { try await store.record(.delivered(status: 200), sequence: delivery.sequence, now: now) }
    // A delivery that is done isn't done again by a late answer.
    try await store.record(.failed(status: nil, problem: "late"), sequence: all[0].sequence, now: now)
    #expect(try await store.delivery(sequence: all[0].sequence)?.state == .delivered)
    let again = try #require(try await store.replay(id: all[1].id, webhook: webhook.id, now: now + 9))
    #expect(again.event == "e_1" && again.body == all[1].body && again.id != all[1].id && again.state == .pending)
    #expect(again.sequence > all[0].sequence)
    #expect(try await store.replay(id: "d_none", webhook: webhook.id, now: now) == nil)
    #expect(try await store.replay(id: all[1].id, webhook: .random(), now: now) == nil)
  }

  @Test("deliveries before a replay of the same meeting are tried at once, and counted")
  func replayBehind() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let (a, b) = (try await make(store), try await make(store))
    try await store.enqueue([
      delivery(a, "m_1", "e_1", at: now), delivery(a, "m_1", "e_2", at: now), delivery(a, "m_1", "e_3", at: now),
      delivery(a, "m_2", "e_4", at: now), delivery(b, "m_1", "e_1", at: now),
    ])
    let all = try await store.deliveries(of: a.id, state: nil, before: nil, limit: 10).reversed() as [WebhookDelivery]
    try await store.record(.delivered(status: 204), sequence: all[0].sequence, now: now)
    for head in try await store.deliveryHeads() {
      try await store.record(.retry(at: now + 3_600, status: 500, problem: "down"), sequence: head.sequence, now: now)
    }
    func next() async throws -> [String: TimeInterval] {
      var times: [String: TimeInterval] = [:]
      for head in try await store.deliveryHeads() {
        times["\(head.meeting) \(head.webhook == a.id ? "a" : "b")"] = head.next.timeIntervalSince(now)
      }
      return times
    }
    #expect(try await next() == ["m_1 a": 3_600, "m_2 a": 3_600, "m_1 b": 3_600])
    let again = try #require(try await store.replay(id: all[0].id, webhook: a.id, now: now + 9))
    #expect(again.waitsBehind == 2 && again.next == now + 9)
    // Other meetings and other receivers keep their time.
    #expect(try await next() == ["m_1 a": 9, "m_2 a": 3_600, "m_1 b": 3_600])
    for delivery in all[1...2] {
      try await store.record(.delivered(status: 204), sequence: delivery.sequence, now: now)
    }
    #expect(try await store.deliveryHeads().contains { $0.sequence == again.sequence })
    #expect(try await store.replay(id: all[3].id, webhook: a.id, now: now + 10)?.waitsBehind == 1)
    #expect(try await store.delivery(id: again.id, webhook: a.id)?.waitsBehind == nil)
    try await store.record(.delivered(status: 204), sequence: again.sequence, now: now)
    #expect(try await store.replay(id: all[0].id, webhook: a.id, now: now + 11)?.waitsBehind == 0)
  }

  @Test("deliveries are bounded in number and age")
  func bounds() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let webhook = try await make(store)
    let many = (0..<WebhookDelivery.maximumPending + 3).map { delivery(webhook, "m_1", "e_\($0)", at: now) }
    try await store.enqueue(many)
    #expect(try await store.pendingDeliveries() == WebhookDelivery.maximumPending)
    let dropped = try await store.deliveries(of: webhook.id, state: .failed, before: nil, limit: 10)
    #expect(dropped.map(\.event) == ["e_2", "e_1", "e_0"])
    // A day later nothing is tried any more; a week later it is forgotten.
    let day = now + WebhookDelivery.triedFor + 1
    #expect(try await store.purgeOperation(now: day) == WebhookDelivery.maximumPending + 3)
    #expect(try await store.pendingDeliveries() == 0)
    #expect(try await store.deliveries(of: webhook.id, state: nil, before: nil, limit: 20_000).count == 10_000)
    _ = try await store.purgeOperation(now: day + WebhookDelivery.keptFinished + 1)
    #expect(try await store.deliveries(of: webhook.id, state: nil, before: nil, limit: 10).isEmpty)
  }

  @Test("the audit log is append-only, its lines are bounded, and it is read by page")
  func audit() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let time = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
    for index in 0..<5 {
      try await store.append(
        AuditEntry(
          time: time, actor: "admin", tenant: index == 3 ? "acme" : "parley", action: "tenant.change",
          target: "line\nbreak \(index) " + String(repeating: "x", count: 900)))
    }
    let all = try await store.auditLog(tenant: nil, before: nil, limit: 3)
    #expect(all.count == 3 && all[0].sequence > all[1].sequence && all[0].time == time)
    #expect(all.allSatisfy { $0.target.count == 300 && !$0.target.contains("\n") })
    let rest = try await store.auditLog(tenant: nil, before: all[2].sequence, limit: 10)
    #expect(rest.count == 2)
    #expect(try await store.auditLog(tenant: "acme", before: nil, limit: 10).count == 1)
    for change in ["UPDATE audit_log SET actor = 'nobody'", "DELETE FROM audit_log"] {
      await #expect(throws: MeetingStoreError.self) { try await store.execute(change) }
    }
    #expect(try await store.auditLog(tenant: nil, before: nil, limit: 10).count == 5)
    #expect(try await store.purgeOperation(now: time) == 0)
    try await store.append(
      AuditEntry(time: time - AuditEntry.kept - 60, actor: "admin", action: "tenant.create", target: "old"))
    #expect(try await store.purgeOperation(now: time) == 1)
  }

  @Test("a copy made during writes is whole, and overwrites nothing")
  func backup() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let webhook = try await make(store)
    try await store.enqueue((0..<500).map { delivery(webhook, "m_1", "e_\($0)", at: now) })
    let writing = Task {
      for index in 0..<40 { try await store.enqueue([delivery(webhook, "m_2", "x_\(index)", at: now)]) }
    }
    let target = folder.path + "/copy/parley.sqlite"
    try FileManager.default.createDirectory(atPath: folder.path + "/copy", withIntermediateDirectories: true)
    try await store.backUp(to: target)
    try await writing.value
    let copy = try await SQLiteMeetingStore.open(folder: folder.path + "/copy")
    #expect(try await copy.integrityCheck() == ["ok"])
    #expect(try await copy.webhook(id: webhook.id) == webhook)
    #expect((500...540).contains(try await copy.pendingDeliveries()))
    await copy.close()
    let rights = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
    #expect(rights == 0o600)
    await #expect(throws: MeetingStoreError.self) { try await store.backUp(to: target) }
    #expect(FileManager.default.fileExists(atPath: target))
  }

  @Test("meetings are read page by page, the newest first, each once")
  func pages() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let tenant = try await TestTenants.makeDefault(in: store, now: now)
    for index in 0..<7 {
      // Some at the same moment.
      try await store.insert(
        MeetingRecord(
          tenant: tenant.id, room: try RoomName("r\(index)"), kind: .named, subject: "",
          created: now + Double(index / 3)))
    }
    var seen: [MeetingRecord] = []
    while true {
      let last = seen.last.map { MeetingCursor($0) }
      let page = try await store.meetings(tenant: tenant.id, after: last, limit: 2)
      if page.isEmpty { break }
      seen += page
    }
    #expect(Set(seen.map(\.id)).count == 7 && seen.count == 7)
    #expect(seen.map(\.created) == seen.map(\.created).sorted(by: >))
    #expect(try await store.meetings(tenant: .random(), after: nil, limit: 10).isEmpty)
  }
}

extension SQLiteMeetingStore {
  /// Runs any statement, as somebody with the file at hand could.
  func execute(_ sql: String) throws(MeetingStoreError) { try open().execute(sql) }
}
