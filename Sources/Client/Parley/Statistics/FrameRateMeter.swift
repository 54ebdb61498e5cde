import Basics

/// Counts frames of the last second (`framesPerSecond`). Takes 8 bytes for each of them, and at most ``limit``.
struct FrameRateMeter: Hashable, Sendable {
  /// Faster than any source; a flood of frames must not take memory.
  static let limit = 512

  private var times: [Instant] = []
  private var oldest = 0

  /// Takes note of a frame.
  mutating func add(_ time: Instant) {
    while oldest < times.count, time - times[oldest] >= .seconds(1) { oldest += 1 }
    if oldest * 2 > times.count || times.count >= Self.limit {
      times.removeFirst(oldest)
      oldest = 0
    }
    if times.count < Self.limit { times.append(time) }
  }

  /// How many there were in the second before `now`.
  func framesPerSecond(now: Instant) -> Double {
    Double(times[oldest...].count { now - $0 < .seconds(1) })
  }
}
