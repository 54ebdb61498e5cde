public import Basics
public import FoundationEssentials

/// Something that webhooks are told has begun: somebody is in, sends a track, or waits to be let in. It is kept until
/// its end is told, so that the end is told also when the server is killed between the two: by the next one, which
/// finds it (``RunningStore/leftBeginnings()``).
public struct Beginning: Sendable, Hashable {
  public var meeting: MeetingID
  /// The tenant of the meeting.
  public var tenant: TenantID
  /// The room's name as people write it.
  public var room: String
  /// What has begun: one name in the meeting, which its end has as well.
  public var subject: String
  /// What is needed to tell the end, as the server writes it.
  public var body: String
  /// Up to when it is known to have gone on: its beginning, or when the meeting was last noted to run
  /// (``RunningMeeting/noted``).
  public var seen: Date

  /// Something that has begun at `seen`.
  public init(meeting: MeetingID, tenant: TenantID, room: String, subject: String, body: String, seen: Date) {
    self.meeting = meeting
    self.tenant = tenant
    self.room = room
    self.subject = subject
    self.body = body
    self.seen = seen
  }
}

/// What becomes of what webhooks were told has begun.
public enum BeginningChange: Sendable, Hashable {
  case begins(Beginning)
  /// What has that name in a meeting has ended.
  case ends(MeetingID, subject: String)
  /// The meeting has ended, and all in it.
  case allEnd(MeetingID)
}
