public import FoundationEssentials

/// A wish for a plan or for changes to one, in the words of the command line and of the interfaces. Nil leaves a part
/// as it is, or as is usual.
public struct ScheduleRequest: Sendable {
  /// The first start on the clocks of ``zone``, like `2026-11-23T10:00`.
  public var start: String?
  /// The time zone's IANA name.
  public var zone: String?
  /// The length in seconds.
  public var duration: Int?
  /// The recurrence rule; empty for a meeting that does not come again.
  public var rule: String?
  /// The starts of occurrences that do not take place.
  public var excluded: [String]?
  /// Occurrences that take place at another time, each as its start and the other one with a slash between them.
  public var moved: [String]?
  /// The inviting person, as an address or `Name <address>`; empty for the tenant.
  public var organizer: String?
  /// The invited, each as an address or `Name <address>`.
  public var attendees: [String]?
  /// How long before the start people may enter, in seconds.
  public var opensBefore: Int?
  /// The treatment of people who come before.
  public var early: MeetingSchedule.EntryTimes.Early?
  /// How long after the end one can come in, in seconds; `.some(nil)` for ever.
  public var closesAfter: Int??

  /// A request that asks for nothing.
  public init() {}

  /// Whether nothing is asked for.
  public var isEmpty: Bool {
    start == nil && zone == nil && duration == nil && rule == nil && excluded == nil && moved == nil && organizer == nil
      && attendees == nil && opensBefore == nil && early == nil && closesAfter == nil
  }

  /// A new schedule. It needs a start; an hour in UTC is usual.
  public func schedule(now: Date) throws(ScheduleProblem) -> MeetingSchedule {
    guard let start else { throw .startText }
    return try MeetingSchedule(
      start: try Self.time(start), zone: zone ?? "UTC", duration: duration ?? 3_600, rule: try newRule(),
      excluded: try (excluded ?? []).map { text throws(ScheduleProblem) in try Self.exception(text) },
      moved: try (moved ?? []).map { text throws(ScheduleProblem) in try MovedOccurrence(text) },
      organizer: try organizer.flatMap { text throws(ScheduleProblem) in try Self.person(text) },
      attendees: try people() ?? [], doors: doors(over: .init()), now: now)
  }

  /// Changes a schedule as asked for. A new start or rule takes the exceptions and moves away, which would name no
  /// occurrence any more, unless the request has its own.
  public func apply(to schedule: inout MeetingSchedule, now: Date) throws(ScheduleProblem) {
    try schedule.change(now: now) { schedule throws(ScheduleProblem) in
      if let start {
        let time = try Self.time(start)
        if time != schedule.start { (schedule.excluded, schedule.moved) = ([], []) }
        schedule.start = time
      }
      if let zone { schedule.zone = zone }
      if let duration { schedule.duration = duration }
      if rule != nil {
        let rule = try newRule()
        if rule != schedule.rule { (schedule.excluded, schedule.moved) = ([], []) }
        schedule.rule = rule
      }
      if let excluded {
        schedule.excluded = try excluded.map { text throws(ScheduleProblem) in try Self.exception(text) }
      }
      if let moved {
        schedule.moved = try moved.map { text throws(ScheduleProblem) in try MovedOccurrence(text) }
      }
      if let organizer { schedule.organizer = try Self.person(organizer) }
      if let attendees = try people() { schedule.attendees = attendees }
      schedule.doors = doors(over: schedule.doors)
    }
  }

  private func newRule() throws(ScheduleProblem) -> RecurrenceRule? {
    guard let rule, !rule.isEmpty else { return nil }
    return try RecurrenceRule(rule)
  }

  private func people() throws(ScheduleProblem) -> [MeetingSchedule.Person]? {
    guard let attendees else { return nil }
    var people: [MeetingSchedule.Person] = []
    for text in attendees {
      guard let person = try Self.person(text), !people.contains(where: { $0.address == person.address }) else {
        continue
      }
      people.append(person)
    }
    return people
  }

  private func doors(over doors: MeetingSchedule.EntryTimes) -> MeetingSchedule.EntryTimes {
    .init(
      opensBefore: opensBefore ?? doors.opensBefore, early: early ?? doors.early,
      closesAfter: closesAfter ?? doors.closesAfter)
  }

  private static func time(_ text: String) throws(ScheduleProblem) -> CivilTime {
    guard let time = CivilTime(text) else { throw .startText }
    return time
  }

  private static func exception(_ text: String) throws(ScheduleProblem) -> CivilTime {
    guard let time = CivilTime(text) else { throw .exception(text) }
    return time
  }

  /// `Ann Lee <ann@example.com>`, or an address alone; nil when there is nothing.
  static func person(_ text: String) throws(ScheduleProblem) -> MeetingSchedule.Person? {
    let trimmed = text.drop { $0 == " " }
    guard !trimmed.isEmpty else { return nil }
    guard let open = trimmed.lastIndex(of: "<"), trimmed.hasSuffix(">") else {
      return try MeetingSchedule.Person(address: String(trimmed))
    }
    var name = trimmed[..<open]
    while name.last == " " { name.removeLast() }
    return try MeetingSchedule.Person(
      address: String(trimmed[trimmed.index(after: open)...].dropLast()), name: name.isEmpty ? nil : String(name))
  }
}

extension MeetingRecord {
  /// How long a scheduled meeting is kept after its last end.
  static let keptAfterEnd: TimeInterval = 30 * 24 * 3_600

  /// Gives it a schedule, and with that its end: a while after the last occurrence, if there is a last one.
  public mutating func plan(_ schedule: MeetingSchedule) throws(ScheduleProblem) {
    self.schedule = schedule
    if schedule.isCancelled {
      expires = schedule.changed + Self.keptAfterEnd
    } else if schedule.doors.closesAfter == nil {
      expires = nil
    } else {
      expires = try schedule.end().map { $0 + Self.keptAfterEnd }
    }
  }
}
