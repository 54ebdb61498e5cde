import Basics
import FoundationEssentials

/// The time of a command, on two clocks.
struct RoomTime: Sendable, Hashable {
  /// For spans, such as how long a session is kept without a socket.
  var instant: Instant
  /// For what is written down, and for what happens at a time of day.
  var date: Date
}

extension TimeSpan {
  /// The same as `duration`, to the nanosecond.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = .seconds(seconds) + TimeSpan(nanoseconds: attoseconds / 1_000_000_000)
  }
}
