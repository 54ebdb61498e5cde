/// Everything a server persists, as one store: ``MeetingStores/open(folder:)`` opens it.
///
/// Each role has a protocol of its own, and a type asks for the roles that it uses. A second implementation conforms to
/// all of them (`docs/changing.md`).
///
/// Every method may be called from any task. Its writes are durable when it returns, so an answered request survives
/// the sudden end of the process.
public protocol MeetingStore: MeetingRecordStore, TenantStore, TokenStore, AuditStore, WebhookStore, RunningStore,
  VaultStore, MailboxStore, StoreMaintenance
{}

/// The roles that admitting a participant needs.
public typealias AdmissionStore = MeetingRecordStore & TenantStore & TokenStore

/// Opens a server's store, and so chooses its implementation. ``DataFolder`` and ``DataCopy``, which work on the file,
/// open ``SQLiteMeetingStore`` themselves.
public enum MeetingStores {
  /// Opens the store in `folder`, creates the folder if necessary, and brings the format up to date.
  public static func open(folder: String) async throws(MeetingStoreError) -> any MeetingStore {
    try await SQLiteMeetingStore.open(folder: folder)
  }

  /// Whether `folder` has a store.
  public static func exists(folder: String) -> Bool { SQLiteMeetingStore.exists(folder: folder) }
}
