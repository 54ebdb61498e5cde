public import Basics

/// The bandwidth of the path to one receiver and how it is spent, at one moment.
public struct BandwidthSnapshot: Sendable, Hashable {
  /// Capacity estimate, IP and UDP headers included; nil while there is no estimate.
  public var estimate: DataRate?
  /// Rate of the forwarded video.
  public var allocated: DataRate
  /// Rate that all video the receiver wants would take at its best.
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
