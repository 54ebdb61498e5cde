/// Measurements of the playout of one audio stream, in the words of the W3C (`RTCInboundRtpStreamStats`). Samples count
/// for each channel once. Sums of time are in seconds times samples, as there: divide by the count for the mean.
public struct AudioPlayoutStatistics: Hashable, Sendable {
  /// Samples that were decoded or made up, before stretching. Silence of the sender is not among them.
  public var totalSamplesReceived: UInt64 = 0
  /// Samples that were made up because theirs were lost or late.
  public var concealedSamples: UInt64 = 0
  /// Those of them that are silence.
  public var silentConcealedSamples: UInt64 = 0
  /// How often concealment began.
  public var concealmentEvents: UInt64 = 0
  /// Samples put in to play more slowly.
  public var insertedSamplesForDeceleration: UInt64 = 0
  /// Samples taken out, or skipped, to play faster.
  public var removedSamplesForAcceleration: UInt64 = 0
  /// Lost packets that were decoded out of the copy in the next one (in-band forward error correction).
  public var recoveredPackets: UInt64 = 0
  /// Packets that came too late, could not be kept, or were broken.
  public var packetsDiscarded: UInt64 = 0
  /// Packets that the decoder refused.
  public var decodingErrors: UInt64 = 0
  /// The time that samples spent between arrival and being heard.
  public var jitterBufferDelay = 0.0
  /// The time that was aimed at for them.
  public var jitterBufferTargetDelay = 0.0
  /// The time that jitter alone would have asked for.
  public var jitterBufferMinimumDelay = 0.0
  /// The samples that the three sums are about.
  public var jitterBufferEmittedCount: UInt64 = 0
  /// The level, 0 to 1 of full scale, smoothed over about 100 ms.
  public var audioLevel = 0.0
  /// The sum of squared samples (full scale is 1) times their length in seconds.
  public var totalAudioEnergy = 0.0
  /// The length of what was played in seconds.
  public var totalSamplesDuration = 0.0

  public init() {}
}
