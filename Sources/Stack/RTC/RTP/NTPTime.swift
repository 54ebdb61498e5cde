public import Basics

/// A wall-clock time in NTP's 64-bit form: seconds since 1900 and a 32-bit fraction (RFC 3550 section 4).
///
/// Arithmetic wraps as the format does (era 1 starts in 2036), so only differences below 68 years mean anything.
public struct NTPTime: Hashable, Sendable {
  /// Seconds in the high, fraction in the low 32 bits.
  public var rawValue: UInt64

  /// The time of the 64 bits on the wire.
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The time `unixNanoseconds` after 1970-01-01 00:00 UTC.
  @inlinable public init(unixNanoseconds: Int64) {
    let seconds = unixNanoseconds / 1_000_000_000
    let rest = unixNanoseconds % 1_000_000_000
    let floorSeconds = rest < 0 ? seconds &- 1 : seconds
    let fraction = UInt64(truncatingIfNeeded: rest < 0 ? rest &+ 1_000_000_000 : rest)
    rawValue =
      UInt64(truncatingIfNeeded: floorSeconds &+ 2_208_988_800) << 32
      | ((fraction << 32) / 1_000_000_000)
  }

  /// The middle 32 bits, as reports carry it in LSR: 16 bits of seconds, 16 of fraction (RFC 3550 section 6.4.1).
  @inlinable public var middle32: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }

  /// The time `span` later.
  @inlinable public static func + (time: NTPTime, span: TimeSpan) -> NTPTime {
    // Whole seconds and the rest apart, so that no product leaves 64 bits.
    let seconds = span.nanoseconds / 1_000_000_000
    let rest = span.nanoseconds % 1_000_000_000
    let fraction = (rest &<< 32) / 1_000_000_000
    return NTPTime(rawValue: time.rawValue &+ UInt64(truncatingIfNeeded: (seconds &<< 32) &+ fraction))
  }

  /// How much later `a` is than `b`; negative when it is earlier.
  @inlinable public static func - (a: NTPTime, b: NTPTime) -> TimeSpan {
    let difference = Int64(truncatingIfNeeded: a.rawValue &- b.rawValue)
    let seconds = difference >> 32
    let fraction = difference & 0xFFFF_FFFF
    return TimeSpan(nanoseconds: seconds &* 1_000_000_000 &+ (fraction &* 1_000_000_000) >> 32)
  }
}

/// Ties the monotonic clock to wall-clock time, so that protocol code can name the NTP time of an instant
/// without reading a clock.
///
/// Make one when the process starts and keep it: every report of the process then shows one steady time line.
public struct NTPClock: Hashable, Sendable {
  /// An instant of the monotonic clock.
  public let instant: Instant
  /// The wall-clock time at that instant.
  public let time: NTPTime

  /// A clock that shows `time` at `instant`.
  @inlinable public init(instant: Instant, time: NTPTime) {
    self.instant = instant
    self.time = time
  }

  /// The wall-clock time at `now`.
  @inlinable public func time(at now: Instant) -> NTPTime { time + (now - instant) }
}
