extension StoreSchema {
  /// The mark of tenants that are being removed, part by part. Only the removal itself reads their rows.
  static let removal = """
    ALTER TABLE tenants ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX tenants_being_removed ON tenants (id) WHERE removed = 1;
    """
}
