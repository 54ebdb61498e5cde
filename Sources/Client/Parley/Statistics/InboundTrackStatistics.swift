public import Basics
import Media
public import RTC
public import Signaling

/// What is received of one publication (`RTCInboundRtpStreamStats`), since its subscription began.
///
/// ```swift
/// for track in statistics.inbound {
///   print(track.source.rawValue, meeting.participant(track.participant)?.name ?? "", track.packetsLost)
/// }
/// ```
public struct InboundTrackStatistics: Sendable {
  /// The publication's id.
  ///
  /// ```swift
  /// let ofScreen = statistics.inbound.first { $0.publication == publication.id }
  /// ```
  public let publication: String

  /// What it shows or lets hear.
  ///
  /// ```swift
  /// let screens = statistics.inbound.filter { $0.source == .screen }
  /// ```
  public let source: TrackSource

  /// The id of the participant who publishes it.
  ///
  /// ```swift
  /// let ofAnn = statistics.inbound.filter { $0.participant == participant.id }
  /// ```
  public let participant: String

  /// Sound or pictures.
  ///
  /// ```swift
  /// let pictures = statistics.inbound.filter { $0.kind == .video }
  /// ```
  public let kind: MediaKind

  /// The codec of the newest packet.
  ///
  /// ```swift
  /// print("received as \(inbound.codec?.mimeType ?? "nothing yet")")
  /// ```
  public let codec: CodecStatistics?

  /// The stream.
  ///
  /// ```swift
  /// print("ssrc \(inbound.ssrc.rawValue)")
  /// ```
  public let ssrc: SSRC

  /// The m-section.
  ///
  /// ```swift
  /// print("a=mid:\(inbound.mid.rawValue)")
  /// ```
  public let mid: MID

  /// Packets received, retransmitted ones included.
  ///
  /// ```swift
  /// let total = statistics.inbound.map(\.packetsReceived).reduce(0, +)
  /// ```
  public let packetsReceived: UInt64

  /// Packets that did not come under their own number, as RFC 3550 counts them: a retransmission does not take one away; negative
  /// when there were duplicates.
  ///
  /// ```swift
  /// let lost = statistics.inbound.map(\.packetsLost).reduce(0, +)
  /// ```
  public let packetsLost: Int64

  /// Packets that the jitter buffer did not take: too late, twice, or broken.
  ///
  /// ```swift
  /// if inbound.packetsDiscarded > 0 { print("Some packets came too late.") }
  /// ```
  public let packetsDiscarded: UInt64

  /// The interarrival jitter (RFC 3550 section 6.4.1).
  ///
  /// ```swift
  /// print("\(inbound.jitter.milliseconds) ms of jitter")
  /// ```
  public let jitter: TimeSpan

  /// Bytes of payload received, retransmitted ones included.
  ///
  /// ```swift
  /// let received = statistics.inbound.map(\.bytesReceived).reduce(0, +)
  /// ```
  public let bytesReceived: UInt64

  /// Bytes of headers and padding received.
  ///
  /// ```swift
  /// let all = inbound.bytesReceived + inbound.headerBytesReceived
  /// ```
  public let headerBytesReceived: UInt64

  /// Of the packets received, those that came as retransmission.
  ///
  /// ```swift
  /// let repaired = inbound.retransmittedPacketsReceived
  /// ```
  public let retransmittedPacketsReceived: UInt64

  /// Bytes of payload in them.
  ///
  /// ```swift
  /// let useful = inbound.bytesReceived - inbound.retransmittedBytesReceived
  /// ```
  public let retransmittedBytesReceived: UInt64

  /// Copies of earlier packets that came as redundancy (RFC 2198).
  ///
  /// ```swift
  /// let hasRedundancy = inbound.fecPacketsReceived > 0
  /// ```
  public let fecPacketsReceived: UInt64

  /// Of those, copies of packets that were there already or that could not be placed.
  ///
  /// ```swift
  /// let used = inbound.fecPacketsReceived - inbound.fecPacketsDiscarded
  /// ```
  public let fecPacketsDiscarded: UInt64

  /// When the newest packet came, on the monotonic clock (`lastPacketReceivedTimestamp`).
  ///
  /// ```swift
  /// if let last = inbound.lastPacketReceived { print("\((MonotonicClock.now - last).milliseconds) ms ago") }
  /// ```
  public let lastPacketReceived: Instant?

  /// NACK messages sent: how often lost packets were asked for.
  ///
  /// ```swift
  /// if inbound.nackCount > 0 { print("The way from the server loses packets.") }
  /// ```
  public let nackCount: UInt64

  /// How long frames, or samples of sound, stayed in the jitter buffer, in seconds: divide by ``jitterBufferEmittedCount`` for the mean.
  ///
  /// ```swift
  /// let mean = inbound.jitterBufferDelay / Double(max(inbound.jitterBufferEmittedCount, 1))
  /// ```
  public let jitterBufferDelay: Double

  /// The delay that was aimed at, likewise.
  ///
  /// ```swift
  /// let aim = inbound.jitterBufferTargetDelay / Double(max(inbound.jitterBufferEmittedCount, 1))
  /// ```
  public let jitterBufferTargetDelay: Double

  /// The delay that jitter alone would have asked for, likewise.
  ///
  /// ```swift
  /// let least = inbound.jitterBufferMinimumDelay / Double(max(inbound.jitterBufferEmittedCount, 1))
  /// ```
  public let jitterBufferMinimumDelay: Double

  /// The frames, or samples of sound, that came out of the jitter buffer. Sound stays in it only while somebody hears it.
  ///
  /// ```swift
  /// let mean = inbound.jitterBufferDelay / Double(max(inbound.jitterBufferEmittedCount, 1))
  /// ```
  public let jitterBufferEmittedCount: UInt64

  /// Frames and freezes; nil for audio.
  ///
  /// ```swift
  /// let freezes = inbound.video?.freezeCount ?? 0
  /// ```
  public let video: InboundVideoStatistics?

  /// Samples and concealment; nil for video.
  ///
  /// ```swift
  /// let concealed = inbound.audio?.concealedSamples ?? 0
  /// ```
  public let audio: InboundAudioStatistics?

  /// What the server reports about the stream (`RTCRemoteOutboundRtpStreamStats`), of all that its m-section carried; nil before its first
  /// report.
  ///
  /// ```swift
  /// let sent = inbound.remote?.packetsSent
  /// ```
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
