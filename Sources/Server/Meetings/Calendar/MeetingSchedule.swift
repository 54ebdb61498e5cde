public import FoundationEssentials

/// When a meeting takes place: its first start on the clocks of a place, how long it lasts, when it comes again, and
/// who is invited.
///
/// A series follows the clocks of its ``zone``: at ten it begins at ten in summer and in winter.
public struct MeetingSchedule: Sendable, Hashable, Codable {
  /// Somebody who invites or is invited.
  public struct Person: Sendable, Hashable, Codable {
    public var address: String
    /// The name; nil when only the address is known.
    public var name: String?

    /// As people write it: `Ann Lee <ann@example.com>`, or the address alone.
    public var text: String { name.map { "\($0) <\(address)>" } ?? address }

    /// Checks an address, by its looks.
    public init(address: String, name: String? = nil) throws(ScheduleProblem) {
      let parts = address.split(separator: "@", omittingEmptySubsequences: false)
      let isPlain = address.unicodeScalars.allSatisfy { scalar in
        scalar.value > 32 && scalar.value != 127 && !"\"<>,;:\\()[]".unicodeScalars.contains(scalar)
          && !scalar.properties.isWhitespace
      }
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, isPlain, address.utf8.count <= 254,
        parts[1].utf8.first != UInt8(ascii: "."), parts[1].utf8.last != UInt8(ascii: ".")
      else { throw .address(address) }
      self.address = address
      self.name = name.map { String($0.prefix(100)) }
    }
  }

  /// The treatment of people who come when the meeting doesn't take place. A host comes in at any time, and who comes
  /// while a host is there comes in too.
  public struct EntryTimes: Sendable, Hashable, Codable {
    /// The treatment of people who come too early.
    public enum Early: String, Sendable, Hashable, Codable, CaseIterable {
      /// They are refused with the time of the beginning.
      case refuse
      /// They wait, if it begins soon enough, and are refused otherwise.
      case wait
      case open
    }

    /// How long before the start people may enter.
    public var opensBefore: Int
    /// The treatment of people who come before.
    public var early: Early
    /// How long after the end one can still come in, in seconds; nil for ever.
    public var closesAfter: Int?

    /// Makes the rule. Times are in seconds, from 0 to a day.
    public init(opensBefore: Int = 600, early: Early = .wait, closesAfter: Int? = 1_800) {
      self.opensBefore = Swift.min(Swift.max(opensBefore, 0), 86_400)
      self.early = early
      self.closesAfter = closesAfter.map { Swift.min(Swift.max($0, 0), 86_400) }
    }
  }

  /// Names the meeting in calendars, for ever.
  public let uid: String
  /// The first start, on the clocks of ``zone``.
  public var start: CivilTime
  /// The time zone's name in the IANA database.
  public var zone: String
  /// How long an occurrence lasts, in seconds.
  public var duration: Int
  /// When it comes again; nil when it does not.
  public var rule: RecurrenceRule?
  /// The starts of occurrences that do not take place.
  public var excluded: [CivilTime]
  /// Occurrences that take place at another time than the rule says.
  public var moved: [MovedOccurrence] {
    get { moves ?? [] }
    set { moves = newValue.isEmpty ? nil : newValue }
  }
  /// Nil in what was stored before there were any.
  private var moves: [MovedOccurrence]?
  /// The inviting person; nil for the tenant.
  public var organizer: Person?
  public var attendees: [Person]
  /// The treatment of people who come at another time.
  public var doors: EntryTimes
  /// Rises with each change, so that calendars know which invitation is the newest.
  public private(set) var sequence: Int
  /// Whether it was called off.
  public private(set) var isCancelled: Bool
  /// When it was last changed.
  public private(set) var changed: Date

  /// How far ahead the first start may be.
  public static let maximumAheadDays = 730
  /// How long ago the first start may be.
  public static let maximumPastDays = 366
  /// How long a series with an end may last.
  public static let maximumSeriesDays = 3_660
  /// The most occurrences that can be taken out.
  public static let maximumExceptions = 200
  /// The most people who can be invited.
  public static let maximumAttendees = 300

  /// A schedule; everything about it is checked.
  public init(
    uid: String? = nil, start: CivilTime, zone: String, duration: Int, rule: RecurrenceRule? = nil,
    excluded: [CivilTime] = [], moved: [MovedOccurrence] = [], organizer: Person? = nil, attendees: [Person] = [],
    doors: EntryTimes = EntryTimes(), now: Date
  ) throws(ScheduleProblem) {
    self.uid = uid ?? RandomID.text(characters: 26) + "@parley"
    self.start = start
    self.zone = zone
    self.duration = duration
    self.rule = rule
    self.excluded = excluded
    moves = moved.isEmpty ? nil : moved
    self.organizer = organizer
    self.attendees = attendees
    self.doors = doors
    sequence = 0
    isCancelled = false
    changed = now
    try check(now: now)
  }

