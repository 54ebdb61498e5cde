import FoundationEssentials
import Messaging

extension SQLiteMailboxTransaction {
  private static let identityColumns = "id, domain, user, pin, keys, last_event, purged, key_changes, key_hour"

  private static func identity(_ row: SQLiteRow) -> MessagingIdentity {
    var identity = MessagingIdentity(
      regId: row.identity(0), domain: DomainID(row.text(1)), userId: row.text(2), pin: row.text(3),
      keys: row.isNull(4) ? nil : decode(PublicKeys.self, row.text(4)), lastEvent: row.unsigned(5),
      purged: row.unsigned(6))
    identity.keyChanges = Int(clamping: row.integer(7))
    identity.keyHour = row.integer(8)
    return identity
  }

  func identity(_ regId: RegID) throws(MeetingStoreError) -> MessagingIdentity? {
    try rows(
      "SELECT \(Self.identityColumns) FROM messaging_identities WHERE id = ?", [.id(regId)], Self.identity
    ).first
  }

  func identity(user: String, of domain: DomainID) throws(MeetingStoreError) -> MessagingIdentity? {
    try rows(
      "SELECT \(Self.identityColumns) FROM messaging_identities WHERE domain = ? AND user = ?",
      [.text(domain.text), .text(user)], Self.identity
    ).first
  }

  func identities(of domain: DomainID, after: String, limit: Int) throws(MeetingStoreError) -> [MessagingIdentity] {
    try rows(
      "SELECT \(Self.identityColumns) FROM messaging_identities WHERE domain = ? AND user > ? ORDER BY user LIMIT ?",
      [.text(domain.text), .text(after), .number(limit)], Self.identity)
  }

  func identityCount() throws(MeetingStoreError) -> Int {
    try rows("SELECT count(*) FROM messaging_identities") { Int(clamping: $0.integer(0)) }.first ?? 0
  }

  func hasPIN(_ pin: String, in domain: DomainID) throws(MeetingStoreError) -> Bool {
    try !rows(
      "SELECT 1 FROM messaging_identities WHERE domain = ? AND pin = ?", [.text(domain.text), .text(pin)]
    ) { _ in true }.isEmpty
  }

  func insert(_ identity: MessagingIdentity, now: Date) throws(MeetingStoreError) {
    try run(
      "INSERT INTO messaging_identities (id, domain, user, pin, created) VALUES (?, ?, ?, ?, ?)",
      [.id(identity.regId), .text(identity.domain.text), .text(identity.userId), .text(identity.pin), .time(now)])
  }

  func setKeys(_ keys: PublicKeys, of identity: RegID, changes: Int, hour: Int64) throws(MeetingStoreError) {
    try run(
      "UPDATE messaging_identities SET keys = ?, key_changes = ?, key_hour = ? WHERE id = ?",
      [.json(keys), .number(changes), .integer(hour), .id(identity)])
  }

  func keyRecord(of user: String, in domain: DomainID) throws(MeetingStoreError) -> String? {
    try rows(
      "SELECT record FROM messaging_key_records WHERE domain = ? AND user = ?", [.text(domain.text), .text(user)]
    ) { $0.text(0) }.first
  }

  func put(
    keyRecord json: String, ifStill known: String?, of user: String, in domain: DomainID
  ) throws(MeetingStoreError) -> Bool {
    if let known {
      try run(
        "UPDATE messaging_key_records SET record = ? WHERE domain = ? AND user = ? AND record = ?",
        [.text(json), .text(domain.text), .text(user), .text(known)])
    } else {
      try run(
        "INSERT OR IGNORE INTO messaging_key_records (domain, user, record) VALUES (?, ?, ?)",
        [.text(domain.text), .text(user), .text(json)])
    }
    return database.changes > 0
  }

  private static let endpointColumns =
    "id, identity, secret, description, nickname, persistent, acknowledged, token_expires, created, seen"

  private static func endpoint(_ row: SQLiteRow) -> MessagingEndpoint {
    MessagingEndpoint(
      id: EndpointID(row.text(0)), regId: row.identity(1), secretHash: row.text(2), description: row.text(3),
      nickname: row.text(4), isPersistent: row.integer(5) == 1, acknowledged: row.unsigned(6),
      tokenExpires: row.time(7), created: row.time(8), lastSeen: row.time(9))
  }

  func endpoint(_ id: EndpointID) throws(MeetingStoreError) -> MessagingEndpoint? {
    try rows(
      "SELECT \(Self.endpointColumns) FROM messaging_endpoints WHERE id = ?", [.text(id.text)], Self.endpoint
    ).first
  }

  func endpoints(of identity: RegID) throws(MeetingStoreError) -> [MessagingEndpoint] {
    try rows(
      "SELECT \(Self.endpointColumns) FROM messaging_endpoints WHERE identity = ? ORDER BY created, id",
      [.id(identity)], Self.endpoint)
  }

  func put(_ endpoint: MessagingEndpoint) throws(MeetingStoreError) {
    try run(
      "INSERT OR REPLACE INTO messaging_endpoints (\(Self.endpointColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .text(endpoint.id.text), .id(endpoint.regId), .text(endpoint.secretHash), .text(endpoint.description),
        .text(endpoint.nickname), .flag(endpoint.isPersistent), .number(endpoint.acknowledged),
        .time(endpoint.tokenExpires), .time(endpoint.created), .time(endpoint.lastSeen),
      ])
  }

  func remove(endpoint: EndpointID) throws(MeetingStoreError) {
    try run("DELETE FROM messaging_endpoints WHERE id = ?", [.text(endpoint.text)])
  }

  func purgeEndpoints(before: Date) throws(MeetingStoreError) -> [EndpointID] {
    let gone = try rows(
      "SELECT id FROM messaging_endpoints WHERE persistent = 0 AND token_expires < ?", [.time(before)]
    ) { EndpointID($0.text(0)) }
    for id in gone { try remove(endpoint: id) }
    return gone
  }
}
