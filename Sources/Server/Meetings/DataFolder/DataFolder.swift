public import FoundationEssentials

/// A server's data folder as a command of the same machine works on it, also while a server runs on it.
///
/// Every change is one transaction with the audit entry that comes with it.
///
/// ```swift
/// let folder = try await DataFolder.open("data")
/// for tenant in try await folder.tenants() { print(tenant.name) }
/// await folder.close()
/// ```
public struct DataFolder: Sendable {
  public let path: String
  /// The moment of the command: one for all that it does.
  public let now = Date.kept
  let store: SQLiteMeetingStore

  /// Whether the folder was used by a server or a command before.
  public static func isUsed(_ path: String) -> Bool { SQLiteMeetingStore.exists(folder: path) }

  /// Opens the folder, creates it if necessary, and brings its format up to date.
  public static func open(_ path: String) async throws(MeetingStoreError) -> DataFolder {
    DataFolder(path: path, store: try await SQLiteMeetingStore.open(folder: path))
  }

  private init(path: String, store: SQLiteMeetingStore) {
    self.path = path
    self.store = store
  }

  /// Ends all work and closes the files.
  public func close() async { await store.close() }

  /// Signs and inspects the join tokens of the folder's tenants.
  public var authority: JoinAuthority { JoinAuthority(store: store) }

  // MARK: Audit log

  /// Adds to the log: for rights that change nothing in the folder.
  public func append(_ entry: AuditEntry) async throws(MeetingStoreError) { try await store.append(entry) }

  /// The log, the newest first, or the entries about one tenant.
  public func auditLog(tenant: String?, limit: Int) async throws(MeetingStoreError) -> [AuditEntry] {
    try await store.auditLog(tenant: tenant, before: nil, limit: limit)
  }

  /// Runs `change` and appends `entry`, as one transaction. A change that comes to nil leaves no entry.
  func commit<Answer: Sendable>(
    _ entry: AuditEntry, _ change: @Sendable (any StoreTransaction) throws -> Answer?
  ) async throws -> Answer? {
    try await store.transaction { transaction in
      let answer = try change(transaction)
      if answer != nil { try transaction.append(entry) }
      return answer
    }
  }
}