  /// Changes it, which calendars see by the next ``sequence``. Nothing happens when `change` changes nothing.
  public mutating func change(
    now: Date, _ change: (inout MeetingSchedule) throws(ScheduleProblem) -> Void
  ) throws(ScheduleProblem) {
    var copy = self
    try change(&copy)
    guard copy != self else { return }
    try copy.check(now: now, isNew: copy.start != start)
    copy.sequence = sequence + 1
    copy.isCancelled = false
    copy.changed = now
    self = copy
  }

  /// Notes that a text of the meeting was changed.
  public mutating func touch(now: Date) {
    sequence += 1
    changed = now
  }

  /// Calls it off; true when it was not before.
  public mutating func cancel(now: Date) -> Bool {
    guard !isCancelled else { return false }
    isCancelled = true
    sequence += 1
    changed = now
    return true
  }

  private mutating func check(now: Date, isNew: Bool = true) throws(ScheduleProblem) {
    let rules = try TimeZoneRules(zone)
    guard (60...86_400).contains(duration) else { throw .duration }
    let seconds = Int(now.timeIntervalSince1970)
    let first = rules.time(of: start)
    if isNew {
      guard first > seconds - Self.maximumPastDays * 86_400, first < seconds + Self.maximumAheadDays * 86_400 else {
        throw .start
      }
    }
    guard attendees.count <= Self.maximumAttendees else {
      throw .tooMany("invited people: at most \(Self.maximumAttendees)")
    }
    excluded = Array(Set(excluded)).sorted()
    guard excluded.count <= Self.maximumExceptions else {
      throw .tooMany("exceptions: at most \(Self.maximumExceptions)")
    }
    if let given = rule {
      if case .day(let day) = given.end {
        // The whole of that day, on the clocks of the meeting.
        rule?.end = .time(rules.time(of: CivilTime(day: day, second: 86_399)))
      }
      if case .time(let end)? = rule?.end, end < first || end > first + Self.maximumSeriesDays * 86_400 { throw .end }
      var days = RecurrenceDays(given, from: start)
      guard days.next() == start.day else { throw .startNotInRule }
    }
    guard !excluded.isEmpty || !moved.isEmpty else { return }
    let known = Set(starts(rules).prefix(5_000).map(\.local))
    if let other = excluded.first(where: { !known.contains($0) }) { throw .exception(other.text) }
    if known.count == excluded.count { throw .nothingLeft }
    try checkMoves(known, rules)
  }

  private mutating func checkMoves(_ known: Set<CivilTime>, _ rules: TimeZoneRules) throws(ScheduleProblem) {
    var seen = Set(excluded)
    // A cancelled occurrence takes place at no other time; of two moves of one occurrence the last counts.
    moved = moved.reversed().filter { seen.insert($0.from).inserted && $0.from != $0.to }.sorted { $0.from < $1.from }
    guard moved.count <= Self.maximumExceptions else {
      throw .tooMany("moved occurrences: at most \(Self.maximumExceptions)")
    }
    for move in moved {
      guard rule != nil, known.contains(move.from) else { throw .exception(move.from.text) }
      guard abs(rules.time(of: move.to) - rules.time(of: move.from)) <= Self.maximumPastDays * 86_400 else {
        throw .move(move.text)
      }
    }
  }

  /// Every start of the series, those that were taken out included, in order.
  func starts(_ rules: TimeZoneRules) -> Starts { Starts(self, rules) }

  /// The starts of a series.
  struct Starts: Sequence, IteratorProtocol {
    private let rules: TimeZoneRules
    private let second: Int
    private let end: RecurrenceRule.End
    private var days: RecurrenceDays?
    private var single: Int?
    private var count = 0

    init(_ schedule: MeetingSchedule, _ rules: TimeZoneRules) {
      self.rules = rules
      second = schedule.start.second
      end = schedule.rule?.end ?? .never
      days = schedule.rule.map { RecurrenceDays($0, from: schedule.start) }
      single = schedule.rule == nil ? schedule.start.day : nil
    }

    mutating func next() -> (local: CivilTime, time: Int)? {
      if case .count(let most) = end, count >= most { return nil }
      guard let day = single ?? days?.next() else { return nil }
      single = nil
      let local = CivilTime(day: day, second: second)
      let time = rules.time(of: local)
      if case .time(let last) = end, time > last { return nil }
      count += 1
      return (local, time)
    }
  }
}

extension MeetingSchedule {
  /// Whether another schedule has the meeting at the same times, with the same closing times.
  public func isSameTime(as other: MeetingSchedule) -> Bool {
    start == other.start && zone == other.zone && duration == other.duration && rule == other.rule
      && excluded == other.excluded && moved == other.moved && isCancelled == other.isCancelled
      && doors.closesAfter == other.doors.closesAfter
  }
}
