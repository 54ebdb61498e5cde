import Foundation
import Synchronization
import Testing
import Transport

@testable import Meetings

@Suite("Copies of the store", .serialized)
struct BackupTests {
  @Test("a copy replaces the data under running servers, and later changes aren't undone")
  func replaced() async throws {
    let folder = TemporaryFolder()
    // The server's store, and that of a command next to it.
    let server = try await SQLiteMeetingStore.open(folder: folder.path)
    // As the file keeps times.
    let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
    let tenant = try await server.defaultTenant(now: now)
    func meeting(_ room: String, _ store: SQLiteMeetingStore) async throws -> MeetingRecord {
      let record = MeetingRecord(
        tenant: tenant.id, room: try RoomName(room), kind: .named, subject: room, created: now)
      try await store.insert(record)
      return record
    }
    func entry(_ action: String) -> AuditEntry { AuditEntry(time: now, actor: "test", action: action, target: "") }
    let (gone, changed, live) = (
      try await meeting("gone", server), try await meeting("changed", server), try await meeting("live", server)
    )
    let hook = Webhook(tenant: tenant.id, url: "https://a.example/x", events: [], created: now)
    #expect(try await server.insert(hook))
    try await server.append(entry("before"))
    let trial = folder.path + "/trial"
    try FileManager.default.createDirectory(atPath: trial, withIntermediateDirectories: false)
    try await server.backUp(to: trial + "/" + SQLiteMeetingStore.fileName)

    // Changes after the copy.
    #expect(try await server.removeMeeting(gone.id))
    _ = try await server.change(changed.id) { $0.subject = "another" }
    let new = try await meeting("new", server)
    _ = try await server.change(live.id) { $0.subject = "as it runs" }
    let message = JournaledMessage(id: 1, body: "hello")
    try await server.apply([RunningWrite(.message(message), of: live.id, tenant: tenant.id)], now: now)
    try await server.revoke(TokenID(rawValue: "t_1"), tenant: tenant.id, expires: now + 3_600)
    let second = Webhook(tenant: tenant.id, url: "https://b.example/x", events: [], created: now)
    #expect(try await server.insert(second))
    let waiting = [hook, second].map {
      WebhookDelivery(
        webhook: $0.id, meeting: "m", event: "e", type: "meeting.started", body: "{}", created: now)
    }
    try await server.enqueue(waiting)
    _ = try await server.changePolicy(of: tenant.id) { $0.capacity = 3 }
    let leaked = try #require(try await server.apiKeys(of: tenant.id).first)
    let rotated = try await server.rotateKey(of: tenant.id, others: nil, now: now)
    #expect(try await server.retireKey(leaked.id, of: tenant.id, now: now))
    try await server.append(entry("after"))

    let command = try await SQLiteMeetingStore.open(folder: folder.path)
    for _ in 0..<2 { try await command.replace(byStoreIn: trial, entry("data.restore")) }
    for record in [gone, changed] { #expect(try await server.meeting(id: record.id) == record) }
    #expect(try await server.meeting(id: new.id) == nil)
    #expect(try await server.meeting(id: live.id)?.subject == "as it runs")
    #expect(try await server.runningMeeting(live.id)?.messages == [message])
    #expect(try await server.isRevoked(TokenID(rawValue: "t_1"), tenant: tenant.id))
    #expect(try await server.defaultTenant(now: now) == tenant)
    #expect(try await server.webhooks(tenant: nil) == [hook])
    #expect(try await server.pendingDeliveries() == 1)
    let secrets = try await server.apiKeys(of: tenant.id)
    #expect(secrets.count == 2 && secrets.filter { $0.isLive(at: now) }.map(\.id) == [rotated.id])
    let log = try await server.auditLog(tenant: nil, before: nil, limit: 9).map(\.action)
    #expect(log == ["data.restore", "data.restore", "after", "before"])
    #expect(try await server.integrityCheck() == ["ok"])

    // A copy of another server, which does not know whose the meeting is that runs.
    let strange = folder.path + "/strange"
    let other = try await SQLiteMeetingStore.open(folder: strange)
    let otherTenant = try await other.defaultTenant(now: now)
    try await other.append(entry("there"))
    await #expect(throws: MeetingStoreError.self) {
      try await command.replace(byStoreIn: strange, entry("data.restore"))
    }
    #expect(try await server.defaultTenant(now: now) == tenant)
    try await server.apply([RunningWrite(.end, of: live.id, tenant: tenant.id)], now: now)
    try await command.replace(byStoreIn: strange, entry("data.restore"))
    #expect(try await server.tenants().map(\.id) == [otherTenant.id])
    #expect(try await server.auditLog(tenant: nil, before: nil, limit: 9).map(\.action).contains("there"))
    #expect(try await server.integrityCheck() == ["ok"])
    for store in [server, command, other] { await store.close() }
  }

