public import Basics

/// Limits and intervals of a ``MediaReceiver``.
public struct MediaReceiverConfiguration: Hashable, Sendable {
  /// Most SSRCs that are told apart, retransmission streams included; packets of further ones are dropped.
  public var maximumSources = 256
  /// How long a stream of one m-section must have lived before another SSRC may take its place.
  public var replacementInterval = TimeSpan.seconds(1)
  /// The time between two receiver reports.
  public var reportInterval = TimeSpan.seconds(1)
  /// The first report follows the first packet, and a stream's first sender report, after this time: the other side
  /// measures the round trip with it.
  public var firstReportDelay = TimeSpan.milliseconds(100)
  /// The time between two transport-wide feedback reports while packets arrive.
  public var transportFeedbackInterval = TimeSpan.milliseconds(50)
  /// The same while few packets arrive, all in order; nil: the same time.
  public var longestTransportFeedbackInterval: TimeSpan?
  /// A keyframe is asked for again after this time until one comes, and never sooner.
  public var keyframeInterval = TimeSpan.milliseconds(300)
  /// When to ask again for lost video packets.
  public var videoNacks = NackGenerator.Configuration()
  /// When to ask again for lost audio packets: packets that take longer than a jitter buffer waits are given up early.
  public var audioNacks: NackGenerator.Configuration = {
    var nacks = NackGenerator.Configuration()
    nacks.maximumAge = .milliseconds(500)
    nacks.maximumTries = 4
    nacks.maximumMissing = 100
    nacks.requestsPerSecond = 100
    return nacks
  }()

  public init() {}
}
