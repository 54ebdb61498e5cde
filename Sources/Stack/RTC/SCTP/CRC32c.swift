/// The CRC-32C (Castagnoli) that protects SCTP packets (RFC 9260 section 6.8 and appendix A).
enum CRC32c {
  /// Eight tables of 256 entries: table `n` advances a byte by `n` more bytes, so that eight bytes take eight
  /// independent look-ups instead of eight dependent ones.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for index in 0..<256 {
      tables[index] = (0..<8).reduce(UInt32(index)) { value, _ in
        value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1
      }
    }
    for index in 256..<tables.count {
      let previous = tables[index - 256]
      tables[index] = tables[Int(previous & 0xFF)] ^ (previous >> 8)
    }
    return tables
  }()

  /// The checksum of a packet with its checksum field, bytes 8 to 11, counted as zero. The packet has at least 12
  /// bytes. About half a nanosecond a byte; no allocation.
  static func ofPacket(_ packet: Span<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    update(&crc, packet.extracting(0..<8))
    for _ in 0..<4 { crc = tables[Int(crc & 0xFF)] ^ (crc >> 8) }
    update(&crc, packet.extracting(12..<packet.count))
    return ~crc
  }

  /// The checksum of plain bytes.
  static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    update(&crc, bytes)
    return ~crc
  }

  private static func update(_ crc: inout UInt32, _ bytes: Span<UInt8>) {
    let table = tables.span
    var value = crc
    var at = 0
    while at &+ 8 <= bytes.count {
      // Little-endian words, as the reflected polynomial wants them.
      let low =
        value
        ^ (UInt32(bytes[at]) | UInt32(bytes[at &+ 1]) << 8 | UInt32(bytes[at &+ 2]) << 16
          | UInt32(bytes[at &+ 3]) << 24)
      let first = table[0x700 | Int(low & 0xFF)] ^ table[0x600 | Int(low >> 8 & 0xFF)]
      let second = table[0x500 | Int(low >> 16 & 0xFF)] ^ table[0x400 | Int(low >> 24)]
      let third = table[0x300 | Int(bytes[at &+ 4])] ^ table[0x200 | Int(bytes[at &+ 5])]
      let fourth = table[0x100 | Int(bytes[at &+ 6])] ^ table[Int(bytes[at &+ 7])]
      value = first ^ second ^ third ^ fourth
      at &+= 8
    }
    while at < bytes.count {
      value = table[Int((value ^ UInt32(bytes[at])) & 0xFF)] ^ (value >> 8)
      at &+= 1
    }
    crc = value
  }
}
