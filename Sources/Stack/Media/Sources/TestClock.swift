public import Basics
import Glibc

/// The time of day that test videos show and test tones follow: milliseconds of the UTC day, counted by
/// ``MonotonicClock``, so that it neither jumps nor differs between the sources of one process.
///
/// Processes of one machine agree to within a millisecond. So a browser's `Date.now() % 86_400_000` minus the time in a
/// frame is the delay from camera to screen.
///
/// ```swift
/// let clock = TestClock()
/// let picture = TestPictureSource(flashes: true, clock: clock)
/// let beeps = ToneSource(pattern: .beep, clock: clock)  // together with the flashes
/// ```
public struct TestClock: Hashable, Sendable {
  /// The clock of this process, set from the system's time when it is first used.
  ///
  /// ```swift
  /// let time = TestClock.shared.milliseconds(at: MonotonicClock.now)
  /// ```
  public static let shared = TestClock()

  /// Milliseconds of a day.
  ///
  /// ```swift
  /// let noon = TestClock.dayLength / 2
  /// ```
  public static let dayLength: Int64 = 86_400_000

  private let offset: Int64

  /// A clock that follows the system's time of now.
  ///
  /// ```swift
  /// let picture = TestPictureSource(clock: TestClock())
  /// ```
  public init() {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    offset = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) &- MonotonicClock.now.nanoseconds
  }

  /// A clock that shows midnight at `midnight`; for tests.
  ///
  /// ```swift
  /// let clock = TestClock(midnight: .zero)  // the same pictures in every run
  /// ```
  public init(midnight: Instant) { offset = 0 &- midnight.nanoseconds }

  /// Nanoseconds since 1970 (or the chosen midnight), never negative.
  func nanoseconds(at instant: Instant) -> Int64 { max(instant.nanoseconds &+ offset, 0) }

  /// Milliseconds of the day, 0 to 86,399,999.
  ///
  /// ```swift
  /// if let marker = TestPictureMarker.read(from: frame) {
  ///   print("\(TestClock.shared.milliseconds(at: MonotonicClock.now) - marker.milliseconds) ms from camera to screen")
  /// }
  /// ```
  public func milliseconds(at instant: Instant) -> Int64 {
    nanoseconds(at: instant) / 1_000_000 % Self.dayLength
  }

  /// The last instant, not after `instant`, on the grid of `rate` ticks a second that begins with each second.
  func gridPoint(before instant: Instant, rate: Int) -> Instant {
    let past = nanoseconds(at: instant) % 1_000_000_000
    let index = past * Int64(rate) / 1_000_000_000
    return instant - TimeSpan(nanoseconds: past - (index * 1_000_000_000 + Int64(rate) - 1) / Int64(rate))
  }

  /// Whether the lip-sync signal is on: in the first 100 ms of each second frames are white and tones beep.
  ///
  /// ```swift
  /// let isWhite = TestClock.shared.isFlash(at: frame.time)
  /// ```
  public func isFlash(at instant: Instant) -> Bool {
    nanoseconds(at: instant) % 1_000_000_000 < 100_000_000
  }
}
