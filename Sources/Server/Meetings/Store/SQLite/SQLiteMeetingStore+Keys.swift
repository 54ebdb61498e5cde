public import FoundationEssentials
public import Basics

/// The secrets of API keys.
extension SQLiteMeetingStore {
  /// Every secret of a tenant, the newest first.
  public func apiKeys(of tenant: TenantID) throws(MeetingStoreError) -> [APIKey] {
    var keys: [APIKey] = []
    try open().query(
      "SELECT id, secret, created, expires, retired FROM api_keys WHERE tenant = ? ORDER BY created DESC, rowid DESC",
      [.text(tenant.rawValue)]
    ) { row in
      keys.append(
        APIKey(
          id: row.text(0), tenant: tenant, secret: Secret(row.text(1)), created: row.time(2),
          expires: row.optionalTime(3), retired: row.optionalTime(4)))
    }
    return keys
  }

  /// Makes a further secret.
  public func rotateKey(of tenant: TenantID, others: Date?, now: Date) throws(MeetingStoreError) -> APIKey {
    let database = try open()
    let key = APIKey.make(tenant: tenant, now: now)
    try database.transaction { () throws(MeetingStoreError) in
      let live = try apiKeys(of: tenant).filter { $0.isLive(at: now) }
      guard live.count < APIKey.maximumLive else { throw .tooManyKeys }
      if let others {
        try database.query(
          "UPDATE api_keys SET expires = ?1 WHERE tenant = ?2 AND retired IS NULL AND (expires IS NULL OR expires > ?1)",
          [.time(others), .text(tenant.rawValue)])
      }
      try insert(key, database)
    }
    return key
  }

  /// Takes a secret out of use at once.
  public func retireKey(_ id: String, of tenant: TenantID, now: Date) throws(MeetingStoreError) -> Bool {
    let database = try open()
    try database.query(
      "UPDATE api_keys SET retired = ? WHERE id = ? AND tenant = ? AND retired IS NULL",
      [.time(now), .text(id), .text(tenant.rawValue)])
    return database.changes > 0
  }

  func insert(_ key: APIKey, _ database: SQLiteDatabase) throws(MeetingStoreError) {
    try database.query(
      "INSERT INTO api_keys (id, tenant, secret, created, expires, retired) VALUES (?, ?, ?, ?, ?, ?)",
      [
        .text(key.id), .text(key.tenant.rawValue), .text(key.secret.value), .time(key.created), .time(key.expires),
        .time(key.retired),
      ])
  }
}
