/// A generator whose whole sequence follows from one seed (SplitMix64), so that a failing run repeats exactly.
public struct EmulatorRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator with the sequence of `seed`.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from 0 to below 1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
