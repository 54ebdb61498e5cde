public import Basics
import Media
public import RTC
public import Signaling

/// What is received of one publication (`RTCInboundRtpStreamStats`), since its subscription began.
public struct InboundTrackStatistics: Sendable {
  /// The publication's id.
  public let publication: String
  /// What it shows or lets hear.
  public let source: TrackSource
  /// The id of the participant who publishes it.
  public let participant: String
  /// Sound or pictures.
  public let kind: MediaKind
  /// The codec of the newest packet.
  public let codec: CodecStatistics?
  /// The stream.
  public let ssrc: SSRC
  /// The m-section.
  public let mid: MID
  /// Packets received, retransmitted ones included.
  public let packetsReceived: UInt64
  /// Packets that did not come under their own number, as RFC 3550 counts them: a retransmission does not take one away; negative
  /// when there were duplicates.
  public let packetsLost: Int64
  /// Packets that the jitter buffer did not take: too late, twice, or broken.
  public let packetsDiscarded: UInt64
  /// The interarrival jitter (RFC 3550 section 6.4.1).
  public let jitter: TimeSpan
  /// Bytes of payload received, retransmitted ones included.
  public let bytesReceived: UInt64
  /// Bytes of headers and padding received.
  public let headerBytesReceived: UInt64
  /// Of the packets received, those that came as retransmission.
  public let retransmittedPacketsReceived: UInt64
  /// Bytes of payload in them.
  public let retransmittedBytesReceived: UInt64
  /// Copies of earlier packets that came as redundancy (RFC 2198).
  public let fecPacketsReceived: UInt64
  /// Of those, copies of packets that were there already or that could not be placed.
  public let fecPacketsDiscarded: UInt64
  /// When the newest packet came, on the monotonic clock (`lastPacketReceivedTimestamp`).
  public let lastPacketReceived: Instant?
  /// NACK messages sent: how often lost packets were asked for.
  public let nackCount: UInt64
  /// How long frames, or samples of sound, stayed in the jitter buffer, in seconds: divide by ``jitterBufferEmittedCount`` for the mean.
  public let jitterBufferDelay: Double
  /// The delay that was aimed at, likewise.
  public let jitterBufferTargetDelay: Double
  /// The delay that jitter alone would have asked for, likewise.
  public let jitterBufferMinimumDelay: Double
  /// The frames, or samples of sound, that came out of the jitter buffer. Sound stays in it only while somebody hears it.
  public let jitterBufferEmittedCount: UInt64
  /// Frames and freezes; nil for audio.
  public let video: InboundVideoStatistics?
  /// Samples and concealment; nil for video.
  public let audio: InboundAudioStatistics?
  /// What the server reports about the stream (`RTCRemoteOutboundRtpStreamStats`), of all that its m-section carried; nil before its first
  /// report.
  public let remote: RemoteOutboundStreamStatistics?

  @MainActor init(_ publication: RemotePublication, of participant: String, _ stream: SessionStatistics.Inbound) {
    let rtp = stream.rtp
    self.publication = publication.id
    source = publication.source
    self.participant = participant
    kind = rtp.kind
    codec = CodecStatistics(rtp.codec, rtp.payloadType)
    ssrc = rtp.ssrc
    mid = rtp.mid
    packetsReceived = rtp.packetsReceived
    packetsLost = rtp.packetsLost
    packetsDiscarded = stream.video?.packetsDiscarded ?? stream.audio?.packetsDiscarded ?? 0
    jitter = rtp.jitter
    bytesReceived = rtp.bytesReceived
    headerBytesReceived = rtp.headerBytesReceived
    retransmittedPacketsReceived = rtp.retransmittedPacketsReceived
    retransmittedBytesReceived = rtp.retransmittedBytesReceived
    fecPacketsReceived = rtp.fecPacketsReceived
    fecPacketsDiscarded = rtp.fecPacketsDiscarded
    lastPacketReceived = rtp.lastPacketReceived
    nackCount = rtp.nackCount
    jitterBufferDelay = stream.video?.jitterBufferDelay.seconds ?? stream.audio?.jitterBufferDelay ?? 0
    jitterBufferTargetDelay =
      stream.video?.jitterBufferTargetDelay.seconds ?? stream.audio?.jitterBufferTargetDelay ?? 0
    jitterBufferMinimumDelay =
      stream.video?.jitterBufferMinimumDelay.seconds ?? stream.audio?.jitterBufferMinimumDelay ?? 0
    jitterBufferEmittedCount = stream.video?.jitterBufferEmittedCount ?? stream.audio?.jitterBufferEmittedCount ?? 0
    if case .video(let track) = stream.track, let buffer = stream.video {
      video = InboundVideoStatistics(rtp, buffer, track.decoderCounts, now: MonotonicClock.now)
    } else {
      video = nil
    }
    audio = rtp.kind == .audio ? InboundAudioStatistics(rtp, stream.audio, isHeard: stream.isHeard) : nil
    remote = rtp.remote
  }
}

