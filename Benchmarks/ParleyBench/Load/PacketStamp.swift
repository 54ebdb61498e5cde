import Basics

/// The time of sending in a packet's payload, with a check value, so that a receiver can detect a damaged packet.
enum PacketStamp {
  /// Bytes that it takes.
  static let length = 12

  /// Writes `time` to `payload` at `offset`.
  static func write(_ time: Instant, to payload: inout [UInt8], at offset: Int) {
    let stamp = UInt64(bitPattern: time.nanoseconds)
    let check = UInt32(truncatingIfNeeded: stamp) ^ 0x5041_524C
    for index in 0..<8 { payload[offset + index] = UInt8(truncatingIfNeeded: stamp >> UInt64(56 - 8 * index)) }
    for index in 0..<4 { payload[offset + 8 + index] = UInt8(truncatingIfNeeded: check >> UInt32(24 - 8 * index)) }
  }

  /// The time at `offset` of `datagram`, which has ``length`` bytes there; nil when they are damaged.
  static func read(_ datagram: Span<UInt8>, at offset: Int) -> Instant? {
    var stamp: UInt64 = 0
    for index in 0..<8 { stamp = stamp << 8 | UInt64(datagram[offset + index]) }
    var seen: UInt32 = 0
    for index in 8..<12 { seen = seen << 8 | UInt32(datagram[offset + index]) }
    guard seen == UInt32(truncatingIfNeeded: stamp) ^ 0x5041_524C else { return nil }
    return Instant(nanoseconds: Int64(bitPattern: stamp))
  }
}
