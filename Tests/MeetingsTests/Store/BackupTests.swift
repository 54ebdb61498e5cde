import Foundation
import Synchronization
import Testing

@testable import Meetings

@Suite("Copies of the store", .serialized)
struct BackupTests {
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
