import Basics
import Crypto
import FoundationEssentials

/// The table of vaults.
extension SQLiteMeetingStore {
  /// The vault of an owner; nil when there never was one.
  public func vault(of owner: VaultOwner) throws(MeetingStoreError) -> StoredVault? {
    var found: StoredVault?
    try open().query(
      """
      SELECT version, salt, memory, passes, sealed, seed, verifier, pepper, recovery, next_seed, next_verifier,
        next_pepper, tries, locked, changed FROM vaults WHERE tenant = ? AND identity = ?
      """, [.text(owner.tenant.rawValue), .text(owner.identity)]
    ) { row in
      var vault = StoredVault(owner: owner, changed: row.time(14))
      vault.version = Int(clamping: row.integer(0))
      if let credential = row.credential(5),
        let record = VaultRecord(
          version: vault.version, salt: row.bytes(1), memory: Int(clamping: row.integer(2)),
          passes: Int(clamping: row.integer(3)), sealed: row.bytes(4))
      {
        vault.current = StoredVault.Current(
          record: record, credential: credential, recovery: row.isNull(8) ? nil : row.bytes(8))
      }
      vault.pending = row.credential(9)
      vault.tries = Int(clamping: row.integer(12))
      vault.lockedUntil = row.optionalTime(13)
      found = vault
    }
    return found
  }

  /// How many owners have a record.
  public func vaultCount() throws(MeetingStoreError) -> Int {
    var count = 0
    try open().query("SELECT count(*) FROM vaults WHERE sealed IS NOT NULL") { count = Int(clamping: $0.integer(0)) }
    return count
  }

  func set(_ vault: StoredVault) throws(MeetingStoreError) {
    let record = vault.current?.record
    let credential = vault.current?.credential
    try open().query(
      """
      INSERT OR REPLACE INTO vaults (tenant, identity, version, salt, memory, passes, sealed, seed, verifier, pepper,
        recovery, next_seed, next_verifier, next_pepper, tries, locked, changed)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(vault.owner.tenant.rawValue), .text(vault.owner.identity), .number(vault.version), .bytes(record?.salt),
        .number(record?.memory), .number(record?.passes), .bytes(record?.sealed), .bytes(credential?.seed),
        .bytes(credential?.verifier), credential.map { .text($0.pepper) } ?? .null, .bytes(vault.current?.recovery),
        .bytes(vault.pending?.seed), .bytes(vault.pending?.verifier), vault.pending.map { .text($0.pepper) } ?? .null,
        .number(vault.tries), .time(vault.lockedUntil), .time(vault.changed),
      ])
  }

  func removeVault(of owner: VaultOwner) throws(MeetingStoreError) -> Bool {
    let database = try open()
    try database.query(
      "DELETE FROM vaults WHERE tenant = ? AND identity = ?", [.text(owner.tenant.rawValue), .text(owner.identity)])
    return database.changes > 0
  }
}

extension SQLiteValue {
  /// Bytes, or nothing.
  fileprivate static func bytes(_ bytes: [UInt8]?) -> SQLiteValue {
    bytes.map { .text(Base64URL.encode($0)) } ?? .null
  }
}

extension SQLiteRow {
  fileprivate func bytes(_ column: Int32) -> [UInt8] { isNull(column) ? [] : Base64URL.decode(text(column)) ?? [] }

  /// The credential in this column and the two after it.
  fileprivate func credential(_ column: Int32) -> StoredVault.Credential? {
    guard !isNull(column) else { return nil }
    return StoredVault.Credential(seed: bytes(column), verifier: bytes(column + 1), pepper: text(column + 2))
  }
}
