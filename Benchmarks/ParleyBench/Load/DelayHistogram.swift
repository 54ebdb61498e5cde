import Basics

/// Counts delays in logarithmic buckets (about 2 % wide), so that millions of them cost a fixed 8 KiB and no
/// allocation.
struct DelayHistogram {
  private var buckets: [Int]
  private(set) var count = 0

  private static let bucketsPerOctave = 32
  private static let octaves = 32

  init() { buckets = Array(repeating: 0, count: Self.bucketsPerOctave * Self.octaves) }

  /// Counts one delay; below a microsecond counts as one microsecond.
  mutating func record(_ delay: TimeSpan) {
    let nanoseconds = max(delay.nanoseconds, 1_000)
    let octave = Int64.bitWidth - 1 - nanoseconds.leadingZeroBitCount
    let fraction = Int(nanoseconds >> Int64(max(octave - 5, 0))) & 31
    buckets[min(octave * Self.bucketsPerOctave + fraction, buckets.count - 1)] += 1
    count += 1
  }

  /// Adds what `other` counted.
  mutating func merge(_ other: DelayHistogram) {
    for index in buckets.indices { buckets[index] += other.buckets[index] }
    count += other.count
  }

  /// The delay below which `share` (0…1) of all lie, in milliseconds; nil when nothing was counted.
  func milliseconds(atShare share: Double) -> Double? {
    guard count > 0 else { return nil }
    var left = Int((Double(count) * share).rounded(.up))
    for (index, n) in buckets.enumerated() where n > 0 {
      left -= n
      if left <= 0 {
        let octave = index / Self.bucketsPerOctave
        let fraction = Double(index % Self.bucketsPerOctave) + 1
        return Double(1 << octave) * (1 + fraction / 32) / 1e6
      }
    }
    return nil
  }
}
