public import Basics

/// Writes RTCP packets one after the other into a buffer, as one datagram (RFC 3550 section 6.1, RFC 5506).
///
/// A compound packet starts with a report; browsers also accept reduced-size packets (`a=rtcp-rsize`).
/// A plain value that holds the length only; nothing allocates. When a packet does not fit, the call throws and the
/// buffer keeps what was complete.
public struct RTCPWriter: Sendable {
  /// The length of the packets written so far, in bytes; a multiple of 4.
  public internal(set) var length = 0

  /// A writer at the start of a buffer.
  public init() {}

  /// Adds a sender report with at most 31 report blocks.
  public mutating func append(
    senderReport info: SenderInfo, blocks: Span<ReportBlock>, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    guard blocks.count <= 31 else { throw .count }
    let body = try begin(
      type: 200, count: UInt8(truncatingIfNeeded: blocks.count),
      bodyLength: 24 &+ blocks.count &* ReportBlock.size, in: &buffer)
    buffer.setNetworkUInt32(info.ssrc.rawValue, at: body)
    buffer.setNetworkUInt64(info.ntp.rawValue, at: body &+ 4)
    buffer.setNetworkUInt32(info.rtpTimestamp.rawValue, at: body &+ 12)
    buffer.setNetworkUInt32(info.packetCount, at: body &+ 16)
    buffer.setNetworkUInt32(info.octetCount, at: body &+ 20)
    for index in blocks.indices {
      blocks[index].write(into: &buffer, at: body &+ 24 &+ index &* ReportBlock.size)
    }
  }

  /// Adds a sender report without report blocks.
  public mutating func append(
    senderReport info: SenderInfo, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    try append(senderReport: info, blocks: Span(), into: &buffer)
  }

  /// Adds a receiver report with at most 31 report blocks.
  public mutating func append(
    receiverReportFrom ssrc: SSRC, blocks: Span<ReportBlock>, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    guard blocks.count <= 31 else { throw .count }
    let body = try begin(
      type: 201, count: UInt8(truncatingIfNeeded: blocks.count),
      bodyLength: 4 &+ blocks.count &* ReportBlock.size, in: &buffer)
    buffer.setNetworkUInt32(ssrc.rawValue, at: body)
    for index in blocks.indices {
      blocks[index].write(into: &buffer, at: body &+ 4 &+ index &* ReportBlock.size)
    }
  }

  /// Adds a source description with the CNAME of `ssrc`, 1 to 255 bytes of UTF-8.
  public mutating func append(
    cname: String, of ssrc: SSRC, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let text = cname.utf8
    let count = text.count
    guard (1...255).contains(count) else { throw .count }
    // SSRC, type, length and text, then one to four zero bytes up to the boundary.
    let bodyLength = (4 &+ 2 &+ count &+ 4) & ~3
    let body = try begin(type: 202, count: 1, bodyLength: bodyLength, in: &buffer)
    buffer.setNetworkUInt32(ssrc.rawValue, at: body)
    buffer[body &+ 4] = SDESItem.cname
    buffer[body &+ 5] = UInt8(truncatingIfNeeded: count)
    var offset = body &+ 6
    for byte in text {
      buffer[offset] = byte
      offset &+= 1
    }
    while offset < body &+ bodyLength {
      buffer[offset] = 0
      offset &+= 1
    }
  }

  /// Adds a goodbye for at most 31 streams.
  public mutating func append(
    byeFor ssrcs: Span<SSRC>, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    guard ssrcs.count <= 31 else { throw .count }
    let body = try begin(
      type: 203, count: UInt8(truncatingIfNeeded: ssrcs.count), bodyLength: ssrcs.count &* 4, in: &buffer)
    for index in ssrcs.indices { buffer.setNetworkUInt32(ssrcs[index].rawValue, at: body &+ index &* 4) }
  }

