/// A sender's report on its own stream: the sender information (RFC 3550 section 6.4.1).
public struct SenderInfo: Hashable, Sendable {
  public var ssrc: SSRC
  /// When the report was made, in the sender's wall-clock time.
  public var ntp: NTPTime
  /// The same instant in the stream's RTP clock.
  public var rtpTimestamp: RTPTimestamp
  /// Packets sent since the start, wrapping.
  public var packetCount: UInt32
  /// Payload bytes sent since the start, wrapping.
  public var octetCount: UInt32

  /// Sender information with the given fields.
  public init(
    ssrc: SSRC, ntp: NTPTime, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32
  ) {
    self.ssrc = ssrc
    self.ntp = ntp
    self.rtpTimestamp = rtpTimestamp
    self.packetCount = packetCount
    self.octetCount = octetCount
  }
}

/// A sender report (RFC 3550 section 6.4.1).
public struct SenderReport: Hashable, Sendable {
  /// The sender's own stream.
  public let info: SenderInfo
  /// The reports on streams that it receives.
  public let blocks: ReportBlocks

  init(count: UInt8, body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    guard body.count >= 24 &+ Int(count) &* ReportBlock.size else { throw .malformed }
    let start = body.lowerBound
    info = SenderInfo(
      ssrc: SSRC(rawValue: datagram.networkUInt32(at: start)),
      ntp: NTPTime(rawValue: datagram.networkUInt64(at: start &+ 4)),
      rtpTimestamp: RTPTimestamp(rawValue: datagram.networkUInt32(at: start &+ 12)),
      packetCount: datagram.networkUInt32(at: start &+ 16),
      octetCount: datagram.networkUInt32(at: start &+ 20))
    blocks = ReportBlocks(offset: start &+ 24, count: Int(count))
  }
}

/// A receiver report (RFC 3550 section 6.4.2).
public struct ReceiverReport: Hashable, Sendable {
  /// The SSRC of the reporting receiver (RFC 3550 section 6.4.2).
  public let ssrc: SSRC
  /// The reports on streams that it receives.
  public let blocks: ReportBlocks

  init(count: UInt8, body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    guard body.count >= 4 &+ Int(count) &* ReportBlock.size else { throw .malformed }
    ssrc = SSRC(rawValue: datagram.networkUInt32(at: body.lowerBound))
    blocks = ReportBlocks(offset: body.lowerBound &+ 4, count: Int(count))
  }
}
