extension StoreSchema {
  /// The second format: vaults (``StoredVault``). Bytes are in base64url. `sealed` is null where the record was
  /// forgotten, or only a credential is prepared. The pepper is in a file of its own.
  static let vaults = """
    CREATE TABLE vaults (
      tenant TEXT NOT NULL, identity TEXT NOT NULL, version INTEGER NOT NULL,
      salt TEXT, memory INTEGER, passes INTEGER, sealed TEXT, seed TEXT, verifier TEXT, pepper TEXT, recovery TEXT,
      next_seed TEXT, next_verifier TEXT, next_pepper TEXT,
      tries INTEGER NOT NULL, locked INTEGER, changed INTEGER NOT NULL,
      PRIMARY KEY (tenant, identity)
    ) STRICT;
    """
}
