import Basics
import FoundationEssentials

extension SQLiteValue {
  /// Times are kept as whole milliseconds since 1970.
  static func time(_ date: Date) -> SQLiteValue {
    .integer(Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? 0)
  }

  /// As ``time(_:)``, or nothing.
  static func time(_ date: Date?) -> SQLiteValue { date.map { .time($0) } ?? .null }

  /// A number, or nothing.
  static func number(_ number: Int?) -> SQLiteValue { number.map { .integer(Int64($0)) } ?? .null }
}

extension SQLiteRow {
  func time(_ column: Int32) -> Date { Date(timeIntervalSince1970: Double(integer(column)) / 1_000) }

  func optionalTime(_ column: Int32) -> Date? { isNull(column) ? nil : time(column) }

  /// The settings of a lobby in this column and the two after it.
  func lobby(_ column: Int32) -> LobbySettings {
    LobbySettings(
      waitsForHost: integer(column) != 0, announces: integer(column + 1) != 0,
      timeout: optionalNumber(column + 2).map { .seconds(Int64($0)) })
  }

  func optionalNumber(_ column: Int32) -> Int? { isNull(column) ? nil : Int(clamping: integer(column)) }
}
