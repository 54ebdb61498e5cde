import Glibc

/// Loudness as RTP carries it (RFC 6464): the root mean square of the samples in decibels below the loudest the format
/// can hold.
public enum AudioLevel {
  /// The level of silence, in −dBov.
  public static let silence: UInt8 = 127

  /// The level in −dBov, 0 (a full-scale square wave) to 127 (silence, or nothing). A full-scale sine is 3.
  ///
  ///     AudioLevel.measure(frame.samples)   // 30: somebody speaks
  ///
  /// Channels are measured together. Cost: one multiplication a sample, about 0.3 µs for 10 ms mono.
  public static func measure(_ samples: some Collection<Int16>) -> UInt8 {
    guard let sum = samples.withContiguousStorageIfAvailable(sumOfSquares) else {
      let copy = Array(samples)
      return copy.withUnsafeBufferPointer { level(sumOfSquares: sumOfSquares($0), count: $0.count) }
    }
    return level(sumOfSquares: sum, count: samples.count)
  }

  /// The level in −dBov as a linear amplitude, 0 to 1, for meters.
  public static func amplitude(of level: UInt8) -> Double {
    level >= silence ? 0 : pow(10, -Double(level) / 20)
  }

  private static func sumOfSquares(_ samples: UnsafeBufferPointer<Int16>) -> Int64 {
    var sum: Int64 = 0
    // Cannot overflow: 2^30 a sample leaves room for 2^33 samples.
    for sample in samples { sum &+= Int64(Int32(sample) &* Int32(sample)) }
    return sum
  }

  private static func level(sumOfSquares: Int64, count: Int) -> UInt8 {
    guard count > 0, sumOfSquares > 0 else { return silence }
    let meanSquare = Double(sumOfSquares) / Double(count) / (32_767.0 * 32_767.0)
    let decibels = -10 * log10(meanSquare)
    return UInt8(min(max(decibels.rounded(), 0), Double(silence)))
  }
}
