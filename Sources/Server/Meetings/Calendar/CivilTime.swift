/// A date and a time of day as a wall calendar and a clock show them, without a time zone.
public struct CivilTime: Sendable, Hashable, Comparable {
  /// Seconds since the first of January 1970, as if every place had the same clock.
  public let seconds: Int

  /// From seconds since 1970.
  public init(seconds: Int) { self.seconds = seconds }

  /// From a day, counted from the first of January 1970, and the second in it.
  init(day: Int, second: Int) { seconds = day * 86_400 + second }

  /// From a date and a time of day; nil when there is no such date or time.
  public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (1...9_999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    seconds = Self.day(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// Reads `2026-11-23T10:00`, with or without seconds, or the form of calendar files, `20261123T100000`.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    let isPlain = bytes.count == 15
    guard isPlain || bytes.count == 16 || bytes.count == 19 else { return nil }
    let marks: [Int: UInt8] =
      isPlain
      ? [8: UInt8(ascii: "T")]
      : [
        4: UInt8(ascii: "-"), 7: UInt8(ascii: "-"), 10: UInt8(ascii: "T"), 13: UInt8(ascii: ":"),
        16: UInt8(ascii: ":"),
      ]
    var digits: [Int] = []
    for (place, byte) in bytes.enumerated() {
      if let mark = marks[place] {
        guard byte == mark else { return nil }
      } else {
        guard (48...57).contains(byte) else { return nil }
        digits.append(Int(byte) - 48)
      }
    }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    self.init(
      year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10), minute: number(10..<12),
      second: digits.count > 12 ? number(12..<14) : 0)
  }

  /// The order on one clock.
  public static func < (a: CivilTime, b: CivilTime) -> Bool { a.seconds < b.seconds }

  /// Days since the first of January 1970.
  var day: Int { Self.floor(seconds, 86_400) }
  /// The second in the day.
  var second: Int { seconds - day * 86_400 }
  /// 0 for Monday to 6 for Sunday.
  var weekday: Int { Self.weekday(of: day) }

  /// The form of JSON and of the command line: `2026-11-23T10:00:00`.
  public var text: String {
    let date = Self.date(of: day)
    return "\(Self.pad(date.year, 4))-\(Self.pad(date.month))-\(Self.pad(date.day))T"
      + "\(Self.pad(second / 3_600)):\(Self.pad(second / 60 % 60)):\(Self.pad(second % 60))"
  }

  /// The form of calendar files (RFC 5545 section 3.3.5): `20261123T100000`.
  var calendarText: String { String(text.filter { $0 != "-" && $0 != ":" }) }

  // MARK: The Gregorian calendar

  static func weekday(of day: Int) -> Int { (day % 7 + 10) % 7 }

  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970 to a date. Years begin in March here, so that the odd day comes last.
  static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = floor(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func date(of day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }

  private static func floor(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((b - 1 - a) / b) }

  private static func pad(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension CivilTime: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let time = CivilTime(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a time like 2026-11-23T10:00 is expected"))
    }
    self = time
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
