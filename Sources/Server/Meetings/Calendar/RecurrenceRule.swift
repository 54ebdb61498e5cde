/// On which days a meeting comes again: the daily, weekly, monthly and yearly rules of RFC 5545 section 3.3.10 that
/// calendars make.
///
/// Read from and written as the text of an `RRULE`: `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=10`.
public struct RecurrenceRule: Sendable, Hashable {
  public enum Frequency: String, Sendable, Hashable {
    case daily = "DAILY"
    case weekly = "WEEKLY"
    case monthly = "MONTHLY"
    /// On the day of the start; one that begins on the 29th of February takes place in leap years only.
    case yearly = "YEARLY"
  }

  /// A weekday, and which of the month: 2 for the second, -1 for the last, 0 for every one.
  public struct Weekday: Sendable, Hashable {
    /// 0 for Monday to 6 for Sunday.
    public var day: Int
    /// The number within the month; 0 for every one.
    public var ordinal: Int
  }

  /// The end of the series.
  public enum End: Sendable, Hashable {
    case never
    /// After so many occurrences, those that were taken out included.
    case count(Int)
    /// With the last one that begins at or before that time, in seconds since 1970, UTC.
    case time(Int)
    /// With the last one on that day on the clocks of the meeting, counted from the first of January 1970.
    case day(Int)
  }

  public private(set) var frequency: Frequency
  /// Every how many steps.
  public private(set) var interval: Int
  /// On which weekdays; none for that of the start.
  public private(set) var weekdays: [Weekday]
  /// On which days of the month, -1 for the last; none for that of the start.
  public private(set) var monthDays: [Int]
  public var end: End

  static let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
  /// The most occurrences that a rule may count.
  public static let maximumCount = 1_000

  /// Reads the text of a rule. Parts that are not known here are refused, since leaving them out would give other days.
  public init(_ text: some StringProtocol) throws(ScheduleProblem) {
    guard text.utf8.count <= 400 else { throw .rule("it is too long") }
    var parts: [String: String] = [:]
    for part in text.uppercased().split(separator: ";", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, !pair[1].isEmpty, parts.updateValue(String(pair[1]), forKey: String(pair[0])) == nil else {
        throw .rule("parts like FREQ=WEEKLY are expected, each once, separated by semicolons")
      }
    }
    func take(_ name: String) -> String? { parts.removeValue(forKey: name) }
    guard let frequency = take("FREQ").flatMap(Frequency.init(rawValue:)) else {
      throw .rule("FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY")
    }
    self.frequency = frequency
    interval = try Self.number(take("INTERVAL") ?? "1", 1...99, "INTERVAL")
    weekdays = try (take("BYDAY")?.split(separator: ",", omittingEmptySubsequences: false) ?? []).map {
      text throws(ScheduleProblem) in try Self.weekday(text, isMonthly: frequency == .monthly)
    }
    monthDays = try (take("BYMONTHDAY")?.split(separator: ",", omittingEmptySubsequences: false) ?? []).map {
      text throws(ScheduleProblem) in
      let day = try Self.number(text, -31...31, "BYMONTHDAY")
      guard day != 0 else { throw .rule("BYMONTHDAY is 1 to 31, or -1 to -31 from the end") }
      return day
    }
    guard Set(weekdays).count == weekdays.count, Set(monthDays).count == monthDays.count, weekdays.count <= 14,
      monthDays.count <= 31
    else { throw .rule("a day is named twice") }
    guard monthDays.isEmpty || (frequency == .monthly && weekdays.isEmpty) else {
      throw .rule("BYMONTHDAY goes with FREQ=MONTHLY and without BYDAY")
    }
    guard frequency != .yearly || weekdays.isEmpty else { throw .rule("BYDAY does not go with FREQ=YEARLY") }
    // Weeks begin on Monday here; where they begin otherwise, only every second week and the like come out differently.
    if let start = take("WKST"), start != "MO" {
      throw .rule("weeks begin on Monday: WKST=\(start.prefix(8)) is not possible")
    }
    switch (take("COUNT"), take("UNTIL")) {
    case (nil, nil): end = .never
    case (let count?, nil): end = .count(try Self.number(count, 1...Self.maximumCount, "COUNT"))
    case (nil, let until?): end = try Self.end(until)
    default: throw .rule("only one of COUNT and UNTIL is possible")
    }
    if let other = parts.keys.sorted().first { throw .rule("\(other.prefix(20)) is not possible here") }
  }

  private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int>, _ name: String)
    throws(ScheduleProblem) -> Int
  {
    guard text.utf8.count <= 5, let number = Int(text), range.contains(number) else {
      throw .rule("\(name) must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private static func weekday(_ text: Substring, isMonthly: Bool) throws(ScheduleProblem) -> Weekday {
    guard let day = names.firstIndex(of: String(text.suffix(2))) else {
      throw .rule("BYDAY names weekdays: \(names.joined(separator: ","))")
    }
    let number = text.dropLast(2)
    guard !number.isEmpty else { return Weekday(day: day, ordinal: 0) }
    guard isMonthly, number.utf8.count <= 2, let ordinal = Int(number), ordinal != 0, (-5...5).contains(ordinal) else {
      throw .rule("only with FREQ=MONTHLY a weekday can have a number, like 2TU or -1FR")
    }
    return Weekday(day: day, ordinal: ordinal)
  }

  private static func end(_ text: String) throws(ScheduleProblem) -> End {
    if text.utf8.count == 8, let day = CivilTime(text + "T000000") { return .day(day.day) }
    guard text.hasSuffix("Z"), text.utf8.count == 16, let time = CivilTime(text.dropLast()) else {
      throw .rule("UNTIL is a day like 20270131, or a time in UTC like 20270131T220000Z")
    }
    return .time(time.seconds)
  }

  /// The rule as the text of an `RRULE`. A series that ends with a day must have been given its time before
  /// (``MeetingSchedule`` does), since UNTIL beside a local start is a time in UTC.
  public var text: String {
    var parts = ["FREQ=\(frequency.rawValue)"]
    if interval != 1 { parts.append("INTERVAL=\(interval)") }
    if !weekdays.isEmpty {
      parts.append(
        "BYDAY=" + weekdays.map { ($0.ordinal == 0 ? "" : "\($0.ordinal)") + Self.names[$0.day] }.joined(separator: ",")
      )
    }
    if !monthDays.isEmpty { parts.append("BYMONTHDAY=" + monthDays.map(String.init).joined(separator: ",")) }
    switch end {
    case .never: break
    case .count(let count): parts.append("COUNT=\(count)")
    case .time(let time): parts.append("UNTIL=\(CivilTime(seconds: time).calendarText)Z")
    case .day(let day): parts.append("UNTIL=\(CivilTime(seconds: day * 86_400).calendarText.prefix(8))")
    }
    return parts.joined(separator: ";")
  }
}

extension RecurrenceRule: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    try self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
