public import Basics
public import RTC
public import Signaling

/// What is sent of one publication, or of one simulcast layer of it (`RTCOutboundRtpStreamStats`).
///
/// ```swift
/// for stream in statistics.outbound where stream.active {
///   print(stream.source.rawValue, stream.rid?.rawValue ?? "", stream.targetBitrate.bitsPerSecond)
/// }
/// ```
public struct OutboundTrackStatistics: Sendable {
  /// The publication's id; empty until the server has given it.
  ///
  /// ```swift
  /// let ofCamera = statistics.outbound.filter { $0.publication == camera.id }
  /// ```
  public let publication: String

  /// What it shows or lets hear: tells a camera from a screen.
  ///
  /// ```swift
  /// let screen = statistics.outbound.first { $0.source == .screen }
  /// ```
  public let source: TrackSource

  /// Sound or pictures.
  ///
  /// ```swift
  /// let pictures = statistics.outbound.filter { $0.kind == .video }
  /// ```
  public let kind: MediaKind

  /// The codec; nil before the first frame.
  ///
  /// ```swift
  /// print("sent as \(outbound.codec?.mimeType ?? "nothing yet")")
  /// ```
  public let codec: CodecStatistics?

  /// The stream.
  ///
  /// ```swift
  /// let same = before.outbound.first { $0.ssrc == outbound.ssrc }
  /// ```
  public let ssrc: SSRC

  /// The stream of its retransmissions; nil without.
  ///
  /// ```swift
  /// let repairs = outbound.rtxSSRC != nil
  /// ```
  public let rtxSSRC: SSRC?

  /// The m-section.
  ///
  /// ```swift
  /// print("a=mid:\(outbound.mid.rawValue)")
  /// ```
  public let mid: MID

  /// The simulcast layer, `q`, `h` or `f`; nil without simulcast.
  ///
  /// ```swift
  /// let full = statistics.outbound.first { $0.rid?.rawValue == "f" }
  /// ```
  public let rid: RID?

  /// Whether it is to be sent: not muted, and watched by somebody. What the network has no room for is active all the same; see
  /// ``OutboundVideoStatistics/qualityLimitationReason``.
  ///
  /// ```swift
  /// if !outbound.active { print("Muted, or nobody watches.") }
  /// ```
  public let active: Bool

  /// Packets sent, retransmissions included.
  ///
  /// ```swift
  /// let isFlowing = outbound.packetsSent > 0
  /// ```
  public let packetsSent: UInt64

  /// Bytes of payload sent, retransmissions included, without headers and padding.
  ///
  /// ```swift
  /// let sent = statistics.outbound.map(\.bytesSent).reduce(0, +)
  /// ```
  public let bytesSent: UInt64

  /// Bytes of headers and padding sent.
  ///
  /// ```swift
  /// let share = Double(outbound.headerBytesSent) / Double(max(outbound.headerBytesSent + outbound.bytesSent, 1))
  /// ```
  public let headerBytesSent: UInt64

  /// Packets sent again.
  ///
  /// ```swift
  /// let repeated = Double(outbound.retransmittedPacketsSent) / Double(max(outbound.packetsSent, 1))
  /// ```
  public let retransmittedPacketsSent: UInt64

  /// Bytes of payload sent again.
  ///
  /// ```swift
  /// let useful = outbound.bytesSent - outbound.retransmittedBytesSent
  /// ```
  public let retransmittedBytesSent: UInt64

  /// How long packets waited for their turn to be sent, all of them together.
  ///
  /// ```swift
  /// let wait = outbound.totalPacketSendDelay.seconds / Double(max(outbound.packetsSent, 1))
  /// ```
  public let totalPacketSendDelay: TimeSpan

  /// NACK messages received: how often lost packets were asked for.
  ///
  /// ```swift
  /// if outbound.nackCount > 0 { print("The way to the server loses packets.") }
  /// ```
  public let nackCount: UInt64

