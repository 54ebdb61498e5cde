/// One occurrence of a series that takes place at another time than the others of it; it lasts as long as they do.
public struct MovedOccurrence: Sendable, Hashable, Codable {
  /// The start that the rule gives, which names the occurrence (`RECURRENCE-ID`, RFC 5545 section 3.8.4.4).
  public var from: CivilTime
  /// When it begins instead, on the same clocks.
  public var to: CivilTime

  /// An occurrence of a series at another time.
  public init(from: CivilTime, to: CivilTime) {
    self.from = from
    self.to = to
  }

  /// Reads `2026-12-28T10:00/2026-12-29T11:00`, as ``text`` writes it.
  public init(_ text: String) throws(ScheduleProblem) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = CivilTime(String(parts[0])), let to = CivilTime(String(parts[1])) else {
      throw .move(text)
    }
    self.init(from: from, to: to)
  }

  /// Both starts, with a slash between them.
  public var text: String { "\(from.text)/\(to.text)" }
}

extension MeetingSchedule {
  /// The times at which it takes place, in order of time: without the occurrences that were taken out, and with those
  /// that were moved where they are now.
  func held(_ rules: TimeZoneRules) -> Held { Held(self, rules) }

  /// A start of a series at which it takes place.
  struct HeldStart {
    /// The start that the rule gives.
    var name: CivilTime
    /// The start on the clocks of the zone.
    var local: CivilTime
    /// The start in seconds since 1970.
    var time: Int
  }

  /// The starts at which a series takes place.
  struct Held: Sequence, IteratorProtocol {
    private var starts: Starts
    private let without: Set<CivilTime>
    /// The last of them first.
    private var moved: [HeldStart]
    private var ahead: HeldStart?

    init(_ schedule: MeetingSchedule, _ rules: TimeZoneRules) {
      starts = schedule.starts(rules)
      without = Set(schedule.excluded).union(schedule.moved.map(\.from))
      moved = schedule.moved.map { HeldStart(name: $0.from, local: $0.to, time: rules.time(of: $0.to)) }
        .sorted { $0.time > $1.time }
    }

    mutating func next() -> HeldStart? {
      while ahead == nil, let (local, time) = starts.next() {
        if !without.contains(local) { ahead = HeldStart(name: local, local: local, time: time) }
      }
      if let first = moved.last, ahead.map({ first.time < $0.time }) ?? true { return moved.popLast() }
      defer { ahead = nil }
      return ahead
    }
  }
}
