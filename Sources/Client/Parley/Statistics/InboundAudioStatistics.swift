import Media
import RTC

/// The audio members of `RTCInboundRtpStreamStats`. All but ``audioLevel`` stand still while nobody hears the track,
/// since it is not decoded then. Samples count for each channel once.
///
/// ```swift
/// for track in statistics.inbound {
///   if let audio = track.audio { print(track.participant, audio.audioLevel ?? 0, audio.concealedSamples) }
/// }
/// ```
public struct InboundAudioStatistics: Hashable, Sendable {
  /// How loud it is: 0 (silence) to 1 (0 dBov), linear. Of what is played, smoothed over about 100 ms; while nobody
  /// hears it, of what the sender wrote into the newest packet (RFC 6464). Nil when neither is known.
  public let audioLevel: Double?

  /// Samples that were decoded or made up, before stretching. Silence of the sender is not among them.
  public let totalSamplesReceived: UInt64

  /// Samples that were made up because theirs were lost or late.
  public let concealedSamples: UInt64

  /// Those of them that are silence.
  public let silentConcealedSamples: UInt64

  /// How often concealment began.
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
