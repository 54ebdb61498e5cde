import Basics
import FoundationEssentials
import Meetings

/// A change of a meeting, the same on the public port and in the admin interface. Fields that are left out stay as they
/// are.
struct MeetingChange: Sendable {
  private let subject: String?
  private let summary: String?
  private let schedule: ScheduleRequest?
  private let accessLevel: AccessLevel?
  private let waitsForHost: Bool?
  private let announces: Bool?
  private let timeout: Int??
  private let passcode: String??
  private let chat: AdminFields
  /// Made of ``passcode`` before the meeting is changed: hashing is slow on purpose.
  private var hash: PasscodeHash??

  /// Reads the fields of a change.
  init(_ fields: inout AdminFields) throws(Refusal) {
    subject = try fields.text("subject", 1...MeetingRecord.maximumSubject)
    summary = try fields.text("summary", 0...MeetingRecord.maximumSummary)
    schedule = try fields.schedule()
    accessLevel = try fields.word("accessLevel", AccessLevel.allCases.map(\.rawValue)).flatMap(
      AccessLevel.init(rawValue:))
    waitsForHost = try fields.truth("waitForHost")
    announces = try fields.truth("announce")
    timeout = try fields.limit("lobbySeconds", 1...86_400)
    passcode = try fields.removable("passcode", PasscodeHash.length)
    chat = fields
    _ = try AdminAPI.chat(over: ChatPolicy(), &fields)
  }

  /// Hashes the passcode that somebody at `address` asks for, in turn with all others.
  mutating func prepare(_ passcodes: PasscodeGuard, from address: IPAddress) async throws(Refusal) {
    guard let passcode else { return }
    guard let passcode else { return hash = .some(nil) }
    hash = .some(try await passcodes.hash(passcode, from: address))
  }

  /// Changes a meeting as asked for.
  func apply(to meeting: inout MeetingRecord, now: Date) throws(Refusal) {
    meeting.retitle(subject, summary, now: now)
    if let schedule { try meeting.plan(schedule, now: now) }
    if let accessLevel { meeting.accessLevel = accessLevel }
    meeting.lobby = LobbySettings(
      waitsForHost: waitsForHost ?? meeting.lobby.waitsForHost, announces: announces ?? meeting.lobby.announces,
      timeout: timeout.map { $0.map { .seconds(Int64($0)) } } ?? meeting.lobby.timeout)
    if let hash { meeting.passcode = hash }
    var chat = chat
    meeting.chat = try AdminAPI.chat(over: meeting.chat, &chat)
  }
}
