/// Why a participant is no longer in the meeting.
public enum LeaveReason: String, Sendable, Hashable, Codable {
  case left, timeout, removed, replaced
}
