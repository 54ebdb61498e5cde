import Basics
import FoundationEssentials
import Messaging

extension SQLiteMeetingStore {
  public func mailboxes<Answer: Sendable>(
    _ body: @Sendable (any MailboxTransaction) throws -> Answer
  ) throws -> Answer {
    let database = try open()
    return try database.transaction(answering: { try body(SQLiteMailboxTransaction(database: database)) })
  }
}

/// The reads and writes of one transaction of a ``SQLiteMeetingStore``.
struct SQLiteMailboxTransaction: MailboxTransaction {
  let database: SQLiteDatabase

  func attempt<Answer>(_ body: () throws -> Answer) throws -> Answer {
    try database.execute("SAVEPOINT attempt")
    do {
      let answer = try body()
      try database.execute("RELEASE attempt")
      return answer
    } catch {
      // After a full disk SQLite has rolled everything back already, and there is no savepoint any more.
      try? database.execute("ROLLBACK TO attempt; RELEASE attempt")
      throw error
    }
  }

  /// The rows of a query, as values.
  func rows<Value>(
    _ sql: String, _ values: [SQLiteValue] = [], _ read: (SQLiteRow) -> Value?
  ) throws(MeetingStoreError) -> [Value] {
    var found: [Value] = []
    try database.query(sql, values) { row in
      if let value = read(row) { found.append(value) }
    }
    return found
  }

  func run(_ sql: String, _ values: [SQLiteValue] = []) throws(MeetingStoreError) {
    try database.query(sql, values)
  }

  // MARK: Domains

  private static let domainQuery =
    "SELECT domain.id, domain.tenant, tenant.name, domain.settings, domain.created FROM messaging_domains AS domain "
    + "JOIN tenants AS tenant ON tenant.id = domain.tenant"

  private static func domain(_ row: SQLiteRow) -> MessagingDomain? {
    guard let settings = decode(MessagingDomain.Settings.self, row.text(3)) else { return nil }
    return MessagingDomain(
      id: DomainID(row.text(0)), tenant: .init(rawValue: row.text(1)), name: row.text(2), settings: settings,
      created: row.time(4))
  }

  func domain(_ id: DomainID) throws(MeetingStoreError) -> MessagingDomain? {
    try rows("\(Self.domainQuery) WHERE domain.id = ?", [.text(id.text)], Self.domain).first
  }

  func domain(name: String) throws(MeetingStoreError) -> MessagingDomain? {
    try rows("\(Self.domainQuery) WHERE tenant.name = ?", [.text(name)], Self.domain).first
  }

  func domains(after: String, limit: Int) throws(MeetingStoreError) -> [MessagingDomain] {
    try rows(
      "\(Self.domainQuery) WHERE tenant.name > ? ORDER BY tenant.name LIMIT ?", [.text(after), .number(limit)],
      Self.domain)
  }

  func domain(of tenant: TenantID) throws(MeetingStoreError) -> MessagingDomain? {
    try rows("\(Self.domainQuery) WHERE domain.tenant = ?", [.text(tenant.rawValue)], Self.domain).first
  }

  func insert(_ domain: MessagingDomain) throws(MeetingStoreError) {
    try run(
      "INSERT INTO messaging_domains (id, tenant, settings, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [
        .text(domain.id.text), .text(domain.tenant.rawValue), .json(domain.settings), .time(domain.created),
      ])
    if database.changes == 0 { throw .tenantExists(domain.name) }
  }

  func update(_ domain: MessagingDomain) throws(MeetingStoreError) {
    try run(
      "UPDATE messaging_domains SET settings = ? WHERE id = ?", [.json(domain.settings), .text(domain.id.text)])
  }

  private static let usageQuery =
    "SELECT usage.bytes, json_extract(domain.settings, '$.maximumStoredBytes'), "
    + "json_extract(domain.settings, '$.environment') FROM messaging_domains AS domain "
    + "JOIN messaging_usage AS usage ON usage.domain = domain.id"

  private static func usage(_ row: SQLiteRow) -> StorageUsage {
    StorageUsage(
      bytes: Int(clamping: row.integer(0)), maximum: row.isNull(1) ? nil : Int(clamping: row.integer(1)),
      environment: MessagingDomain.Environment(rawValue: row.text(2)) ?? .sandbox)
  }

  func usage(of domain: DomainID) throws(MeetingStoreError) -> StorageUsage {
    let found = try rows("\(Self.usageQuery) WHERE domain.id = ?", [.text(domain.text)], Self.usage).first
    // The domain is gone: nothing is stored in it any more.
    return found ?? StorageUsage(bytes: 0, maximum: 0, environment: .sandbox)
  }

  func usages() throws(MeetingStoreError) -> [StorageUsage] { try rows(Self.usageQuery, [], Self.usage) }

  func storedMessageBytes(of identity: RegID) throws(MeetingStoreError) -> Int {
    try rows("SELECT bytes FROM messaging_identity_usage WHERE identity = ?", [.id(identity)]) {
      Int(clamping: $0.integer(0))
    }.first ?? 0
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }
}

extension SQLiteValue {
  /// A value as JSON text.
  static func json(_ value: (some Encodable)?) -> SQLiteValue {
    guard let value, let json = try? JSONEncoder().encode(value) else { return .null }
    return .text(String(decoding: json, as: UTF8.self))
  }

  static func number(_ number: UInt64) -> SQLiteValue { .integer(Int64(clamping: number)) }

  static func id(_ identity: RegID) -> SQLiteValue { .number(identity.value) }

  static func flag(_ flag: Bool) -> SQLiteValue { .integer(flag ? 1 : 0) }

  static func sealed(_ sealed: Sealed?) -> SQLiteValue { sealed.map { .text($0.text) } ?? .null }
}

extension SQLiteRow {
  func unsigned(_ column: Int32) -> UInt64 { UInt64(clamping: integer(column)) }

  func identity(_ column: Int32) -> RegID { RegID(unsigned(column)) }

  func sealed(_ column: Int32) -> Sealed? { isNull(column) ? nil : Sealed(text(column)) }
}
