public import Basics
public import FoundationEssentials

/// Looking after a store: purging, health, copies.
public protocol StoreMaintenance: Sendable {
  /// Removes expired meetings a week after their end, unused rooms, expired revocations and old entries of the token
  /// usage log. The meetings `running` count as used now. Returns how many rows were removed.
  func purge(now: Date, running: [MeetingID]) async throws(MeetingStoreError) -> Int
  /// Fails deliveries that waited too long, and removes finished ones and old audit entries. Returns how many rows
  /// changed.
  func purgeOperation(now: Date) async throws(MeetingStoreError) -> Int
  /// Throws unless the store can be read and written now.
  func check() async throws(MeetingStoreError)
  /// Writes a copy of everything but running meetings to the new file `target`, without holding up writers. The file is
  /// readable for this user only, because it has the signing keys. `files` are copied into it.
  func backUp(to target: String, with files: CopiedFiles) async throws(MeetingStoreError)
  /// Ends all work and closes the files. Later calls throw ``MeetingStoreError/closed``.
  func close() async
}
