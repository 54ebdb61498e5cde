public import Basics

/// The limits and habits of a ``VideoJitterBuffer``.
public struct VideoJitterConfiguration: Hashable, Sendable {
  /// More packets are not kept. At least 64.
  public var maximumPackets = 2_048
  /// More bytes of payload are not kept.
  public var maximumBytes = 8 << 20
  /// More complete frames are not kept.
  public var maximumFrames = 256
  /// The buffer never makes frames wait longer than this for jitter.
  public var maximumDelay = TimeSpan.seconds(1)
  /// How long before a frame is to be shown it is given out, so that decoding it makes nothing late. It is the delay
  /// that is left when the network adds none.
  public var decodeLead = TimeSpan.milliseconds(10)
  /// How long a gap is waited for before a keyframe is asked for; longer, up to a second, when the round trip is known
  /// to be long.
  public var repairWait = TimeSpan.milliseconds(500)
  /// How long after a request for a keyframe the next one may follow; doubles with each.
  public var keyframeRetry = TimeSpan.milliseconds(300)
  /// The longest time between two requests for a keyframe.
  public var maximumKeyframeRetry = TimeSpan.seconds(3)

  public init() {}
}
