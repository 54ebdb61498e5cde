import FoundationEssentials
import Meetings

/// A schedule as the interfaces show it.
struct ScheduleView: Encodable {
  var uid: String
  var start: String
  var timeZone: String
  var duration: Int
  var rule: String?
  var excluded: [String]
  var moved: [String]
  var organizer: String?
  var attendees: [String]
  var opensBefore: Int
  var early: String
  var closesAfter: Int?
  var sequence: Int
  var cancelled: Bool
  var changed: Date
  /// The occurrence that goes on, or the next; nil when none is left.
  var next: OccurrenceView?

  init(_ schedule: MeetingSchedule, at now: Date) {
    uid = schedule.uid
    start = schedule.start.text
    timeZone = schedule.zone
    duration = schedule.duration
    rule = schedule.rule?.text
    excluded = schedule.excluded.map(\.text)
    moved = schedule.moved.map(\.text)
    organizer = schedule.organizer?.text
    attendees = schedule.attendees.map(\.text)
    opensBefore = schedule.doors.opensBefore
    early = schedule.doors.early.rawValue
    closesAfter = schedule.doors.closesAfter
    sequence = schedule.sequence
    cancelled = schedule.isCancelled
    changed = schedule.changed
    next = (try? schedule.occurrences(from: now, limit: 1))?.first.map(OccurrenceView.init)
  }
}

/// One time at which a meeting takes place.
struct OccurrenceView: Encodable {
  var start: Date
  var end: Date
  /// The start on the clocks of the schedule's zone.
  var local: String
  /// The start that the rule gives, which is what `excluded` and `moved` take; absent where it is the same.
  var movedFrom: String?

  init(_ occurrence: Occurrence) {
    start = occurrence.start
    end = occurrence.end
    local = occurrence.local.text
    movedFrom = occurrence.name == occurrence.local ? nil : occurrence.name.text
  }
}
