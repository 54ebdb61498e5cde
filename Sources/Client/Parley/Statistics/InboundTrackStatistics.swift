public import Basics
import Media
public import RTC
public import Signaling

/// The received streams of one publication (`RTCInboundRtpStreamStats`), since its subscription began.
///
/// ```swift
/// for track in statistics.inbound {
///   print(track.source.rawValue, meeting.participant(track.participant)?.name ?? "", track.packetsLost)
/// }
/// ```
public struct InboundTrackStatistics: Sendable {
  public let publication: String

  /// The source, such as the camera.
  public let source: TrackSource

  /// The id of the participant who publishes it.
  public let participant: String

  public let kind: MediaKind

  /// The codec of the newest packet.
  public let codec: CodecStatistics?

  public let ssrc: SSRC

  /// The m-section.
  public let mid: MID

  /// Packets received, retransmitted ones included.
  public let packetsReceived: UInt64

  /// Packets that did not come under their own number, as RFC 3550 counts them: a retransmission does not take one
  /// away; negative when there were duplicates.
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

  /// How long frames, or audio samples, stayed in the jitter buffer, in seconds: divide by ``jitterBufferEmittedCount``
  /// for the mean.
  public let jitterBufferDelay: Double

  /// The delay that was aimed at, likewise.
  public let jitterBufferTargetDelay: Double

  /// The delay that jitter alone would have asked for, likewise.
  public let jitterBufferMinimumDelay: Double

  /// The frames, or audio samples, that came out of the jitter buffer. Audio stays in it only while somebody hears it.
  public let jitterBufferEmittedCount: UInt64

  /// Frames and freezes; nil for audio.
  public let video: InboundVideoStatistics?

  /// Samples and concealment; nil for video.
  public let audio: InboundAudioStatistics?

  /// The server's report about the stream (`RTCRemoteOutboundRtpStreamStats`), of all that its m-section carried; nil
  /// before its first report.
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
