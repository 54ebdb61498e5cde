import Basics
import FoundationEssentials
import Meetings
import Signaling

/// Something that happened in a meeting, for webhooks, the audit log and the admin interface.
struct RoomEvent: Sendable {
  enum Kind: Sendable {
    case meetingStarted
    case meetingEnded(reason: String)
    case participantJoined(Person)
    case participantLeft(Person, reason: String)
    case publicationAdded(Person, PublicationInfo)
    case publicationRemoved(Person, PublicationInfo)
    /// A step of somebody in the lobby.
    case lobby(LobbyStep, Person)
    /// A file in the chat that everybody sees.
    case chatFile(Person, ChatFile)
    /// Somebody could not join, or something failed: a stable code and a sentence.
    case error(code: String, message: String)
    /// An audited action on somebody, such as `mute`, `remove` or `end`. The detail is the role that was given, or the
    /// sources that were muted.
    case rightUsed(by: Person, action: String, target: String, detail: String = "")
    /// Connections are judged differently now; only the administration reads it.
    case quality([String: ConnectionQuality])
  }

  /// The step of somebody in the lobby.
  enum LobbyStep: Sendable {
    case knocked
    case admitted
    case denied
    /// They went away, or waited for as long as one may.
    case left
  }

  /// A participant at that moment, or who wants to be one.
  struct Person: Sendable, Hashable, Codable {
    var id: String
    var name: String
    var role: String
  }

  var meeting: MeetingID
  var tenant: TenantID
  /// The room's name as people write it.
  var room: String
  var time: Date
  var kind: Kind
  /// When something that a killed server couldn't end was last known to go on; nil for a normal end.
  var lastSeen: Date?
  /// Whether nobody with a credential has made the meeting.
  var isAnonymous = false

  /// Something that happened just now in the meeting of `record`.
  init(_ kind: Kind, in record: MeetingRecord, at time: Date = Date()) {
    meeting = record.id
    tenant = record.tenant
    room = record.room.display
    isAnonymous = record.isAnonymous
    self.time = time
    self.kind = kind
  }

  /// Something that happened just now to a meeting that a killed server has left.
  init(_ kind: Kind, to over: ExpiredMeeting, at time: Date = Date()) {
    meeting = over.meeting
    tenant = over.tenant
    room = over.room
    self.time = time
    self.kind = kind
  }
}
