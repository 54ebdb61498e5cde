/// The rule at the end of a time zone file: how clocks are set after the last change that the file lists (POSIX.1,
/// `TZ`; RFC 8536 section 3.3).
struct PosixZone: Sendable, Hashable {
  /// A day of the year on which clocks are changed, and at which second of it, on the clock before the change.
  struct Change: Sendable, Hashable {
    enum Day: Sendable, Hashable {
      /// The `week`th `weekday` (0 for Monday) of a month; the fifth is the last.
      case weekday(month: Int, week: Int, weekday: Int)
      /// The day of the year from 1, where the 29th of February does not count.
      case julian(Int)
      /// The day of the year from 0, where it does.
      case ordinal(Int)
    }

    var day: Day
    var second: Int

    /// Its time in a year, on the clock before the change.
    func time(in year: Int) -> CivilTime {
      let first = CivilTime.day(year, 1, 1)
      switch day {
      case .julian(let number):
        let isLeap = CivilTime.days(in: 2, of: year) == 29
        return CivilTime(day: first + number - 1 + (isLeap && number > 59 ? 1 : 0), second: second)
      case .ordinal(let number): return CivilTime(day: first + number, second: second)
      case .weekday(let month, let week, let weekday):
        let start = CivilTime.day(year, month, 1)
        var number = (weekday - CivilTime.weekday(of: start) + 7) % 7 + (week - 1) * 7
        if number >= CivilTime.days(in: month, of: year) { number -= 7 }
        return CivilTime(day: start + number, second: second)
      }
    }
  }

  var standard: TimeZoneRules.Kind
  /// What is in force in summer, and from when to when; nil where clocks are not changed.
  var daylight: (kind: TimeZoneRules.Kind, start: Change, end: Change)?

  static func == (a: PosixZone, b: PosixZone) -> Bool {
    a.standard == b.standard && a.daylight?.kind == b.daylight?.kind && a.daylight?.start == b.daylight?.start
      && a.daylight?.end == b.daylight?.end
  }

  func hash(into hasher: inout Hasher) { hasher.combine(standard) }

  /// The changes in a year, in their order.
  func transitions(in year: Int) -> [TimeZoneRules.Transition] {
    guard let daylight else { return [] }
    let start = daylight.start.time(in: year).seconds - standard.offset
    let end = daylight.end.time(in: year).seconds - daylight.kind.offset
    return [
      TimeZoneRules.Transition(time: start, before: standard, after: daylight.kind),
      TimeZoneRules.Transition(time: end, before: daylight.kind, after: standard),
    ].sorted { $0.time < $1.time }
  }

  /// Reads a rule like `CET-1CEST,M3.5.0,M10.5.0/3`; nil when it is none.
  init?(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    guard let name = Self.name(&rest), let west = Self.time(&rest) else { return nil }
    standard = .init(offset: -west, isDaylight: false, name: name)
    guard !rest.isEmpty else { return }
    guard let summer = Self.name(&rest) else { return nil }
    var offset = standard.offset + 3_600
    if let byte = rest.first, byte != UInt8(ascii: ",") {
      guard let west = Self.time(&rest) else { return nil }
      offset = -west
    }
    guard let start = Self.change(&rest), let end = Self.change(&rest), rest.isEmpty else { return nil }
    daylight = (.init(offset: offset, isDaylight: true, name: summer), start, end)
  }

  private static func name(_ rest: inout ArraySlice<UInt8>) -> String? {
    var name: ArraySlice<UInt8>
    if rest.first == UInt8(ascii: "<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
      name = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
    } else {
      name = rest.prefix { (97...122).contains($0 | 32) }
      rest = rest.dropFirst(name.count)
    }
    return (3...12).contains(name.count) ? String(decoding: name, as: UTF8.self) : nil
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let digits = rest.prefix { (48...57).contains($0) }
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  private static func time(_ rest: inout ArraySlice<UInt8>) -> Int? {
    var sign = 1
    if let byte = rest.first, byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") {
      sign = byte == UInt8(ascii: "-") ? -1 : 1
      rest = rest.dropFirst()
    }
    guard var seconds = number(&rest).map({ $0 * 3_600 }), seconds <= 167 * 3_600 else { return nil }
    for unit in [60, 1] where rest.first == UInt8(ascii: ":") {
      rest = rest.dropFirst()
      guard let part = number(&rest), part < 60 else { return nil }
      seconds += part * unit
    }
    return sign * seconds
  }

  private static func change(_ rest: inout ArraySlice<UInt8>) -> Change? {
    guard rest.popFirst() == UInt8(ascii: ","), let form = rest.first else { return nil }
    var day: Change.Day
    switch form {
    case UInt8(ascii: "M"):
      rest = rest.dropFirst()
      guard let month = number(&rest), (1...12).contains(month), rest.popFirst() == UInt8(ascii: "."),
        let week = number(&rest), (1...5).contains(week), rest.popFirst() == UInt8(ascii: "."),
        let weekday = number(&rest), (0...6).contains(weekday)
      else { return nil }
      day = .weekday(month: month, week: week, weekday: (weekday + 6) % 7)
    case UInt8(ascii: "J"):
      rest = rest.dropFirst()
      guard let number = number(&rest), (1...365).contains(number) else { return nil }
      day = .julian(number)
    default:
      guard let number = number(&rest), (0...365).contains(number) else { return nil }
      day = .ordinal(number)
    }
    var second = 7_200
    if rest.first == UInt8(ascii: "/") {
      rest = rest.dropFirst()
      guard let time = time(&rest) else { return nil }
      second = time
    }
    return Change(day: day, second: second)
  }
}
