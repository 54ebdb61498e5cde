/// Builds one SCTP packet (RFC 9260 section 3). One allocation, of the packet itself.
struct SCTPPacketWriter {
  private(set) var bytes: [UInt8] = []

  /// The common header, with the checksum still zero.
  init(port: UInt16, tag: UInt32, capacity: Int) {
    bytes.reserveCapacity(capacity)
    bytes.appendNetwork(port)
    bytes.appendNetwork(port)
    bytes.appendNetwork(tag)
    bytes.appendNetwork(UInt32(0))
  }

  /// The length so far.
  var count: Int { bytes.count }
  /// Whether it holds no chunk yet.
  var isEmpty: Bool { bytes.count == SCTPAssociation.headerLength }

  /// Adds a whole chunk, its header included, and pads it.
  mutating func append(chunk: [UInt8]) {
    bytes.append(contentsOf: chunk)
    pad()
  }

  /// Adds a DATA chunk (section 3.3.1).
  mutating func append(_ chunk: SCTPOutstandingChunk, tsn: Int64) {
    bytes.append(SCTPChunkType.data.rawValue)
    bytes.append(chunk.flags)
    bytes.appendNetwork(UInt16(truncatingIfNeeded: 16 &+ chunk.length))
    bytes.appendNetwork(SCTPSerial.wire(tsn))
    bytes.appendNetwork(chunk.stream)
    bytes.appendNetwork(chunk.sequence)
    bytes.appendNetwork(chunk.payloadProtocol)
    bytes.append(contentsOf: chunk.payload[chunk.offset..<chunk.offset &+ chunk.length])
    pad()
  }

  /// The packet with its checksum, which goes out in the order of the CRC's own bits (appendix A): low byte first.
  consuming func finish() -> [UInt8] {
    let crc = CRC32c.ofPacket(bytes.span)
    for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(index * 8)) }
    return bytes
  }

  private mutating func pad() { while bytes.count & 3 != 0 { bytes.append(0) } }
}

extension Array where Element == UInt8 {
  mutating func appendNetwork(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  mutating func appendNetwork(_ value: UInt32) {
    appendNetwork(UInt16(truncatingIfNeeded: value >> 16))
    appendNetwork(UInt16(truncatingIfNeeded: value))
  }

  mutating func appendNetwork(_ value: UInt64) {
    appendNetwork(UInt32(truncatingIfNeeded: value >> 32))
    appendNetwork(UInt32(truncatingIfNeeded: value))
  }

  /// Bytes of a span.
  init(copying span: Span<UInt8>, _ range: Range<Int>) {
    self.init()
    reserveCapacity(range.count)
    for index in range { append(span[index]) }
  }

  /// A chunk, without padding. Values are far below 64 KiB: every caller bounds them by a packet.
  static func sctpChunk(_ type: SCTPChunkType, flags: UInt8 = 0, _ value: [UInt8] = []) -> [UInt8] {
    var chunk: [UInt8] = [type.rawValue, flags]
    chunk.appendNetwork(UInt16(truncatingIfNeeded: value.count &+ 4))
    chunk.append(contentsOf: value)
    return chunk
  }

  /// Adds a parameter or cause: type, length, value, padding when something else follows.
  mutating func appendParameter(_ type: UInt16, _ value: [UInt8]) {
    while count & 3 != 0 { append(0) }
    appendNetwork(type)
    appendNetwork(UInt16(truncatingIfNeeded: value.count &+ 4))
    append(contentsOf: value)
  }
}