/// The video members of `RTCInboundRtpStreamStats`. What nobody watches is received and not decoded, and does not count as dropped.
public struct InboundVideoStatistics: Hashable, Sendable {
  /// Complete pictures received.
  public let framesReceived: UInt64
  /// Pictures decoded; the same number as ``RemoteVideoTrack/framesDecoded``.
  public let framesDecoded: UInt64
  /// Those of them that refer to no other.
  public let keyFramesDecoded: UInt64
  /// Pictures that were received whole and not decoded: what they refer to is missing, this machine is too slow, or the decoder refused.
  public let framesDropped: UInt64
  /// How long decoding took, all pictures together.
  public let totalDecodeTime: TimeSpan
  /// Pictures decoded in the last second.
  public let framesPerSecond: Double
  /// The size of the last decoded picture in pixels; 0 before the first.
  public let frameWidth: Int
  /// Likewise.
  public let frameHeight: Int
  /// Pictures that took more than one packet.
  public let framesAssembledFromMultiplePackets: UInt64
  /// From the first to the last packet of those, all of them together.
  public let totalAssemblyTime: TimeSpan
  /// How often the picture stood still noticeably: for three usual intervals, and for 150 ms more than a usual one. Counted where
  /// pictures leave the jitter buffer, also while nobody watches.
  public let freezeCount: UInt64
  /// How long those times were together.
  public let totalFreezesDuration: TimeSpan
  /// How often no picture came for more than five seconds.
  public let pauseCount: UInt64
  /// How long those times were together.
  public let totalPausesDuration: TimeSpan
  /// The time between pictures, all of it together.
  public let totalInterFrameDelay: TimeSpan
  /// The squares of the times between pictures in seconds, all of them together.
  public let totalSquaredInterFrameDelay: Double
  /// Picture loss indications sent: how often a keyframe was asked for.
  public let pliCount: UInt64
  /// Full intra requests sent: the other way of asking for a keyframe.
  public let firCount: UInt64

  init(_ rtp: InboundStreamStatistics, _ buffer: VideoJitterStatistics, _ decoder: VideoDecoderCounts, now: Instant) {
    framesReceived = buffer.framesReceived
    framesDecoded = decoder.framesDecoded
    keyFramesDecoded = decoder.keyFramesDecoded
    framesDropped = buffer.framesDropped + decoder.framesDropped
    totalDecodeTime = decoder.totalDecodeTime
    framesPerSecond = decoder.rate.framesPerSecond(now: now)
    frameWidth = decoder.size.width
    frameHeight = decoder.size.height
    framesAssembledFromMultiplePackets = buffer.framesAssembledFromMultiplePackets
    totalAssemblyTime = buffer.totalAssemblyTime
    freezeCount = buffer.freezeCount
    totalFreezesDuration = buffer.totalFreezesDuration
    pauseCount = buffer.pauseCount
    totalPausesDuration = buffer.totalPausesDuration
    totalInterFrameDelay = buffer.totalInterFrameDelay
    totalSquaredInterFrameDelay = buffer.totalSquaredInterFrameDelay
    pliCount = rtp.pliCount
    firCount = rtp.firCount
  }
}

/// The audio members of `RTCInboundRtpStreamStats`. All but ``audioLevel`` stand still while nobody hears the track, since it is not decoded
/// then. Samples count for each channel once.
public struct InboundAudioStatistics: Hashable, Sendable {
  /// How loud it is: 0 (silence) to 1 (0 dBov), linear. Of what is played, smoothed over about 100 ms; while nobody hears it, of what the
  /// sender wrote into the newest packet (RFC 6464). Nil when neither is known.
  public let audioLevel: Double?
  /// Samples that were decoded or made up, before stretching. Silence of the sender is not among them.
  public let totalSamplesReceived: UInt64
  /// Samples that were made up because theirs were lost or late.
  public let concealedSamples: UInt64
  /// Those of them that are silence.
  public let silentConcealedSamples: UInt64
  /// How often made-up sound began.
  public let concealmentEvents: UInt64
  /// Samples put in to play more slowly.
  public let insertedSamplesForDeceleration: UInt64
  /// Samples taken out, or skipped, to play faster.
  public let removedSamplesForAcceleration: UInt64
  /// The sum of squared samples (full scale is 1) times their length in seconds.
  public let totalAudioEnergy: Double
  /// The length of what was played, in seconds.
  public let totalSamplesDuration: Double

  init(_ rtp: InboundStreamStatistics, _ playout: AudioPlayoutStatistics?, isHeard: Bool) {
    let told = rtp.headerAudioLevel.map { AudioLevel.amplitude(of: $0) }
    audioLevel = isHeard ? playout?.audioLevel ?? told : told
    totalSamplesReceived = playout?.totalSamplesReceived ?? 0
    concealedSamples = playout?.concealedSamples ?? 0
    silentConcealedSamples = playout?.silentConcealedSamples ?? 0
    concealmentEvents = playout?.concealmentEvents ?? 0
    insertedSamplesForDeceleration = playout?.insertedSamplesForDeceleration ?? 0
    removedSamplesForAcceleration = playout?.removedSamplesForAcceleration ?? 0
    totalAudioEnergy = playout?.totalAudioEnergy ?? 0
    totalSamplesDuration = playout?.totalSamplesDuration ?? 0
  }
}
