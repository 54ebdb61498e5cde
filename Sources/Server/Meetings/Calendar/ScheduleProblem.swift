/// The error in a requested schedule. Each says what is expected.
public enum ScheduleProblem: Error, Sendable, Hashable {
  /// The system knows no time zone of that name.
  case timeZone(String)
  /// A part of a recurrence rule is not understood: what is expected.
  case rule(String)
  /// The start is not one of the days that the rule gives.
  case startNotInRule
  /// The start is missing, or no date and time.
  case startText
  /// The start is too far ahead, or too long ago.
  case start
  /// The end of the series is before its start, or too far ahead.
  case end
  /// The length is out of bounds.
  case duration
  /// An exception is not the start of an occurrence.
  case exception(String)
  /// A moved occurrence is not two times, or was moved too far.
  case move(String)
  /// No occurrence is left.
  case nothingLeft
  /// Too many exceptions or invited people.
  case tooMany(String)
  /// An address of a person isn't an e-mail address.
  case address(String)

  public var code: String {
    switch self {
    case .timeZone: "badTimeZone"
    case .rule: "badRule"
    case .startNotInRule, .start, .startText: "badStart"
    case .end: "badEnd"
    case .duration: "badDuration"
    case .exception, .move, .nothingLeft: "badException"
    case .tooMany: "tooMany"
    case .address: "badAddress"
    }
  }
}

extension ScheduleProblem: CustomStringConvertible {
  /// The error and the expected form, as a sentence.
  public var description: String {
    switch self {
    case .timeZone(let name):
      "The time zone \"\(name.prefix(64))\" is not known: a name like Europe/Berlin is expected, of the system's tzdata package."
    case .rule(let what): "The recurrence rule cannot be understood: \(what)."
    case .startNotInRule: "The start is not on a day that the recurrence rule names."
    case .startText:
      "The start must be a date and a time on the clocks of the meeting's time zone, like 2026-11-23T10:00."
    case .start:
      "The start must be from \(MeetingSchedule.maximumPastDays) days ago to \(MeetingSchedule.maximumAheadDays) days from now."
    case .end: "The series must end after its start, and at most \(MeetingSchedule.maximumSeriesDays) days later."
    case .duration: "A meeting lasts from 1 minute to 24 hours."
    case .exception(let text): "The exception \(text.prefix(40)) is not the start of an occurrence of the meeting."
    case .move(let text):
      "\"\(text.prefix(60))\" moves no occurrence: its start and another one at most \(MeetingSchedule.maximumPastDays) days away are expected, like 2026-12-28T10:00/2026-12-29T11:00."
    case .nothingLeft: "The exceptions leave no occurrence; cancel the meeting instead."
    case .tooMany(let what): "There are too many \(what)."
    case .address(let text): "\"\(text.prefix(80))\" is no e-mail address."
    }
  }
}
