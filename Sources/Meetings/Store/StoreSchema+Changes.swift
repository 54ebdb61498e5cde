extension StoreSchema {
  /// Meetings count their changes, so that a room that runs knows which of two records is the newer one; tenants say what becomes of people
  /// whose tokens end.
  static let changes = """
    ALTER TABLE meetings ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tenants ADD COLUMN token_expiry TEXT;
    """
}
