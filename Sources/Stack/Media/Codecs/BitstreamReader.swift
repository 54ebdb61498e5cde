/// Reads bit fields, most significant bit first, of a codec's header. Reading past the end gives nil.
struct BitstreamReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var bit = 0

  /// A reader at the start of `bytes`, which must stay valid.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The next `count` bits, 0 to 32.
  mutating func read(_ count: Int) -> Int? {
    guard count <= bytes.count * 8 - bit else { return nil }
    var value = 0
    for _ in 0..<count {
      value = value << 1 | Int(bytes[bit >> 3] >> UInt8(7 - bit & 7) & 1)
      bit += 1
    }
    return value
  }

  /// The next bit.
  mutating func flag() -> Bool? { read(1).map { $0 != 0 } }

  /// An unsigned Exp-Golomb number (H.264 section 9.1), up to 2^32 − 2.
  mutating func exponential() -> Int? {
    var zeros = 0
    while let bit = read(1), bit == 0 {
      zeros += 1
      if zeros > 31 { return nil }
    }
    return read(zeros).map { (1 << zeros) - 1 + $0 }
  }

  /// A signed Exp-Golomb number (H.264 section 9.1.1).
  mutating func signedExponential() -> Int? {
    exponential().map { $0 & 1 == 1 ? ($0 + 1) / 2 : -($0 / 2) }
  }
}
