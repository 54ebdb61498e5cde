import Basics
import RTC

/// Turns the times of frames into the ticks of encoders and RTP: 90 kHz, strictly rising from 0.
struct EncoderClock {
  /// Ticks a second.
  static let frequency: Int64 = 90_000

  private var last: Instant?
  private(set) var ticks: Int64 = 0

  /// The tick of a frame captured at `time`. Times that stand still or go back give one tick more. A pause counts as
  /// 200 ms or two frames, since encoders would otherwise grant the next frame the bits of the whole pause.
  mutating func advance(to time: Instant, framesPerSecond: Int) -> Int64 {
    guard let last else {
      self.last = time
      return 0
    }
    let span = Self.ticks(time - last)
    ticks += min(max(span, 1), max(Self.frequency / 5, 2 * Self.frequency / Int64(framesPerSecond)))
    self.last = time
    return ticks
  }

  private static func ticks(_ span: TimeSpan) -> Int64 {
    // A pause of more than a minute is cut anyway, and must not overflow.
    min(max(span.nanoseconds, 0), 60_000_000_000) * 9 / 100_000
  }

  /// The RTP timestamp of a frame captured at `time` (RFC 3550 section 5.1).
  static func timestamp(at time: Instant) -> RTPTimestamp {
    let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: seconds &* frequency &+ rest * 9 / 100_000))
  }
}
