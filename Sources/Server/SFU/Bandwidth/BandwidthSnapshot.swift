public import Basics

/// The estimate of the path to one receiver, and its use, as of now.
public struct BandwidthSnapshot: Sendable, Hashable {
  /// The capacity of the path, IP and UDP headers included; nil while it is unknown.
  public var estimate: DataRate?
  /// The rate of the forwarded video.
  public var allocated: DataRate
  /// The rate of all wanted video at its best.
  public var wanted: DataRate
  /// Whether it gets less than that because the path takes no more.
  public var isLimited: Bool
  public var audio: DataRate
  public var retransmitted: DataRate
  /// The share of packets lost lately, 0 to 1.
  public var loss: Double
  /// The round-trip time; nil while unknown.
  public var roundTrip: TimeSpan?
  /// Bytes that wait to be sent.
  public var queued: Int
  /// Slots that are paused because there is not enough bandwidth.
  public var paused: Int
}
