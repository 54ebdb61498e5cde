public import Basics

/// A receiver's report on one outgoing stream (W3C Identifiers for WebRTC's Statistics API,
/// `RTCRemoteInboundRtpStreamStats`).
public struct RemoteInboundStatistics: Hashable, Sendable {
  /// Packets lost since the start; negative when duplicates arrived.
  public var packetsLost: Int64 = 0
  /// The share of packets lost between the last two reports, 0 to 1.
  public var fractionLost: Double = 0
  public var jitter: TimeSpan = .zero
  /// The last measured round-trip time; nil while unknown.
  public var roundTripTime: TimeSpan?
  /// The sum of all measured round-trip times.
  public var totalRoundTripTime: TimeSpan = .zero
  /// How many round-trip times were measured.
  public var roundTripTimeMeasurements: UInt64 = 0

  public init() {}
}

/// Counters of one outgoing stream (W3C Identifiers for WebRTC's Statistics API, `RTCOutboundRtpStreamStats`).
public struct OutboundStreamStatistics: Hashable, Sendable {
  public var ssrc: SSRC
  /// The source of its retransmissions; nil without.
  public var rtxSSRC: SSRC?
  /// Its m-section.
  public var mid: MID
  /// Its simulcast layer; nil without simulcast.
  public var rid: RID?
  public var kind: MediaKind
  /// The codec of the last frame; nil before the first.
  public var codec: Codec?
  /// The payload type of the last frame; nil before the first.
  public var payloadType: PayloadType?
  /// Whether the stream is sent now: active, and not paused for want of bandwidth.
  public var isActive = true
  /// RTP packets sent, retransmissions included.
  public var packetsSent: UInt64 = 0
  /// Payload bytes sent, retransmissions included, without headers and padding.
  public var bytesSent: UInt64 = 0
  /// Bytes of headers and padding sent.
  public var headerBytesSent: UInt64 = 0
  /// Packets that were sent again, by RTX (RFC 4588) or not.
  public var retransmittedPacketsSent: UInt64 = 0
  /// Payload bytes sent again.
  public var retransmittedBytesSent: UInt64 = 0
  public var nackCount: UInt64 = 0
  /// Received PLIs (RFC 4585).
  public var pliCount: UInt64 = 0
  /// Full intra requests received.
  public var firCount: UInt64 = 0
  public var framesSent: UInt64 = 0
  public var keyFramesSent: UInt64 = 0
  /// Frames that were handed in and not sent: unknown codec, no room in the pacer, malformed.
  public var framesDropped: UInt64 = 0
  /// Packets that waited too long in the pacer and were dropped.
  public var packetsDropped: UInt64 = 0
  /// Retransmissions asked for that were refused: too old, or over the budget.
  public var retransmissionsRefused: UInt64 = 0
  /// The sum of the times that packets waited in the pacer.
  public var totalPacketSendDelay: TimeSpan = .zero
  /// The bit rate the encoder was given; zero when paused.
  public var targetBitrate: DataRate = .zero
  /// Size of the last frame in pixels; 0 for audio.
  public var frameWidth = 0
  /// Size of the last frame in pixels; 0 for audio.
  public var frameHeight = 0
  /// The receiver's report; nil before its first.
  public var remote: RemoteInboundStatistics?

  /// Statistics of a stream that has sent nothing yet.
  public init(ssrc: SSRC, rtxSSRC: SSRC?, mid: MID, rid: RID?, kind: MediaKind) {
    self.ssrc = ssrc
    self.rtxSSRC = rtxSSRC
    self.mid = mid
    self.rid = rid
    self.kind = kind
  }
}
