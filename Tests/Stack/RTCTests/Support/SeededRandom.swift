/// A generator whose whole sequence follows from one seed, so that a failing run repeats exactly (SplitMix64).
///
/// Name the seed in the failure message: `#expect(..., "seed \(seed)")`.
struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// True in `probability` of the calls (0…1).
  mutating func chance(_ probability: Double) -> Bool {
    Double(next() >> 11) * 0x1p-53 < probability
  }

  /// `count` bytes, each value equally likely.
  mutating func bytes(_ count: Int) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(count)
    while out.count < count {
      let word = next()
      for shift in 0..<min(8, count - out.count) {
        out.append(UInt8(truncatingIfNeeded: word >> (shift * 8)))
      }
    }
    return out
  }

  /// A damaged copy of `message`: one to four of bit flip, byte set (with a taste for 0, 1, 0x7F, 0x80 and 0xFF),
  /// 16-bit length nudged, cut, range removed, range doubled, bytes inserted, tail appended.
  ///
  /// For mutation loops that stand in for a fuzzer:
  ///
  ///     var random = SeededRandom(seed: 1)
  ///     for _ in 0..<100_000 { _ = try? Thing.parse(random.mutate(random.pick(corpus)).span) }
  mutating func mutate(_ message: [UInt8]) -> [UInt8] {
    var out = message
    for _ in 0..<(1 + below(4)) {
      if out.isEmpty {
        out = bytes(1 + below(8))
        continue
      }
      let at = below(out.count)
      switch below(9) {
      case 0: out[at] ^= 1 << UInt8(below(8))
      case 1: out[at] = UInt8(truncatingIfNeeded: next())
      case 2: out[at] = pick([0, 1, 0x7F, 0x80, 0xFF, 0xFE])
      case 3:
        // Length fields are where parsers break, so values near the true one are tried on purpose.
        let next = min(at + 1, out.count - 1)
        let value = (UInt16(out[at]) << 8 | UInt16(out[next])) &+ UInt16(truncatingIfNeeded: below(17) - 8)
        out[at] = UInt8(value >> 8)
        out[next] = UInt8(value & 0xFF)
      case 4: out.removeLast(out.count - at)
      case 5: out.removeSubrange(at..<min(out.count, at + 1 + below(16)))
      case 6: out.insert(contentsOf: out[at..<min(out.count, at + 1 + below(32))], at: at)
      case 7: out.insert(contentsOf: bytes(1 + below(8)), at: at)
      default: out += bytes(1 + below(64))
      }
    }
    return out
  }

  /// One of `choices`, which must not be empty.
  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

  /// A value of `0..<limit`, `limit` at least 1.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
