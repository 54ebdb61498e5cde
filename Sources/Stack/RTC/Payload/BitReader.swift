/// Reads bit fields, most significant bit first, from a range of a packet. Reading past the end is an error.
struct BitReader: Sendable {
  private var bit: Int
  private let end: Int

  /// A reader at the start of `range`, whose bytes the caller has checked to lie in the packet.
  init(_ range: Range<Int>) {
    bit = range.lowerBound &* 8
    end = range.upperBound &* 8
  }

  /// The next bit's place, counted from the packet's first bit.
  var position: Int { bit }

  /// The next `count` bits, 0 to 32.
  mutating func read(_ count: Int, in packet: Span<UInt8>) throws(PayloadError) -> UInt32 {
    guard count <= end &- bit else { throw .truncated }
    var value: UInt32 = 0
    for _ in 0..<count {
      value = value << 1 | UInt32(packet[bit >> 3] >> UInt8(7 &- bit & 7) & 1)
      bit &+= 1
    }
    return value
  }

  /// The next bit.
  mutating func flag(in packet: Span<UInt8>) throws(PayloadError) -> Bool { try read(1, in: packet) != 0 }

  /// Passes over `count` bits.
  mutating func skip(_ count: Int) throws(PayloadError) {
    guard count >= 0, count <= end &- bit else { throw .truncated }
    bit &+= count
  }

  /// A non-symmetric unsigned number below `limit`, at least 1 (AV1 specification, section 4.10.7).
  mutating func nonSymmetric(below limit: Int, in packet: Span<UInt8>) throws(PayloadError) -> Int {
    guard limit > 1 else { return 0 }
    let width = Int.bitWidth &- limit.leadingZeroBitCount
    let short = (1 << width) &- limit
    let value = Int(try read(width &- 1, in: packet))
    if value < short { return value }
    return (value << 1) &- short &+ Int(try read(1, in: packet))
  }

  /// An Exp-Golomb number of at most 32 bits (`ue(v)` of ITU-T H.264 section 9.1, `uvlc()` of the AV1 specification,
  /// section 4.10.3).
  mutating func exponentialGolomb(in packet: Span<UInt8>) throws(PayloadError) -> UInt32 {
    var zeros = 0
    while try !flag(in: packet) {
      zeros &+= 1
      guard zeros < 32 else { throw .malformed }
    }
    guard zeros > 0 else { return 0 }
    return (1 << UInt32(zeros)) &- 1 &+ (try read(zeros, in: packet))
  }
}
