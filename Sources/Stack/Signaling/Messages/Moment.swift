import FoundationEssentials

/// A moment to the millisecond, as ISO 8601 with three digits of the second: `2026-11-21T09:00:00.250Z`. A time without
/// a fraction is read, too.
///
/// The dates of other messages are whole seconds, which does not tell apart what begins in the same one.
struct Moment: Sendable, Hashable, Codable {
  private let milliseconds: Int64

  /// The years that ISO 8601 writes with four digits, from 1970 on.
  private static let range: ClosedRange<Double> = 0...253_402_300_799_000

  init(_ date: Date) {
    let value = (date.timeIntervalSince1970 * 1_000).rounded()
    milliseconds = Int64(min(max(value, Self.range.lowerBound), Self.range.upperBound))
  }

  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
    guard let date = try? style.parse(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no time of ISO 8601.")
    }
    self.init(date)
  }

  func encode(to encoder: any Encoder) throws {
    // Put together by hand: a style with fractions cuts off what a binary number lies below the millisecond.
    let whole = Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601)
    let rest = String(milliseconds % 1_000)
    let fraction = String(repeating: "0", count: 3 - rest.count) + rest
    var container = encoder.singleValueContainer()
    try container.encode("\(whole.dropLast()).\(fraction)Z")
  }
}
