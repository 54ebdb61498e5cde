/// The few facts of an RTP header that SRTP needs, bounds-checked (RFC 3550 section 5.1).
struct SRTPPacketFacts {
  /// Bytes before the payload: fixed header, CSRC list, extension.
  let headerLength: Int
  let sequence: UInt16
  let ssrc: UInt32

  /// Reads the header of `packet`; nil when it is not version 2 or runs past the end.
  @inline(__always)
  init?(_ packet: Span<UInt8>) {
    guard packet.count >= 12, packet[0] >> 6 == 2 else { return nil }
    var length = 12 &+ Int(packet[0] & 0x0F) &* 4
    if packet[0] & 0x10 != 0 {
      guard packet.count >= length &+ 4 else { return nil }
      length = length &+ 4 &+ (Int(packet[length &+ 2]) << 8 | Int(packet[length &+ 3])) &* 4
    }
    guard packet.count >= length else { return nil }
    headerLength = length
    sequence = UInt16(packet[2]) << 8 | UInt16(packet[3])
    ssrc = packet.bigEndianWord(at: 8)
  }
}

extension Span where Element == UInt8 {
  /// The big-endian 32-bit word at `offset`; traps when out of bounds, so the caller has checked.
  @inline(__always)
  func bigEndianWord(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset &+ 1]) << 16 | UInt32(self[offset &+ 2]) << 8
      | UInt32(self[offset &+ 3])
  }
}
