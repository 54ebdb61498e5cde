import Basics

/// The rate for one purpose, smoothed over about a second.
struct RateMeter: Sendable {
  /// The bytes of this interval.
  private(set) var bytes = 0
  private var bitsPerSecond = 0.0

  var rate: DataRate { DataRate(bitsPerSecond: Int64(bitsPerSecond)) }

  /// Takes note of `count` bytes.
  @inline(__always)
  mutating func add(_ count: Int) { bytes &+= count }

  mutating func tick(_ elapsed: TimeSpan) {
    let seconds = max(elapsed.seconds, 0.01)
    let share = min(seconds / 0.8, 1)
    bitsPerSecond += share * (Double(bytes) * 8 / seconds - bitsPerSecond)
    bytes = 0
  }
}
