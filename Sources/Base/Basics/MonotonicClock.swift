#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system's monotonic clock (`CLOCK_MONOTONIC`), for those who hand the time to everything else: event loops,
/// sources, jitter buffers, sinks.
///
/// ```swift
/// let start = MonotonicClock.now
/// try await meeting.join()
/// print("Joined in \((MonotonicClock.now - start).milliseconds) ms.")
/// ```
public enum MonotonicClock {
  /// Now. Costs about 20 ns, and is safe in a signal handler.
  public static var now: Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}
