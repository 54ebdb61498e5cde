import Basics
import Meetings
import Signaling

/// How a room takes over an orphaned meeting.
extension MeetingRoom {
  /// The state of an orphaned meeting; nil when there is none, or somebody has come back to it.
  private static func orphan(
    of meeting: MeetingID, in journal: RoomJournalWriter
  ) async throws(Refusal) -> (RunningMeeting, files: MeetingID?)? {
    if !journal.isTakenOver, !(await journal.takenOver()) {
      throw .unavailable("what was left of meetings cannot be read")
    }
    guard journal.isOrphaned(meeting) else { return nil }
    do throws(MeetingStoreError) {
      return try await journal.orphan(of: meeting)
    } catch {
      // Refuses everybody: without the state, a participant could enter past a lock.
      throw .unavailable(error.description)
    }
  }

  /// The role overrides of an orphaned meeting; nil when a killed server left none.
  static func decisions(
    ofOrphan meeting: MeetingID, in journal: RoomJournalWriter?
  ) async throws(Refusal) -> RoleOverrides? {
    guard let journal, let (left, _) = try await orphan(of: meeting, in: journal) else { return nil }
    return left.values[RoomJournal.stateName].flatMap { RoomJournal.value(RoomSnapshot.self, $0) }?.decisions
  }

  /// Takes over the state of an orphaned meeting. Every join request waits for that.
  func restore() async throws(Refusal) {
    guard let running = dependencies.running, !machine.journal.isRestored else { return }
    let found = try await Self.orphan(of: identity.id, in: running)
    guard let (left, files) = found, !machine.journal.isRestored, !machine.isClosed else { return }
    if let files { filesKey = files }
    update { $0.restore(left) }
  }

  /// A grant with its holder's present rights by all decisions of hosts; see ``MeetingDirectory/present(_:for:)``.
  func present(_ grant: JoinGrant, for use: PermissionContext) async throws(Refusal) -> JoinGrant {
    try await restore()
    return try update { machine throws(Refusal) in try machine.present(grant, for: use) }
  }
}
