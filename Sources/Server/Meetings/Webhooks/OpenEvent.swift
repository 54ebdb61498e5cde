public import Basics
public import FoundationEssentials

/// An event whose beginning webhooks were notified of, and its end not yet: somebody is in, sends a track, or waits to
/// be let in. It is kept until its end is notified, also when the server is killed between the two: the next one finds
/// it (``RunningStore/orphanedEvents()``).
public struct OpenEvent: Sendable, Hashable {
  public var meeting: MeetingID
  public var tenant: TenantID
  /// The room's name as people write it.
  public var room: String
  /// The name of it in the meeting, which its end has as well.
  public var subject: String
  /// The data for notifying its end, as the server writes it.
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

/// Changes of the open events that webhooks were notified of.
public enum OpenEventChange: Sendable, Hashable {
  case begins(OpenEvent)
  /// The one of that name in a meeting has ended.
  case ends(MeetingID, subject: String)
  /// The meeting has ended, and all in it.
  case allEnd(MeetingID)
}
