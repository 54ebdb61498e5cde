/// A point on a monotonic time line, in nanoseconds since an origin that the caller chose.
///
/// Protocol code never reads a clock: the time comes in as an argument. Production passes the
/// system's monotonic clock, tests and the simulator pass virtual time. Only differences mean
/// anything; never mix instants of two clocks.
public struct Instant: Hashable, Sendable, Comparable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// An instant `nanoseconds` after the origin.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// An instant `milliseconds` after the origin.
  @inlinable public static func milliseconds(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds &* 1_000_000)
  }

  public static let zero = Instant(nanoseconds: 0)

  /// Later than every instant a clock gives: "no deadline".
  public static let distantFuture = Instant(nanoseconds: .max)

  /// Whether `a` comes before `b`.
  @inlinable public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The instant `span` later; saturates at `distantFuture`.
  @inlinable public static func + (instant: Instant, span: TimeSpan) -> Instant {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(span.nanoseconds)
    return overflow ? .distantFuture : Instant(nanoseconds: sum)
  }

  /// The instant `span` earlier.
  @inlinable public static func - (instant: Instant, span: TimeSpan) -> Instant {
    Instant(nanoseconds: instant.nanoseconds &- span.nanoseconds)
  }

  /// How much later `a` is than `b`; negative when it is earlier.
  @inlinable public static func - (a: Instant, b: Instant) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds &- b.nanoseconds)
  }
}
