public import Basics
public import RTC
public import Signaling

/// The sent stream of one publication, or of one simulcast layer of it (`RTCOutboundRtpStreamStats`).
///
/// ```swift
/// for stream in statistics.outbound where stream.active {
///   print(stream.source.rawValue, stream.rid?.rawValue ?? "", stream.targetBitrate.bitsPerSecond)
/// }
/// ```
public struct OutboundTrackStatistics: Sendable {
  /// The publication's id; empty until the server has given it.
  public let publication: String

  /// The source, which distinguishes a camera from a screen.
  public let source: TrackSource

  public let kind: MediaKind

  /// The codec; nil before the first frame.
  public let codec: CodecStatistics?

  public let ssrc: SSRC

  /// The stream of its retransmissions; nil without.
  public let rtxSSRC: SSRC?

  /// The m-section.
  public let mid: MID

  /// The simulcast layer, `q`, `h` or `f`; nil without simulcast.
  public let rid: RID?

  /// Whether it is to be sent: not muted, and watched by somebody. A layer without room in the network is active all
  /// the same; see ``OutboundVideoStatistics/qualityLimitationReason``.
  public let active: Bool

  /// Packets sent, retransmissions included.
  public let packetsSent: UInt64

  /// Bytes of payload sent, retransmissions included, without headers and padding.
  public let bytesSent: UInt64

  /// Bytes of headers and padding sent.
  public let headerBytesSent: UInt64

  public let retransmittedPacketsSent: UInt64

  /// Bytes of payload sent again.
  public let retransmittedBytesSent: UInt64

  /// How long packets waited for their turn to be sent, all of them together.
  public let totalPacketSendDelay: TimeSpan

  /// NACK messages received: how often lost packets were asked for.
  public let nackCount: UInt64

  /// The rate that the estimate gives the stream now; zero while it is paused for want of bandwidth. An ``EncodedLoop``
  /// does not follow it.
  public let targetBitrate: DataRate

  /// How many receivers cannot decode the publication, and so are not sent it. The W3C's statistics have no such
  /// member.
  public let undecodableFor: Int

  /// Frames and their encoder; nil for audio.
  public let video: OutboundVideoStatistics?

  /// The server's report about the stream (`RTCRemoteInboundRtpStreamStats`); nil before its first report.
  public let remote: RemoteInboundStatistics?

  @MainActor init(_ publication: LocalPublication, _ stream: SessionStatistics.Outbound) {
    let rtp = stream.rtp
    self.publication = publication.id
    source = publication.source
    kind = rtp.kind
    codec = CodecStatistics(rtp.codec, rtp.payloadType)
    ssrc = rtp.ssrc
    rtxSSRC = rtp.rtxSSRC
    mid = rtp.mid
    rid = rtp.rid
    active = !publication.isMuted && stream.encoder?.isWanted != false
    packetsSent = rtp.packetsSent
    bytesSent = rtp.bytesSent
    headerBytesSent = rtp.headerBytesSent
    retransmittedPacketsSent = rtp.retransmittedPacketsSent
    retransmittedBytesSent = rtp.retransmittedBytesSent
    totalPacketSendDelay = rtp.totalPacketSendDelay
    nackCount = rtp.nackCount
    targetBitrate = rtp.targetBitrate
    undecodableFor = publication.undecodableFor?.count ?? 0
    video = rtp.kind == .video ? OutboundVideoStatistics(rtp, stream.encoder) : nil
    remote = rtp.remote
  }
}

/// The video members of `RTCOutboundRtpStreamStats`. Figures of encoding stay 0 for an ``EncodedLoop``, which is not
/// encoded here.
///
/// ```swift
/// for stream in statistics.outbound {
///   if let video = stream.video { print("\(video.frameWidth)x\(video.frameHeight) at \(video.framesPerSecond)") }
/// }
/// ```
public struct OutboundVideoStatistics: Hashable, Sendable {
  public let framesEncoded: UInt64

  /// Those of them that refer to no other.
  public let keyFramesEncoded: UInt64

  /// How long encoding took, all frames together.
  public let totalEncodeTime: TimeSpan

  /// Frames encoded in the last second.
  public let framesPerSecond: Double

  /// Frames that were packetized and handed to the network.
  public let framesSent: UInt64

  /// The size of the last frame in pixels; 0 before the first.
  public let frameWidth: Int

  public let frameHeight: Int

  /// Why frames are smaller or fewer than they should be; nil for an ``EncodedLoop``.
  public let qualityLimitationReason: QualityLimitationReason?

  /// PLI messages received (RFC 4585): how often a keyframe was requested.
  public let pliCount: UInt64

  /// Full intra requests received: the other way of asking for a keyframe.
  public let firCount: UInt64

  init(_ rtp: OutboundStreamStatistics, _ encoder: VideoEncoderStatistics?) {
    framesEncoded = encoder?.counts.framesEncoded ?? 0
    keyFramesEncoded = encoder?.counts.keyFramesEncoded ?? 0
    totalEncodeTime = encoder?.counts.totalEncodeTime ?? .zero
    framesPerSecond = encoder?.framesPerSecond ?? 0
    framesSent = rtp.framesSent
    frameWidth = rtp.frameWidth
    frameHeight = rtp.frameHeight
    qualityLimitationReason = encoder?.qualityLimitationReason
    pliCount = rtp.pliCount
    firCount = rtp.firCount
  }
}

/// Why video is sent smaller, or with fewer frames, than it was published (`RTCQualityLimitationReason`).
///
/// ```swift
/// switch outbound.video?.qualityLimitationReason {
/// case .cpu: print("This machine is too slow for this picture.")
/// case .bandwidth: print("The network is too slow for this picture.")
/// case .other: print("Nobody watches.")
/// case .some(.none), nil: break
/// }
/// ```
public enum QualityLimitationReason: String, Hashable, Sendable {
  case none
  /// Encoding doesn't keep up: more than a tenth of the last second's frames was left out.
  case cpu
  /// The network has no room for more.
  case bandwidth
  case other
}
