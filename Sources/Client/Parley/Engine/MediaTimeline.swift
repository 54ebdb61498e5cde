import Basics
import RTC

/// Turns capture times into RTP timestamps: one line through a random start, so that frames of one source keep their
/// distances.
struct MediaTimeline {
  private let clockRate: Int64
  private let offset: UInt32
  private var origin: Instant?

  init(clockRate: UInt32) {
    self.clockRate = Int64(clockRate)
    offset = .random(in: 0...UInt32.max)
  }

  /// The timestamp of a frame taken at `time`.
  mutating func timestamp(at time: Instant) -> RTPTimestamp {
    let origin = self.origin ?? time
    self.origin = origin
    let elapsed = (time - origin).nanoseconds
    // Seconds and the rest apart: hours in nanoseconds times 90,000 would not fit 64 bits.
    let seconds = elapsed / 1_000_000_000
    let rest = elapsed % 1_000_000_000
    let ticks = seconds &* clockRate &+ rest &* clockRate / 1_000_000_000
    return RTPTimestamp(rawValue: offset &+ UInt32(truncatingIfNeeded: ticks))
  }
}
