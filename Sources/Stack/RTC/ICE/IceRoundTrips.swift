internal import Basics

/// How long the answers to checks over one path took. Those to consent checks count too, so that it goes on while the
/// path is in use.
struct IceRoundTrips: Hashable, Sendable {
  /// The last one; nil before the first answer that could be timed.
  private(set) var current: TimeSpan?
  /// All of them together.
  private(set) var total = TimeSpan.zero
  /// How many there were.
  private(set) var count: UInt64 = 0

  mutating func add(_ time: TimeSpan) {
    current = max(time, .zero)
    total = total + max(time, .zero)
    count &+= 1
  }

  mutating func add(_ others: IceRoundTrips) {
    current = others.current ?? current
    total = total + others.total
    count &+= others.count
  }
}
