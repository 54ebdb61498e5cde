/// A request for lost packets: the generic NACK (RFC 4585 section 6.2.1).
public struct NACK: Hashable, Sendable {
  public let senderSSRC: SSRC
  /// The stream that lost packets.
  public let mediaSSRC: SSRC
  let offset: Int
  /// How many entries there are; each names 1 to 17 packets.
  public let entryCount: Int

  init(body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    guard body.count >= 12, body.count & 3 == 0 else { throw .malformed }
    senderSSRC = SSRC(rawValue: datagram.networkUInt32(at: body.lowerBound))
    mediaSSRC = SSRC(rawValue: datagram.networkUInt32(at: body.lowerBound &+ 4))
    offset = body.lowerBound &+ 8
    entryCount = (body.count &- 8) / 4
  }

  /// An iterator over the sequence numbers asked for, in the order of the packet.
  ///
  /// A sender may name a number more than once; at most 17 numbers come per four bytes. Keep a budget per peer.
  public var sequenceNumbers: NACKIterator { NACKIterator(offset: offset, end: offset &+ entryCount &* 4) }
}

/// Walks the sequence numbers of a generic NACK.
public struct NACKIterator: Sendable {
  var offset: Int
  let end: Int
  var packet: UInt16 = 0
  /// The bits of the current entry that were not handed out yet.
  var mask: UInt16 = 0

  init(offset: Int, end: Int) {
    self.offset = offset
    self.end = end
  }

  /// The next sequence number; nil after the last one.
  public mutating func next(in datagram: Span<UInt8>) -> SequenceNumber? {
    if mask != 0 {
      let bit = mask.trailingZeroBitCount
      mask &= mask &- 1
      return SequenceNumber(rawValue: packet &+ UInt16(truncatingIfNeeded: bit) &+ 1)
    }
    guard offset &+ 4 <= min(end, datagram.count) else { return nil }
    packet = datagram.networkUInt16(at: offset)
    mask = datagram.networkUInt16(at: offset &+ 2)
    offset &+= 4
    return SequenceNumber(rawValue: packet)
  }
}