  @Test("the server's self-made certificate goes with a copy, and replaces none")
  func certificate() async throws {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    let store = try await SQLiteMeetingStore.open(folder: data)
    _ = try await store.defaultTenant(now: Date())
    func empty(_ name: String) throws -> String {
      try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: false)
      return folder.path + "/" + name
    }
    @Sendable func copied(of folder: String) -> CopiedFiles {
      CopiedFiles(of: folder) { (try? TLSIdentity(certificatePath: $0, keyPath: $1).check()) != nil }
    }
    func copy(_ name: String) async throws -> SQLiteMeetingStore {
      let trial = try empty(name)
      try await store.backUp(to: trial + "/" + SQLiteMeetingStore.fileName, with: copied(of: data))
      return try await SQLiteMeetingStore.open(folder: trial)
    }
    func texts(_ folder: String) -> [String] {
      CopiedFiles.names.compactMap { try? String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
    }
    // Without one of the server, as in copies of before.
    let before = try await copy("before")
    #expect(try await before.takeCopiedFiles().isEmpty)
    let nothing = try empty("nothing")
    #expect(try CopiedFiles().write(to: nothing) == false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: nothing).isEmpty)

    _ = try TLSIdentity.selfSigned(hosts: ["localhost"], directory: data)
    let made = texts(data)
    #expect(made.count == 2 && made[0].contains("PRIVATE KEY"))
    let trial = try await copy("trial")
    let files = try await trial.takeCopiedFiles()
    #expect(files.texts == made)
    // The key lies at one place only from then on.
    #expect(try await trial.takeCopiedFiles().isEmpty)
    #expect(try await trial.isIntact())
    await trial.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/trial") {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/trial/" + name))
      #expect(bytes.range(of: Data("PRIVATE KEY".utf8)) == nil, "\(name)")
    }

    let restored = try empty("restored")
    #expect(try files.write(to: restored))
    #expect(texts(restored) == made)
    #expect(try FileManager.default.contentsOfDirectory(atPath: restored).count == 2)
    let rights = try CopiedFiles.names.map {
      try FileManager.default.attributesOfItem(atPath: restored + "/" + $0)[.posixPermissions] as? Int
    }
    #expect(rights == [0o600, 0o644])
    // The server takes it as its own.
    let identity = try TLSIdentity.selfSigned(hosts: ["localhost"], directory: restored)
    try identity.check()
    #expect(texts(restored) == made)

    // One that is there stays: a server works with it, and people have made their devices trust it.
    let other = try empty("other")
    _ = try TLSIdentity.selfSigned(hosts: ["localhost"], directory: other)
    let own = texts(other)
    #expect(try files.write(to: other) == false)
    #expect(texts(other) == own && own != made)
    // Files that aren't a pair aren't a certificate.
    try own[0].write(toFile: data + "/" + CopiedFiles.names[0], atomically: true, encoding: .utf8)
    #expect(copied(of: data).isEmpty)
    for store in [store, before] { await store.close() }
  }

  @Test("a large store is copied while another connection writes to it without a pause")
  func busy() async throws {
    let folder = TemporaryFolder()
    let store = try await SQLiteMeetingStore.open(folder: folder.path)
    let now = Date()
    _ = try await store.defaultTenant(now: now)
    let path = folder.path + "/" + SQLiteMeetingStore.fileName
    try SQLiteDatabase(path: path).execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
      INSERT INTO audit_log (time, actor, tenant, action, target, detail)
        SELECT 1795251600000, 'a', 't', 'x', '', hex(randomblob(2000)) FROM n
      """)
    let isDone = Atomic(false)
    let written = Atomic(0)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      // A thread of its own, as another process has one.
      let writer = Thread {
        guard let other = try? SQLiteDatabase(path: path) else { return }
        // Many writes within the time that a part of the copy takes.
        try? other.execute("PRAGMA synchronous = OFF")
        while !isDone.load(ordering: .relaxed) {
          try? other.execute(
            "UPDATE meetings SET used = NULL; INSERT INTO revoked_tokens VALUES ('t', hex(randomblob(8)), 1)")
          written.add(1, ordering: .relaxed)
        }
      }
      writer.start()
      group.addTask {
        try await store.backUp(to: folder.path + "/copy")
        return true
      }
      group.addTask {
        try await Task.sleep(for: .seconds(60))
        return false
      }
      let isCopied = try await group.next()
      isDone.store(true, ordering: .relaxed)
      #expect(isCopied == true, "no copy within a minute, beside \(written.load(ordering: .relaxed)) writes")
      group.cancelAll()
    }
    #expect(written.load(ordering: .relaxed) > 0)
    let size = try #require(FileManager.default.attributesOfItem(atPath: folder.path + "/copy")[.size] as? Int)
    #expect(size > 20_000_000)
    try FileManager.default.createDirectory(atPath: folder.path + "/again", withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      atPath: folder.path + "/copy", toPath: folder.path + "/again/" + SQLiteMeetingStore.fileName)
    let copy = try await SQLiteMeetingStore.open(folder: folder.path + "/again")
    #expect(try await copy.isIntact())
    #expect(try await copy.auditLog(tenant: nil, before: nil, limit: 10_000).count == 6_000)
    for store in [store, copy] { await store.close() }
  }
}
