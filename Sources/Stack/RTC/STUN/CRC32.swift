/// The CRC-32 of ITU-T V.42, which STUN's FINGERPRINT is made of (RFC 8489 section 14.7).
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1
    }
  }

  /// The checksum of `bytes`. A few nanoseconds a byte; no allocation.
  static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
    let table = table.span
    var crc: UInt32 = 0xFFFF_FFFF
    for index in bytes.indices {
      crc = table[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ (crc >> 8)
    }
    return ~crc
  }
}
