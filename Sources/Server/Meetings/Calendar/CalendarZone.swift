/// A time zone as a calendar file describes it (`VTIMEZONE`, RFC 5545 section 3.6.5), so that a calendar that does not
/// know the zone by its name has the right hours too.
struct CalendarZone {
  let rules: TimeZoneRules
  /// What has to be described, in seconds since 1970.
  let span: ClosedRange<Int>

  /// An endless series is described so far.
  static let horizon = 10 * 366 * 86_400

  func write(to text: inout CalendarText) {
    text.add("BEGIN", "VTIMEZONE")
    text.add("TZID", rules.name)
    // What is in force at the start, from the change before it on.
    let changes = rules.transitions(in: (span.lowerBound - 2 * 366 * 86_400)...(span.upperBound + 366 * 86_400))
    let before = changes.lastIndex { $0.time <= span.lowerBound }
    let needed = before.map { Array(changes[$0...]) } ?? changes
    if before == nil {
      let kind = rules.kind(at: span.lowerBound)
      observance(kind, from: kind.offset, at: CivilTime(seconds: 0), &text)
    }
    if let yearly = yearly(needed) {
      for (change, rule) in yearly {
        observance(change.after, from: change.before.offset, at: local(change), rule: rule, &text)
      }
    } else {
      for change in needed { observance(change.after, from: change.before.offset, at: local(change), &text) }
    }
    text.add("END", "VTIMEZONE")
  }

  /// A change is dated by the clock before it.
  private func local(_ change: TimeZoneRules.Transition) -> CivilTime {
    CivilTime(seconds: change.time + change.before.offset)
  }

  private func observance(
    _ kind: TimeZoneRules.Kind, from offset: Int, at time: CivilTime, rule: String? = nil, _ text: inout CalendarText
  ) {
    let name = kind.isDaylight ? "DAYLIGHT" : "STANDARD"
    text.add("BEGIN", name)
    text.add("DTSTART", time.calendarText)
    if let rule { text.add("RRULE", rule) }
    text.add("TZOFFSETFROM", Self.offset(offset))
    text.add("TZOFFSETTO", Self.offset(kind.offset))
    text.add("TZNAME", text: kind.name)
    text.add("END", name)
  }

  /// The first change of each of the two kinds with the rule that gives all later ones; nil where the zone keeps to no
  /// such rule.
  private func yearly(_ changes: [TimeZoneRules.Transition]) -> [(TimeZoneRules.Transition, String)]? {
    guard let footer = rules.footer, let daylight = footer.daylight, let first = changes.first, let last = changes.last,
      let start = Self.rule(daylight.start), let end = Self.rule(daylight.end)
    else { return nil }
    let years =
      CivilTime.date(of: CivilTime(seconds: first.time).day)
      .year...CivilTime.date(
        of: CivilTime(seconds: last.time).day
      ).year
    let expected = years.flatMap { footer.transitions(in: $0) }.filter { (first.time...last.time).contains($0.time) }
    guard expected == changes else { return nil }
    return changes.prefix(2).map { ($0, $0.after == footer.standard ? end : start) }
  }

  private static func rule(_ change: PosixZone.Change) -> String? {
    guard case .weekday(let month, let week, let weekday) = change.day, (0..<86_400).contains(change.second) else {
      return nil
    }
    return "FREQ=YEARLY;BYMONTH=\(month);BYDAY=\(week == 5 ? -1 : week)\(RecurrenceRule.names[weekday])"
  }

  private static func offset(_ seconds: Int) -> String {
    func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let size = abs(seconds)
    let rest = size % 60
    return (seconds < 0 ? "-" : "+") + pad(size / 3_600) + pad(size / 60 % 60) + (rest == 0 ? "" : pad(rest))
  }
}
