package import Basics

/// When the frames of a capturer were captured, on this machine's clock.
///
/// A capturer counts from any start, often that of its device or its film. Only the distances between its timestamps
/// are used, so that uneven frames are shown as evenly as they were captured. A timestamp isn't used if it isn't after
/// the one before, or leads the frame's arrival by more than ``patience``. Such a frame was captured when it came, less
/// ``delay``, and the distances count from there.
package struct CaptureClock {
  /// How far a timestamp may lead from when its frame came.
  static let patience = TimeSpan.milliseconds(200)
  /// A clock that goes a little too fast or too slowly is followed by this share of what it is wrong by, frame by
  /// frame.
  private static let correction: Int64 = 256
  /// A longer span between two frames isn't a distance.
  private static let longest = TimeSpan.seconds(3_600)

  /// How old a frame is when it comes.
  package var delay = TimeSpan.zero

  private var latest: (stamp: Int64?, time: Instant)?

  package init() {}

  /// The time of a frame that comes at `now`, in order: never before the one before, and never in the future.
  ///
  /// - Parameter stamp: The capturer's own time in nanoseconds; nil when it gives none.
  package mutating func time(of stamp: Int64?, now: Instant) -> Instant {
    let expected = now - delay
    let before = latest?.time ?? expected
    let time = min(max(followed(stamp, expected) ?? expected, before), max(now, before))
    latest = (stamp, time)
    return time
  }

  /// nil when the timestamp is not to be followed.
  private func followed(_ stamp: Int64?, _ expected: Instant) -> Instant? {
    guard let stamp, let latest, let before = latest.stamp else { return nil }
    let (distance, isTooFar) = stamp.subtractingReportingOverflow(before)
    guard !isTooFar, distance > 0, distance < Self.longest.nanoseconds else { return nil }
    let time = latest.time + TimeSpan(nanoseconds: distance)
    let wrong = (expected - time).nanoseconds
    guard abs(wrong) <= Self.patience.nanoseconds else { return nil }
    return time + TimeSpan(nanoseconds: wrong / Self.correction)
  }
}
