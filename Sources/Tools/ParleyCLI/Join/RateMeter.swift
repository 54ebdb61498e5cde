import Basics
import Parley

/// Turns growing counts of a meeting's statistics into rates: bitrates and loss.
struct RateMeter {
  /// The counts of one track since the last measurement.
  struct Rate {
    var bitrate = DataRate.zero
    /// 0 to 1.
    var loss = 0.0
  }

  private struct Count {
    var bytes: UInt64
    var packets: UInt64
    var lost: Int64
    var time: Instant
  }

  private var last: [String: Count] = [:]

  /// The rate of one track by its growing counts.
  mutating func rate(
    _ key: String, bytes: UInt64, packets: UInt64, lost: Int64, now: Instant
  ) -> Rate {
    let count = Count(bytes: bytes, packets: packets, lost: lost, time: now)
    defer { last[key] = count }
    guard let before = last[key], bytes >= before.bytes, packets >= before.packets, now > before.time else {
      return Rate()
    }
    let seconds = (now - before.time).seconds
    let lostNow = Double(max(lost - before.lost, 0))
    let expected = Double(packets - before.packets) + lostNow
    return Rate(
      bitrate: DataRate(bitsPerSecond: Int64(Double(bytes - before.bytes) * 8 / seconds)),
      loss: expected > 0 ? lostNow / expected : 0)
  }
}
