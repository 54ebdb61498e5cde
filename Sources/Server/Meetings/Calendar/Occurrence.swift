public import FoundationEssentials

/// One time at which a scheduled meeting takes place.
public struct Occurrence: Sendable, Hashable {
  /// The start that the schedule's rule gives, which names the occurrence in calendars.
  public var name: CivilTime
  /// The start on the clocks of the schedule's zone: another one than ``name`` where the occurrence was moved.
  public var local: CivilTime
  public var start: Date
  public var end: Date
}

extension MeetingSchedule {
  /// The state of a meeting at a time.
  public enum Phase: Sendable, Hashable {
    /// One can come in for this occurrence.
    case open(Occurrence)
    /// The next occurrence begins later.
    case before(Occurrence)
    /// The last occurrence is over.
    case over
    /// It was called off.
    case cancelled
  }

  /// The most occurrences that one list has.
  public static let maximumListed = 366

  /// The occurrences that end after `from`, the first `limit` of them. None of a meeting that was called off.
  public func occurrences(from: Date, limit: Int) throws(ScheduleProblem) -> [Occurrence] {
    let rules = try TimeZoneRules(zone)
    guard !isCancelled else { return [] }
    let seconds = Int(from.timeIntervalSince1970)
    var found: [Occurrence] = []
    for start in held(rules) where start.time + duration > seconds {
      guard found.count < min(limit, Self.maximumListed) else { break }
      found.append(occurrence(start))
    }
    return found
  }

  /// When the last occurrence ends; nil when the series does not.
  public func end() throws(ScheduleProblem) -> Date? {
    if let rule, rule.end == .never { return nil }
    let rules = try TimeZoneRules(zone)
    var last: Int?
    for start in held(rules) { last = start.time }
    return last.map { Date(timeIntervalSince1970: Double($0 + duration)) }
  }

  /// Whether one can come in at `now`.
  public func phase(at now: Date) throws(ScheduleProblem) -> Phase {
    if isCancelled { return .cancelled }
    let margin = Double(doors.closesAfter ?? 0)
    // People may enter an occurrence for a while after its end.
    let next = try occurrences(from: now - margin, limit: 1).first
    if let next, next.start - Double(doors.opensBefore) <= now { return .open(next) }
    if doors.closesAfter == nil, let before = try last(before: now) { return .open(before) }
    return next.map { .before($0) } ?? .over
  }

  /// The last occurrence that began before a time.
  private func last(before now: Date) throws(ScheduleProblem) -> Occurrence? {
    let rules = try TimeZoneRules(zone)
    let seconds = Int(now.timeIntervalSince1970)
    var found: HeldStart?
    for start in held(rules) {
      if start.time >= seconds { break }
      found = start
    }
    return found.map { occurrence($0) }
  }

  private func occurrence(_ start: HeldStart) -> Occurrence {
    Occurrence(
      name: start.name, local: start.local, start: Date(timeIntervalSince1970: Double(start.time)),
      end: Date(timeIntervalSince1970: Double(start.time + duration)))
  }
}
