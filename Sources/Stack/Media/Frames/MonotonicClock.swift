public import Basics
import Glibc

/// The clock of sources, jitter buffers and sinks: `CLOCK_MONOTONIC`, the same one the event loops read.
///
/// ```swift
/// let start = MonotonicClock.now
/// try await meeting.join()
/// print("Joined in \((MonotonicClock.now - start).milliseconds) ms.")
/// ```
public enum MonotonicClock {
  /// Now. Costs about 20 ns.
  ///
  /// ```swift
  /// let age = MonotonicClock.now - frame.time
  /// ```
  public static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}