  /// Adds a generic NACK for as many of `lost` as fit, and returns how many that were.
  ///
  /// - Parameter lost: sequence numbers in ascending order (modulo 2¹⁶), without repetitions.
  /// - Throws: ``RTCPError/count`` when `lost` is empty, ``RTCPError/bufferTooSmall`` when not one entry fits.
  @discardableResult public mutating func append(
    nack lost: Span<SequenceNumber>, sender: SSRC, media: SSRC, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) -> Int {
    guard lost.count > 0 else { throw .count }
    let start = length
    let body = try begin(type: 205, count: 1, bodyLength: 12, in: &buffer)
    buffer.setNetworkUInt32(sender.rawValue, at: body)
    buffer.setNetworkUInt32(media.rawValue, at: body &+ 4)
    var offset = body &+ 8
    var index = 0
    while index < lost.count, offset &+ 4 <= buffer.count {
      let packet = lost[index].rawValue
      var mask: UInt16 = 0
      index &+= 1
      while index < lost.count {
        let distance = lost[index].rawValue &- packet
        guard distance >= 1, distance <= 16 else { break }
        mask |= 1 << (distance &- 1)
        index &+= 1
      }
      buffer.setNetworkUInt16(packet, at: offset)
      buffer.setNetworkUInt16(mask, at: offset &+ 2)
      offset &+= 4
    }
    setLength(from: start, to: offset, in: &buffer)
    return index
  }

  /// Appends a PLI (RFC 4585 section 6.3.1).
  public mutating func append(
    pliFor media: SSRC, sender: SSRC, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let body = try begin(type: 206, count: 1, bodyLength: 8, in: &buffer)
    buffer.setNetworkUInt32(sender.rawValue, at: body)
    buffer.setNetworkUInt32(media.rawValue, at: body &+ 4)
  }

  /// Adds a full intra request for one stream.
  public mutating func append(
    fir entry: FIREntry, sender: SSRC, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let body = try begin(type: 206, count: 4, bodyLength: 16, in: &buffer)
    buffer.setNetworkUInt32(sender.rawValue, at: body)
    buffer.setNetworkUInt32(0, at: body &+ 4)
    buffer.setNetworkUInt32(entry.ssrc.rawValue, at: body &+ 8)
    buffer.setNetworkUInt32(UInt32(entry.sequenceNumber) << 24, at: body &+ 12)
  }

  /// Adds an estimate of the bandwidth for at most 255 streams. The rate is rounded down to 18 significant bits.
  public mutating func append(
    remb bitrate: DataRate, ssrcs: Span<SSRC>, sender: SSRC, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    guard ssrcs.count <= 255 else { throw .count }
    let body = try begin(type: 206, count: 15, bodyLength: 16 &+ ssrcs.count &* 4, in: &buffer)
    let rate = max(0, bitrate.bitsPerSecond)
    let exponent = max(0, 64 &- rate.leadingZeroBitCount &- 18)
    buffer.setNetworkUInt32(sender.rawValue, at: body)
    buffer.setNetworkUInt32(0, at: body &+ 4)
    buffer.setNetworkUInt32(REMB.identifier, at: body &+ 8)
    buffer[body &+ 12] = UInt8(truncatingIfNeeded: ssrcs.count)
    buffer.setNetworkUInt24(
      UInt32(truncatingIfNeeded: exponent) << 18 | UInt32(truncatingIfNeeded: rate >> exponent),
      at: body &+ 13)
    for index in ssrcs.indices {
      buffer.setNetworkUInt32(ssrcs[index].rawValue, at: body &+ 16 &+ index &* 4)
    }
  }

  /// Writes a packet header for a body of `bodyLength` bytes (a multiple of 4) and returns where the body starts.
  mutating func begin(
    type: UInt8, count: UInt8, bodyLength: Int, in buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) -> Int {
    guard length &+ 4 &+ bodyLength <= buffer.count else { throw .bufferTooSmall }
    buffer[length] = 0x80 | count
    buffer[length &+ 1] = type
    buffer.setNetworkUInt16(UInt16(truncatingIfNeeded: bodyLength / 4), at: length &+ 2)
    let body = length &+ 4
    length = body &+ bodyLength
    return body
  }

  /// Corrects the length of the packet that starts at `start` once its end is known.
  mutating func setLength(from start: Int, to end: Int, in buffer: inout MutableSpan<UInt8>) {
    buffer.setNetworkUInt16(UInt16(truncatingIfNeeded: (end &- start) / 4 &- 1), at: start &+ 2)
    length = end
  }
}
