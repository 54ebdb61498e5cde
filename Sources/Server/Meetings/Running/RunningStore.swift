public import Basics
public import FoundationEssentials

/// The store of running meetings' state, so that a server finds it again after a kill: the decisions of hosts, and the
/// chat where the meeting keeps it.
///
/// As with ``MeetingStore``, what a method answers survives the end of the process. All of it goes when the meeting
/// ends.
public protocol RunningStore: Sendable {
  /// Writes all of it in this order in one transaction, or nothing: one synchronisation to the disk, however much it
  /// is.
  func apply(_ writes: [RunningWrite], now: Date) async throws(MeetingStoreError)
  /// The stored state of a meeting; nil when there is none.
  func runningMeeting(_ id: MeetingID) async throws(MeetingStoreError) -> RunningMeeting?
  /// Notes that the meetings of this server run still.
  func touchRunning(now: Date) async throws(MeetingStoreError)
  /// The meetings that killed servers left, asked once before this server admits anybody; they belong to this one from
  /// now on. Meetings on other servers that live stay theirs. How long it holds is settled here
  /// (``RunningMeeting/end(seen:schedule:now:)``).
  func orphanedMeetings(now: Date) async throws(MeetingStoreError) -> [OrphanedMeeting]
  /// The events whose beginning webhooks were notified of by killed servers, and whose end they weren't: each once, the
  /// newest first. They are this server's from now on, until it records their end (``StoreTransaction/apply(_:)``).
  func orphanedEvents() async throws(MeetingStoreError) -> [OpenEvent]
  /// Forgets what this server has taken over and holds no more, but for the meetings in `except`, and returns those
  /// that are over. Each is returned again, also by the next server, until ``forgetExpired(_:)``: its end is reported
  /// even if a server is killed.
  func expireOrphans(now: Date, except: [MeetingID]) async throws(MeetingStoreError) -> [ExpiredMeeting]
  /// Everybody who is to hear that these meetings are over does.
  func forgetExpired(_ meetings: [MeetingID]) async throws(MeetingStoreError)
  /// Has what was forgotten or changed overwritten in the files, where older states of it are kept up to then; false
  /// when that does not work just now.
  func overwriteForgotten() async throws(MeetingStoreError) -> Bool
}

/// One thing that is to be kept of a meeting that runs, or to be forgotten.
public struct RunningWrite: Sendable, Hashable {
  public enum Change: Sendable, Hashable {
    /// The meeting runs; nothing else about it is to be written.
    case runs
    /// Something that holds in the meeting, by a name of the server's, in the place of what that was before.
    /// ``RunningMeeting/roomName`` is the one of the room's own name.
    case value(String, of: String)
    /// The setting of that name has no value any more.
    case noValue(of: String)
    /// A chat message, or what it has become.
    case message(JournaledMessage)
    /// The chat messages up to that number are kept no more.
    case forget(through: Int)
    /// The meeting has ended: nothing of it is kept.
    case end
  }

  public var meeting: MeetingID
  /// The tenant of the meeting.
  public var tenant: TenantID
  public var change: Change

  public init(_ change: Change, of meeting: MeetingID, tenant: TenantID) {
    self.change = change
    self.meeting = meeting
    self.tenant = tenant
  }
}

/// A chat message as it is kept.
public struct JournaledMessage: Sendable, Hashable {
  /// Its number in the meeting.
  public var id: Int
  /// The message, as the server writes it.
  public var body: String
  /// The file that hangs on it: the name in ``ChatFileStore``, and its bytes.
  public var file: (id: String, bytes: Int)? {
    get { fileID.map { ($0, fileBytes) } }
    set { (fileID, fileBytes) = (newValue?.id, newValue?.bytes ?? 0) }
  }
  private var fileID: String?
  private var fileBytes = 0

  public init(id: Int, body: String, file: (id: String, bytes: Int)? = nil) {
    self.id = id
    self.body = body
    self.file = file
  }
}

/// The journal of a meeting that runs, or ran when its server was killed.
public struct RunningMeeting: Sendable, Hashable {
  /// The values in force, by the server's names for them.
  public var values: [String: String]
  /// The chat, in the order of its numbers.
  public var messages: [JournaledMessage]

  public init(values: [String: String], messages: [JournaledMessage]) {
    self.values = values
    self.messages = messages
  }

  /// The key for the room's name as people write it, so that its end can be reported when the meeting itself is gone.
  public static let roomName = "room"
  /// How long what a killed server has left holds after the next start, in seconds: time to come back, and no longer.
  /// Somebody who finds a lock that nobody is there to open must not wait for ever.
  public static let held: TimeInterval = 600
  /// How long a server may be away without everybody having given up the meeting, in seconds.
  public static let away: TimeInterval = 3_600
  /// How often a server notes which meetings run, in seconds.
  public static let noted: TimeInterval = 300

  /// Until when the state of a meeting holds whose server was killed: it ran at `seen`, by `schedule` if it was
  /// planned, and the server starts at `now`. An occurrence that was going on lasts as long as it was planned, or was
  /// open afterwards.
  public static func end(seen: Date, schedule: MeetingSchedule?, now: Date) -> Date {
    var end = now.timeIntervalSince(seen) <= away + noted ? now + held : seen
    if let schedule, case .open(let occurrence)? = try? schedule.phase(at: seen) {
      end = max(end, occurrence.end + Double(schedule.doors.closesAfter ?? 0))
    }
    return end
  }
}

/// An orphaned meeting to which nobody has come back in time.
public struct ExpiredMeeting: Sendable, Hashable {
  public var meeting: MeetingID
  public var tenant: TenantID
  /// The room's name as people write it.
  public var room: String

  /// A meeting that is over.
  public init(meeting: MeetingID, tenant: TenantID, room: String) {
    self.meeting = meeting
    self.tenant = tenant
    self.room = room
  }
}

/// An orphaned meeting: it ran when its server was killed.
public struct OrphanedMeeting: Sendable, Hashable {
  public var meeting: MeetingID
  /// The files of its chat.
  public var files: [File]

  public init(meeting: MeetingID, files: [File]) {
    self.meeting = meeting
    self.files = files
  }

  /// A file of a chat.
  public struct File: Sendable, Hashable {
    /// Its name in ``ChatFileStore``.
    public var id: String
    public var tenant: TenantID
    public var bytes: Int
  }
}
