public import Basics

/// The load of the paths to all receivers of a worker, for `/metrics`.
public struct BandwidthTotals: Sendable, Hashable {
  /// Receivers whose path is known.
  public var estimated = 0
  /// Sum of what their paths take.
  public var estimate = DataRate.zero
  /// The rate of all wanted video at its best.
  public var wanted = DataRate.zero
  /// The rate of the forwarded video.
  public var allocated = DataRate.zero
  public var audio = DataRate.zero
  public var retransmitted = DataRate.zero
  /// Bytes that wait to be sent.
  public var queued = 0
  /// Receivers that get less video than they want, because their path takes no more.
  public var limited = 0
  /// Slots that are paused because there is not enough bandwidth.
  public var paused = 0

  public init() {}

  public mutating func add(_ receiver: BandwidthSnapshot) {
    func sum(_ a: DataRate, _ b: DataRate) -> DataRate { DataRate(bitsPerSecond: a.bitsPerSecond &+ b.bitsPerSecond) }
    if let rate = receiver.estimate {
      estimated += 1
      estimate = sum(estimate, rate)
    }
    wanted = sum(wanted, receiver.wanted)
    allocated = sum(allocated, receiver.allocated)
    audio = sum(audio, receiver.audio)
    retransmitted = sum(retransmitted, receiver.retransmitted)
    queued += receiver.queued
    if receiver.isLimited { limited += 1 }
    paused += receiver.paused
  }
}
