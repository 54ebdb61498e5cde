public import Basics

/// Measurements of one received stream, in the words of the W3C (`RTCInboundRtpStreamStats` and the dictionaries it
/// inherits from). Decoders and jitter buffers have statistics of their own.
public struct InboundStreamStatistics: Hashable, Sendable {
  /// The m-section.
  public var mid: MID
  public var ssrc: SSRC
  /// Audio or video, `kind` of the W3C.
  public var kind: MediaKind
  /// The codec of the newest packet; nil before the first.
  public var codec: Codec?
  /// The payload type of the newest packet; nil before the first.
  public var payloadType: PayloadType?
  /// Packets received, retransmitted ones included.
  public var packetsReceived: UInt64 = 0
  /// Packets that did not come under their own number, as RFC 3550 counts them: a retransmission does not take one
  /// away; negative when there were duplicates.
  public var packetsLost: Int64 = 0
  /// The interarrival jitter (RFC 3550 section 6.4.1).
  public var jitter = TimeSpan.zero
  /// Bytes of payload.
  public var bytesReceived: UInt64 = 0
  /// Bytes of headers and padding.
  public var headerBytesReceived: UInt64 = 0
  /// Of the packets received, those that came as retransmission.
  public var retransmittedPacketsReceived: UInt64 = 0
  /// Bytes of payload in them.
  public var retransmittedBytesReceived: UInt64 = 0
  /// Copies of earlier packets that came as redundancy (RFC 2198).
  public var fecPacketsReceived: UInt64 = 0
  /// Of those, copies of packets that were there already or that could not be placed.
  public var fecPacketsDiscarded: UInt64 = 0
  /// NACK messages sent (RFC 4585).
  public var nackCount: UInt64 = 0
  /// Sent PLIs (RFC 4585).
  public var pliCount: UInt64 = 0
  /// Full intra requests sent (RFC 5104).
  public var firCount: UInt64 = 0
  /// When the newest packet came; nil before the first.
  public var lastPacketReceived: Instant?
  /// How loud the newest packet's header says it is, in −dBov: 0 (loudest) to 127 (RFC 6464). The W3C's `audioLevel`, 0
  /// to 1, is that of the playout.
  public var headerAudioLevel: UInt8?
  /// The sender's own report; nil before its first.
  public var remote: RemoteOutboundStreamStatistics?
}

/// The sender's report on a stream, in the words of the W3C (`RTCRemoteOutboundRtpStreamStats`).
public struct RemoteOutboundStreamStatistics: Hashable, Sendable {
  /// Packets sent, counted up over the 32 bits of a report.
  public var packetsSent: UInt64
  /// Payload bytes sent, counted up over the 32 bits of a report.
  public var bytesSent: UInt64
  /// The sender's wall-clock time of the newest report.
  public var remoteTimestamp: NTPTime
  /// When the newest report arrived.
  public var localTimestamp: Instant
  /// Received sender reports (RFC 3550 section 6.4.1).
  public var reportsSent: UInt64

  /// Takes over a newer report.
  mutating func update(_ info: SenderInfo, now: Instant) {
    packetsSent &+= UInt64(info.packetCount &- UInt32(truncatingIfNeeded: packetsSent))
    bytesSent &+= UInt64(info.octetCount &- UInt32(truncatingIfNeeded: bytesSent))
    remoteTimestamp = info.ntp
    localTimestamp = now
    reportsSent &+= 1
  }
}
