public import Basics

/// How one direction of an emulated link treats packets.
public struct LinkConditions: Hashable, Sendable {
  /// How much the queue in front of the bottleneck holds; what does not fit is dropped at its tail.
  public enum QueueLimit: Hashable, Sendable {
    /// This many bytes.
    case bytes(Int)
    /// As many bytes as the bottleneck sends in this time.
    case time(TimeSpan)
  }

  /// The packets that are swallowed before the bottleneck.
  public var loss: LossModel
  /// The time that every packet takes.
  public var delay: TimeSpan
  /// Up to this much more time, equally likely, drawn for each packet.
  public var jitter: TimeSpan
  /// Whether jitter lets later packets overtake earlier ones. Without it a packet waits for those before it.
  public var reorders: Bool
  /// The probability that a packet arrives twice.
  public var duplication: Double
  /// The rate of the bottleneck; nil for none.
  public var capacity: DataRate?
  /// The queue in front of the bottleneck.
  public var queue: QueueLimit
  /// Whether what exceeds the capacity is dropped at once rather than kept waiting, as a policer does: nothing is ever
  /// delayed by the capacity, and ``queue`` says how much may exceed it in one burst.
  public var polices: Bool
  /// Bytes that each packet takes on the bottleneck besides its own: IPv4 and UDP headers.
  public var overhead: Int

  /// Conditions; left out, each is that of a perfect link.
  public init(
    loss: LossModel = .none, delay: TimeSpan = .zero, jitter: TimeSpan = .zero, reorders: Bool = false,
    duplication: Double = 0, capacity: DataRate? = nil, queue: QueueLimit = .time(.milliseconds(300)),
    polices: Bool = false, overhead: Int = 28
  ) {
    self.loss = loss
    self.delay = delay
    self.jitter = jitter
    self.reorders = reorders
    self.duplication = duplication
    self.capacity = capacity
    self.queue = queue
    self.polices = polices
    self.overhead = overhead
  }

  /// A link without loss, delay or limit.
  public static let perfect = LinkConditions()

  /// The bytes that the queue holds.
  var queueBytes: Int {
    switch queue {
    case .bytes(let bytes): max(bytes, 0)
    case .time(let time):
      Int(min(max(Double(capacity?.bitsPerSecond ?? 0) / 8 * time.seconds, 0), 1e12))
    }
  }
}
