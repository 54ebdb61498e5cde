public import Basics
public import FoundationEssentials

/// Meetings, their schedules and personal rooms.
public protocol MeetingRecordStore: TransactionalStore {
  /// The meeting of a room name; made by the tenant's policy if necessary. An expired one is returned as it is.
  func openMeeting(room: RoomName, tenant: Tenant, now: Date) async throws(MeetingStoreError) -> MeetingRecord
  func meeting(id: MeetingID) async throws(MeetingStoreError) -> MeetingRecord?
  func meeting(room: RoomName, tenant: TenantID) async throws(MeetingStoreError) -> MeetingRecord?
  /// A page of all meetings or of one tenant's, the newest first: those after a position.
  func meetings(
    tenant: TenantID?, after: MeetingCursor?, limit: Int
  ) async throws(MeetingStoreError) -> [MeetingRecord]
  func personalRoom(of owner: String, tenant: TenantID) async throws(MeetingStoreError) -> MeetingRecord?
  /// A page of personal rooms by owner: those of owners after `after`.
  func personalRooms(
    tenant: TenantID?, after: String?, limit: Int
  ) async throws(MeetingStoreError) -> [MeetingRecord]
  /// Throws ``MeetingStoreError/tooManyMeetings(_:)`` where the tenant of a new meeting is at its limit.
  func requireCapacity(for meeting: MeetingRecord) async throws(MeetingStoreError)
  /// The limit of stored meetings for tenants without one of their own; nil for no limit.
  func setDefaultLimit(storedMeetings: Int?) async
  /// Records a join, so that the meeting isn't purged as unused.
  func markUsed(_ id: MeetingID, now: Date) async throws(MeetingStoreError)
  /// Decides whether a meeting is encrypted, unless it is decided already; returns what holds. Counts as no change of
  /// the record. A meeting that isn't kept any more is as asked for.
  func decideEncryption(of id: MeetingID, _ isEncrypted: Bool) async throws(MeetingStoreError) -> Bool
}
