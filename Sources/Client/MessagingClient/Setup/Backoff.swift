import Basics

/// Growing pauses between attempts: doubled each time, shortened at random by up to a half, so that endpoints which
/// lost one server don't come back at one moment.
struct Backoff: Sendable {
  static let first = TimeSpan.milliseconds(250)
  static let longest = TimeSpan.seconds(60)

  private var pause = Backoff.first

  /// The next pause. `random` is any number.
  mutating func next(random: UInt64) -> TimeSpan {
    let span = pause
    pause = min(pause * 2, Self.longest)
    let half = span.nanoseconds / 2
    return TimeSpan(nanoseconds: half + Int64(random % UInt64(max(half, 1))))
  }

  /// An attempt has succeeded.
  mutating func reset() { pause = Self.first }
}
