public import Basics

/// The list of tokens.
extension SQLiteMeetingStore {
  /// Adds tokens to the usage log, or updates those that it has.
  public func record(_ tokens: [TokenRecord]) throws(MeetingStoreError) {
    let database = try open()
    try database.transaction { () throws(MeetingStoreError) in
      for token in tokens {
        let key = Self.key(of: token.room)
        try database.query(
          "INSERT INTO tokens (tenant, id, form, room, room_key, name, user, role, expires, issued, used, uses) "
            + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, id) DO UPDATE SET "
            + "room = excluded.room, room_key = excluded.room_key, name = coalesce(excluded.name, name), "
            + "user = coalesce(excluded.user, user), issued = coalesce(issued, excluded.issued), "
            + "used = coalesce(excluded.used, used), uses = uses + excluded.uses",
          [
            .text(token.tenant.rawValue), .text(token.id.rawValue), .text(token.form.rawValue), .text(token.room),
            .text(key), token.name.map { .text($0) } ?? .null, token.user.map { .text($0) } ?? .null,
            .text(token.role.rawValue), .time(token.expires), .time(token.issued), .time(token.used),
            .number(token.uses),
          ])
      }
    }
  }

  /// The key of a room: that of a name, or `*` and the like as it is.
  private static func key(of room: String) -> String { (try? RoomName(room))?.key ?? room }

  /// The statement that lists tokens. Each combination of filters has its own, since only so SQLite reads just what is
  /// asked for, in an index: `?1` the place before which they stand, `?2` how many, then the tenant and the room, as
  /// far as they are asked for.
  static func tokenList(ofTenant: Bool, ofRoom: Bool) -> String {
    let tenant = ofTenant ? "tenant = ?3 AND " : ""
    let room = ofRoom ? "room_key = ?\(ofTenant ? 4 : 3) AND " : ""
    return "SELECT sequence, tenant, id, form, room, name, user, role, expires, issued, used, uses, "
      + "EXISTS (SELECT 1 FROM revoked_tokens r WHERE r.tenant = tokens.tenant AND r.id = tokens.id) FROM tokens "
      + "WHERE \(hasTenant) AND \(tenant)\(room)sequence < ?1 ORDER BY sequence DESC LIMIT ?2"
  }

  /// The tokens that were made here or seen, the newest first.
  public func tokens(
    tenant: TenantID?, room: String?, before: Int?, limit: Int
  ) throws(MeetingStoreError) -> [TokenRecord] {
    var found: [TokenRecord] = []
    var values: [SQLiteValue] = [.number(before ?? .max), .number(limit)]
    if let tenant { values.append(.text(tenant.rawValue)) }
    if let room { values.append(.text(Self.key(of: room))) }
    try open().query(Self.tokenList(ofTenant: tenant != nil, ofRoom: room != nil), values) { row in
      found.append(
        TokenRecord(
          sequence: Int(row.integer(0)), tenant: TenantID(rawValue: row.text(1)), id: TokenID(rawValue: row.text(2)),
          form: TokenForm(rawValue: row.text(3)) ?? .parley, room: row.text(4), name: row.isNull(5) ? nil : row.text(5),
          user: row.isNull(6) ? nil : row.text(6), role: Role(name: row.text(7)) ?? .subscriber, expires: row.time(8),
          issued: row.optionalTime(9), used: row.optionalTime(10), uses: Int(row.integer(11)),
          isRevoked: row.integer(12) != 0))
    }
    return found
  }
}
