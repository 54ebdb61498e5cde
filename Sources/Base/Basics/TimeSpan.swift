/// A length of time in whole nanoseconds (64 bits: 292 years).
///
/// Used instead of `Swift.Duration` on the packet path, where a 128-bit division per packet would show.
public struct TimeSpan: Hashable, Sendable, Comparable {
  /// The length in nanoseconds; may be negative.
  public var nanoseconds: Int64

  /// A span of `nanoseconds`.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// No time at all.
  public static let zero = TimeSpan(nanoseconds: 0)

  /// A span of whole microseconds; of more than there is, the longest.
  @inlinable public static func microseconds(_ n: Int64) -> TimeSpan { saturating(n, 1_000) }
  /// A span of whole milliseconds; of more than there is, the longest.
  @inlinable public static func milliseconds(_ n: Int64) -> TimeSpan { saturating(n, 1_000_000) }
  /// A span of whole seconds; of more than there is, the longest.
  @inlinable public static func seconds(_ n: Int64) -> TimeSpan { saturating(n, 1_000_000_000) }

  @inlinable static func saturating(_ n: Int64, _ unit: Int64) -> TimeSpan {
    let (product, overflow) = n.multipliedReportingOverflow(by: unit)
    return TimeSpan(nanoseconds: overflow ? (n < 0 ? .min : .max) : product)
  }

  /// The span in whole microseconds, rounded toward zero.
  @inlinable public var microseconds: Int64 { nanoseconds / 1_000 }
  /// The span in whole milliseconds, rounded toward zero.
  @inlinable public var milliseconds: Int64 { nanoseconds / 1_000_000 }
  /// The span in seconds.
  @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Whether `a` is the shorter span.
  @inlinable public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.nanoseconds < b.nanoseconds }
  /// The sum of two spans.
  @inlinable public static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds &+ b.nanoseconds)
  }
  /// The difference of two spans.
  @inlinable public static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds &- b.nanoseconds)
  }
  /// A span `factor` times as long.
  @inlinable public static func * (a: TimeSpan, factor: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds &* factor)
  }
}
