import Basics
import CSQLite
import FoundationEssentials
import Meetings

/// A data folder as a busy server has it after a while.
struct FullStore: Sendable {
  /// The default tenant's API key and secret.
  var key: String
  var secret: Secret<String>
  var mailboxes: FullMailboxes

  /// Meetings `room-0` to `room-<meetings - 1>`, one each minute until now; `tokens` tokens that were made for these
  /// rooms in turn, each with the audit entry of its issue; and as many revocations of others.
  ///
  /// These tables are filled behind the store's back, all at once: through the server it would take minutes, and make
  /// the same rows.
  static func make(
    in folder: String, meetings: Int, tokens: Int, identities: Int, messages: Int
  ) async throws -> FullStore {
    let store = try await SQLiteMeetingStore.open(folder: folder)
    let tenant = try await store.defaultTenant(now: Date())
    guard let secret = try await store.apiKeys(of: tenant.id).first?.secret else { throw BenchFailure("no secret") }
    let mailboxes = try await FullMailboxes.make(in: store, identities: identities, messages: messages)
    await store.close()
    let full = FullStore(key: tenant.apiKey, secret: secret, mailboxes: mailboxes)
    if meetings == 0, tokens == 0 { return full }
    let now = Int(Date().timeIntervalSince1970 * 1_000)
    var database: OpaquePointer?
    guard sqlite3_open(folder + "/" + SQLiteMeetingStore.fileName, &database) == SQLITE_OK else {
      throw BenchFailure("the store cannot be opened")
    }
    defer { sqlite3_close(database) }
    let numbers = { (count: Int) in
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))"
    }
    let sql = """
      BEGIN;
      \(numbers(meetings)) INSERT INTO meetings (id, tenant, room_key, room, kind, subject, summary, access_level, created, used)
        SELECT printf('m_bench%015d', i), '\(tenant.id)', 'room-' || i, 'room-' || i, 'named', 'Meeting ' || i,
          'What the meeting is about', 'Everyone', \(now) - (\(meetings) - i) * 60000, \(now) FROM n;
      \(numbers(tokens)) INSERT INTO tokens (tenant, id, form, room, room_key, role, expires, issued, uses)
        SELECT '\(tenant.id)', printf('issued%014d', i), '\(TokenForm.signed.rawValue)', 'room-' || (i % \(meetings)),
          'room-' || (i % \(meetings)), 'publisher', \(now) + 86400000, \(now) - (\(tokens) - i) * 1000, 0 FROM n;
      \(numbers(tokens)) INSERT INTO revoked_tokens (tenant, id, expires)
        SELECT '\(tenant.id)', printf('revoked%013d', i), \(now) + 86400000 FROM n;
      \(numbers(tokens)) INSERT INTO audit_log (time, actor, tenant, action, target, detail)
        SELECT \(now) - (\(tokens) - i) * 1000, 'admin at 127.0.0.1', '\(tenant.name)', 'token.create',
          printf('issued%014d', i), 'publisher in room-1 for 3600 s' FROM n;
      COMMIT;
      """
    var problem: UnsafeMutablePointer<CChar>?
    guard sqlite3_exec(database, sql, nil, nil, &problem) == SQLITE_OK else {
      throw BenchFailure("the store cannot be filled: \(problem.map { String(cString: $0) } ?? "")")
    }
    return full
  }
}
