public import Basics
/// Meetings and personal rooms.
extension DataFolder {
  /// The meetings of all tenants or of one, the newest first.
  public func meetings(of tenant: Tenant?, limit: Int) async throws(MeetingStoreError) -> [MeetingRecord] {
    try await store.meetings(tenant: tenant?.id, after: nil, limit: limit)
  }

  /// The meeting of that id.
  public func meeting(_ id: MeetingID) async throws(MeetingStoreError) -> MeetingRecord? {
    try await store.meeting(id: id)
  }

  /// The meeting whose id is `word`, of whichever tenant, or else the one in the room `word` of `tenant`.
  public func meeting(
    named word: String, of tenant: Tenant
  ) async throws(MeetingStoreError) -> (MeetingRecord, Tenant)? {
    if let found = try await store.meeting(id: MeetingID(rawValue: word)) {
      // Nil when the tenant was removed in between.
      return try await store.tenant(id: found.tenant).map { (found, $0) }
    }
    guard let room = try? RoomName(word) else { return nil }
    return try await store.meeting(room: room, tenant: tenant.id).map { ($0, tenant) }
  }

  /// The personal rooms of a tenant, by owner.
  public func personalRooms(of tenant: Tenant, limit: Int) async throws(MeetingStoreError) -> [MeetingRecord] {
    try await store.personalRooms(tenant: tenant.id, after: nil, limit: limit)
  }

  public func personalRoom(of owner: String, _ tenant: Tenant) async throws(MeetingStoreError) -> MeetingRecord? {
    try await store.personalRoom(of: owner, tenant: tenant.id)
  }

  /// Inserts a new meeting.
  public func create(_ meeting: MeetingRecord, _ entry: AuditEntry) async throws {
    _ = try await commit(entry) { try $0.insert(meeting) }
  }

  /// Changes a meeting as it is at that moment. Nil when it was removed.
  public func change(
    _ meeting: MeetingRecord, _ entry: AuditEntry, by body: @Sendable (inout MeetingRecord) throws -> Void
  ) async throws -> MeetingRecord? {
    try await commit(entry) { try $0.change(meeting.id, by: body) }
  }

  /// Removes a meeting; false when it was removed before.
  public func remove(_ meeting: MeetingRecord, _ entry: AuditEntry) async throws -> Bool {
    try await commit(entry) { try $0.removeMeeting(meeting.id) ? true : nil } ?? false
  }
}
