extension StoreSchema {
  /// The tokens of one tenant, and of one room of whichever tenant, page by page.
  static let lists = """
    CREATE INDEX tokens_by_tenant ON tokens (tenant, sequence);
    CREATE INDEX tokens_by_place ON tokens (room_key, sequence);
    """
}