  /// The rate that the estimate gives the stream now; zero while it is paused for want of bandwidth. An ``EncodedLoop`` does not follow it.
  ///
  /// ```swift
  /// print("\(outbound.targetBitrate.bitsPerSecond / 1_000) kb/s")
  /// ```
  public let targetBitrate: DataRate

  /// How many receivers cannot decode the publication, and so are not sent it. The W3C's statistics have no such member.
  ///
  /// ```swift
  /// if outbound.undecodableFor > 0 { print("\(outbound.undecodableFor) cannot play \(outbound.codec?.mimeType ?? "it").") }
  /// ```
  public let undecodableFor: Int

  /// Frames and their encoder; nil for audio.
  ///
  /// ```swift
  /// let limit = outbound.video?.qualityLimitationReason
  /// ```
  public let video: OutboundVideoStatistics?

  /// What the server reports about the stream (`RTCRemoteInboundRtpStreamStats`); nil before its first report.
  ///
  /// ```swift
  /// if let trip = outbound.remote?.roundTripTime { print("\(trip.milliseconds) ms there and back") }
  /// ```
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

/// The video members of `RTCOutboundRtpStreamStats`. What is said of encoding stays 0 for an ``EncodedLoop``, which is not encoded here.
///
/// ```swift
/// for stream in statistics.outbound {
///   if let video = stream.video { print("\(video.frameWidth)x\(video.frameHeight) at \(video.framesPerSecond)") }
/// }
/// ```
public struct OutboundVideoStatistics: Hashable, Sendable {
  /// Pictures encoded.
  ///
  /// ```swift
  /// let encoded = outbound.video?.framesEncoded ?? 0
  /// ```
  public let framesEncoded: UInt64

  /// Those of them that refer to no other.
  ///
  /// ```swift
  /// let keyframes = outbound.video?.keyFramesEncoded ?? 0
  /// ```
  public let keyFramesEncoded: UInt64

  /// How long encoding took, all pictures together.
  ///
  /// ```swift
  /// if let video = outbound.video, video.framesEncoded > 0 {
  ///   print("\(video.totalEncodeTime.seconds / Double(video.framesEncoded)) s a picture")
  /// }
  /// ```
  public let totalEncodeTime: TimeSpan

  /// Frames encoded in the last second.
  ///
  /// ```swift
  /// let rate = outbound.video?.framesPerSecond ?? 0
  /// ```
  public let framesPerSecond: Double

  /// Pictures that were packetized and handed to the network.
  ///
  /// ```swift
  /// let sent = outbound.video?.framesSent ?? 0
  /// ```
  public let framesSent: UInt64

  /// The size of the last picture in pixels; 0 before the first.
  ///
  /// ```swift
  /// let width = outbound.video?.frameWidth ?? 0
  /// ```
  public let frameWidth: Int

  /// Likewise.
  ///
  /// ```swift
  /// let height = outbound.video?.frameHeight ?? 0
  /// ```
  public let frameHeight: Int

  /// Why pictures are smaller or fewer than they should be; nil for an ``EncodedLoop``.
  ///
  /// ```swift
  /// if outbound.video?.qualityLimitationReason == .bandwidth { print("Your network is slow.") }
  /// ```
  public let qualityLimitationReason: QualityLimitationReason?

  /// Picture loss indications received: how often a keyframe was asked for.
  ///
  /// ```swift
  /// let asked = outbound.video?.pliCount ?? 0
  /// ```
  public let pliCount: UInt64

  /// Full intra requests received: the other way of asking for a keyframe.
  ///
  /// ```swift
  /// let asked = outbound.video?.firCount ?? 0
  /// ```
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

/// Why a picture is sent smaller, or with fewer frames, than it was published (`RTCQualityLimitationReason`).
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
  /// It is not.
  case none
  /// Encoding does not keep up: more than a tenth of the last second's pictures was left out.
  case cpu
  /// The network has no room for more.
  case bandwidth
  /// Nobody watches it.
  case other
}
