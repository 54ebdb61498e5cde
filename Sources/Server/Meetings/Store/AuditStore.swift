/// The audit log. An entry is never changed; the oldest are purged (``StoreMaintenance/purgeOperation(now:)``).
public protocol AuditStore: TransactionalStore {
  /// Adds to the log.
  func append(_ entry: AuditEntry) async throws(MeetingStoreError)
  /// A page of the log, the newest first: entries about that tenant before the sequence number `before`.
  func auditLog(tenant: String?, before: Int?, limit: Int) async throws(MeetingStoreError) -> [AuditEntry]
}
