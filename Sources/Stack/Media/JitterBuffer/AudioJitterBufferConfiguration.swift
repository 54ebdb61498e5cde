public import Basics

/// Limits of an ``AudioJitterBuffer``. All delays count from the moment at which a packet would be there if it had met
/// no queue.
public struct AudioJitterBufferConfiguration: Hashable, Sendable {
  /// The least delay, for a network without jitter: a playout tick and some air.
  public var minimumTarget = TimeSpan.milliseconds(20)
  /// The most that jitter alone may make of it.
  public var maximumTarget = TimeSpan.milliseconds(500)
  /// The delay before anything is known.
  public var initialTarget = TimeSpan.milliseconds(40)
  /// The addition to the delay that most packets keep: packets come between two playout ticks.
  public var margin = TimeSpan.milliseconds(10)
  /// The share of packets that shall be in time.
  public var quantile = 0.985
  /// The factor by which a packet reduces the weight of those before it.
  public var forgetting = 0.997
  /// How much later than the network's own delay a repair (retransmission, redundancy, forward error correction) may be
  /// for the delay to take it into account.
  public var maximumRepairWait = TimeSpan.milliseconds(250)
  /// The excess over the target delay at which audio is shortened.
  public var shortenAbove = TimeSpan.milliseconds(15)
  /// The deficit below the target delay at which audio is lengthened.
  public var lengthenBelow = TimeSpan.milliseconds(10)
  /// Above the target by this much, audio is shortened in every packet.
  public var hurryAbove = TimeSpan.milliseconds(80)
  /// Above the target by this much, packets are skipped.
  public var skipAbove = TimeSpan.milliseconds(400)
  /// The longest concealment; silence follows.
  public var maximumConcealment = TimeSpan.milliseconds(120)
  /// Most packets that are kept; the oldest go.
  public var maximumPackets = 256
  /// Largest payload that is kept, in bytes; larger ones are dropped.
  public var maximumPayload = 1_500

  public init() {}
}
