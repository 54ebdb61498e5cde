import Foundation

enum UnixTime {
  /// Seconds since 1970.
  static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
