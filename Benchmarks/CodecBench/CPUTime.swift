import Basics
import Glibc

/// CPU time of the whole process: what a codec costs whatever threads it uses.
enum CPUTime {
  static var now: TimeSpan {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return TimeSpan(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The CPU time of `body`.
  static func measure(_ body: () throws -> Void) rethrows -> TimeSpan {
    let start = now
    try body()
    return now - start
  }
}
