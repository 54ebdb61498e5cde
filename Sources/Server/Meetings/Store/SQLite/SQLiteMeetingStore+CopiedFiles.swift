/// The files that a copy has with it.
extension SQLiteMeetingStore {
  /// Takes the files out of a copy that was opened as a store, and leaves none of them in it. None where it has none,
  /// as copies of before.
  public func takeCopiedFiles() throws(MeetingStoreError) -> CopiedFiles {
    let database = try open()
    var isThere = false
    try database.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'copied_files'") { _ in
      isThere = true
    }
    guard isThere else { return CopiedFiles() }
    var found: [String: String] = [:]
    try database.query("SELECT name, text FROM copied_files") { found[$0.text(0)] = $0.text(1) }
    try database.execute("DROP TABLE copied_files")
    let texts = CopiedFiles.names.compactMap { found[$0] }
    return CopiedFiles(texts: texts.count == CopiedFiles.names.count ? texts : [])
  }
}
