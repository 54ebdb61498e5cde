import FoundationEssentials
import Meetings

/// The rules of a meeting for admission and chat, as the public interface shows them.
struct MeetingRulesView: Encodable {
  var accessLevel: String
  var passcode: Bool
  var waitForHost: Bool
  var announce: Bool
  var lobbySeconds: Int?
  var chat: ChatView
  /// Absent while it is not decided.
  var encrypted: Bool?
  var expires: Date?

  init(_ record: MeetingRecord) {
    accessLevel = record.accessLevel.rawValue
    passcode = record.passcode != nil
    waitForHost = record.lobby.waitsForHost
    announce = record.lobby.announces
    lobbySeconds = record.lobby.timeout.map { Int($0.seconds) }
    chat = ChatView(record.chat)
    encrypted = record.isEncrypted
    expires = record.expires
  }
}

/// A planned meeting as the public interface shows it.
struct PlannedMeetingView: Encodable {
  var room: String
  var subject: String
  var summary: String
  var address: String
  var calendar: String
  var schedule: ScheduleView?
  /// For who runs the meeting.
  var rules: MeetingRulesView?
  /// Only in the answer that makes it: the join token of who runs the meeting.
  var hostToken: String?

  /// E-mail addresses are for who runs the meeting.
  init(_ record: MeetingRecord, tenant: Tenant, base: WebOrigin, forHosts: Bool, at now: Date) {
    room = record.room.display
    subject = record.subject
    summary = record.summary
    address = MeetingAddresses(base: base, meeting: record, tenant: tenant).join
    calendar = MeetingAddresses(base: base, meeting: record, tenant: tenant).calendar
    schedule = record.schedule.map { ScheduleView($0, at: now) }
    if forHosts {
      rules = MeetingRulesView(record)
    } else {
      schedule?.organizer = nil
      schedule?.attendees = []
    }
  }
}
