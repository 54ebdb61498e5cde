/// Turns a retransmission back into the packet it repeats (RFC 4588 section 4).
public enum RTXUnpacker {
  /// Rewrites the retransmission in `packet` in place: original sequence number, payload type and SSRC; the original
  /// sequence number in front of the payload and any padding go.
  ///
  /// The header extension stays as it was sent, so it may carry the repaired RID where the original had the RID.
  /// Cost: the payload moves by two bytes.
  /// - Parameters:
  ///   - packet: the opened packet that `header` was read from.
  ///   - ssrc: the SSRC of the stream that it repairs.
  ///   - payloadType: the payload type that the retransmission's one is associated with (`apt`).
  /// - Returns: the header of the original; the packet's new length is its ``RTPHeader/packetLength``. Nil for a
  ///   retransmission without payload, which browsers send to probe for bandwidth: count it and drop it.
  /// - Throws: ``RTPError/retransmission`` when one byte is left where two are needed, ``RTPError/truncated`` when
  ///   `packet` is shorter than `header` says.
  public static func unpack(
    _ packet: inout MutableSpan<UInt8>, header: RTPHeader, ssrc: SSRC, payloadType: PayloadType
  ) throws(RTPError) -> RTPHeader? {
    guard header.packetLength <= packet.count, header.payloadOffset >= 12 else { throw .truncated }
    guard header.payloadLength > 0 else { return nil }
    guard header.payloadLength >= 2 else { throw .retransmission }
    let start = header.payloadOffset
    let sequence = UInt16(packet[start]) << 8 | UInt16(packet[start &+ 1])
    for index in start..<(start &+ header.payloadLength &- 2) { packet[index] = packet[index &+ 2] }

    packet[0] &= ~0x20
    packet[1] = packet[1] & 0x80 | payloadType.rawValue
    packet.setNetworkUInt16(sequence, at: 2)
    packet.setNetworkUInt32(ssrc.rawValue, at: 8)

    var original = header
    original.sequenceNumber = SequenceNumber(rawValue: sequence)
    original.payloadType = payloadType
    original.ssrc = ssrc
    original.hasPadding = false
    original.padding8 = 0
    original.payloadLength16 = UInt16(truncatingIfNeeded: header.payloadLength &- 2)
    return original
  }
}
