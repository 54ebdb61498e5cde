import Basics
import Glibc
import RTC

/// The time of day, for certificates and reports.
enum UnixTime {
  /// Seconds since 1970.
  static var now: Int64 { Int64(time(nil)) }

  /// One steady wall clock for every report of the process.
  static let clock: NTPClock = {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // NTP counts from 1900 (RFC 3550 section 4).
    let seconds = UInt64(bitPattern: Int64(now.tv_sec)) &+ 2_208_988_800
    let fraction = (UInt64(bitPattern: Int64(now.tv_nsec)) << 32) / 1_000_000_000
    return NTPClock(instant: MonotonicClock.now, time: NTPTime(rawValue: seconds << 32 | fraction))
  }()
}
