import FoundationEssentials
import Meetings

/// Schedules in the bodies of requests, the same on the public port and in the administration.
extension AdminFields {
  /// The fields of a schedule that the object `name` has; nil when there is no such object.
  mutating func schedule(_ name: String = "schedule") throws(Refusal) -> ScheduleRequest? {
    guard var fields = try object(name) else { return nil }
    var request = ScheduleRequest()
    request.start = try fields.text("start", 16...19)
    request.zone = try fields.text("timeZone", 1...64)
    request.duration = try fields.number("duration", 60...86_400)
    request.rule = try fields.text("rule", 0...400)
    request.excluded = try fields.texts("excluded", most: MeetingSchedule.maximumExceptions, 15...19)
    request.moved = try fields.texts("moved", most: MeetingSchedule.maximumExceptions, 31...39)
    request.organizer = try fields.text("organizer", 0...400)
    request.attendees = try fields.texts("attendees", most: MeetingSchedule.maximumAttendees, 1...400)
    request.opensBefore = try fields.number("opensBefore", 0...86_400)
    let early = try fields.word("early", MeetingSchedule.EntryTimes.Early.allCases.map(\.rawValue))
    request.early = early.flatMap(MeetingSchedule.EntryTimes.Early.init(rawValue:))
    request.closesAfter = try fields.limit("closesAfter", 0...86_400)
    try fields.finish()
    return request
  }
}

extension Refusal {
  /// A schedule that keeps to the API's description and still can't be planned.
  init(_ problem: ScheduleProblem) { self.init(422, problem.code, problem.description) }
}

extension MeetingRecord {
  /// Gives a meeting the schedule that was asked for, or changes the one that it has.
  mutating func plan(_ request: ScheduleRequest, now: Date) throws(Refusal) {
    do throws(ScheduleProblem) {
      if var schedule {
        let (before, end) = (schedule, expires)
        try request.apply(to: &schedule, now: now)
        try plan(schedule)
        // A request that doesn't change the time leaves the end alone, which may have been set on its own.
        if before.isSameTime(as: schedule) { expires = end }
      } else {
        try plan(try request.schedule(now: now))
      }
    } catch {
      throw Refusal(error)
    }
  }

  /// A new title or text is a change that calendars must hear of.
  mutating func retitle(_ subject: String?, _ summary: String?, now: Date) {
    let before = (self.subject, self.summary)
    if let subject { self.subject = subject }
    if let summary { self.summary = summary }
    if before != (self.subject, self.summary) { schedule?.touch(now: now) }
  }

  /// Calls a scheduled meeting off.
  mutating func cancel(now: Date) throws(Refusal) {
    guard var schedule else {
      throw Refusal(409, "notScheduled", "The meeting has no schedule, so it cannot be called off.")
    }
    _ = schedule.cancel(now: now)
    do throws(ScheduleProblem) { try plan(schedule) } catch { throw Refusal(error) }
  }
}
