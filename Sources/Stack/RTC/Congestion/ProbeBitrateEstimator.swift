public import Basics

/// Measures what a probe showed: the rate at which its packets arrived. A plain value that follows the last four
/// probes.
public struct ProbeBitrateEstimator: Sendable {
  /// A probe that met the path's limit shows no more than this multiple of its target rate.
  private static let reach = 1.1
  /// Arriving slower than this share of the rate it was sent at is the limit of the path.
  private static let saturatedShare = 0.9
  /// The share of such a probe's arrival rate that counts.
  private static let saturatedFactor = 0.92
  /// A shorter probe is a brief one.
  private static let briefTime = 0.05

  /// Counts and sizes of a probe's packets fit into 32 bits: it lasts a second at most.
  private struct Cluster {
    var firstSent = Int64.max
    var lastSent = Int64.min
    var firstReceived = Int64.max
    var lastReceived = Int64.min
    /// The rate it was to be sent at.
    var asked = 0.0
    var minimumBytes: Int32 = 0
    var minimumPackets: Int32 = 0
    var count: Int32 = 0
    var bytes: Int32 = 0
    var lastSentSize: Int32 = 0
    var firstReceivedSize: Int32 = 0
    var id: UInt8 = 0
    var isBrief = false
  }

  private var clusters = InlineArray<4, Cluster>(repeating: Cluster())

  /// Whether the newest rate is what the path took rather than what was sent: it is the limit of the path.
  public private(set) var isSaturated = false
  /// The ``ProbeCluster/id`` of the probe that the newest rate is of; 0 before the first.
  private(set) var cluster: UInt8 = 0
  /// Whether that probe was so short that jitter alone may make it fast or slow.
  var isBrief: Bool { clusters[Int(cluster) & 3].isBrief }
  /// The rate that was asked of it, in bits per second.
  var asked: Double { clusters[Int(cluster) & 3].asked }

  public init() {}

  /// A probe is about to be sent. `loss`: the share of its packets that will be lost whatever the path takes.
  public mutating func beginProbe(_ probe: ProbeCluster, loss: Double = 0) {
    let share = 0.8 * (1 - min(max(loss, 0), 0.5))
    var cluster = Cluster()
    cluster.id = probe.id
    cluster.asked = Double(probe.rate.bitsPerSecond)
    cluster.isBrief = Double(probe.bytes) * 8 < Self.briefTime * cluster.asked
    // A few may be lost on the way.
    cluster.minimumBytes = Int32(clamping: Int(Double(probe.bytes) * share))
    cluster.minimumPackets = max(4, Int32(clamping: Int(Double(probe.packets) * share)))
    clusters[Int(probe.id) & 3] = cluster
  }

  /// Takes a packet of a probe that arrived; gives the rate it shows once most of the probe has arrived.
  public mutating func add(_ result: PacketResult) -> DataRate? {
    let index = Int(result.packet.cluster) & 3
    var cluster = clusters[index]
    guard result.packet.cluster != 0, cluster.id == result.packet.cluster else { return nil }
    let sent = result.packet.sent.nanoseconds
    let received = result.received.nanoseconds
    let size = Int32(clamping: result.packet.size)
    cluster.count &+= 1
    cluster.bytes &+= size
    cluster.firstSent = min(cluster.firstSent, sent)
    if sent >= cluster.lastSent {
      cluster.lastSent = sent
      cluster.lastSentSize = size
    }
    if received < cluster.firstReceived {
      cluster.firstReceived = received
      cluster.firstReceivedSize = size
    }
    cluster.lastReceived = max(cluster.lastReceived, received)
    clusters[index] = cluster
    return rate(of: cluster)
  }

  private mutating func rate(of cluster: Cluster) -> DataRate? {
    guard cluster.count >= cluster.minimumPackets, cluster.bytes >= cluster.minimumBytes else { return nil }
    let sentTime = cluster.lastSent &- cluster.firstSent
    let receivedTime = cluster.lastReceived &- cluster.firstReceived
    // A burst lasts at most a second, and a time of zero would give no rate.
    guard sentTime > 0, receivedTime > 0, sentTime <= 1_000_000_000, receivedTime <= 1_000_000_000 else { return nil }
    // The last packet takes no part in the time it was sent in, the first none in the time they arrived in.
    let sendRate = Double(cluster.bytes &- cluster.lastSentSize) * 8e9 / Double(sentTime)
    let receiveRate = Double(cluster.bytes &- cluster.firstReceivedSize) * 8e9 / Double(receivedTime)
    // Arriving twice as fast as sent is a path that stood still in between.
    guard receiveRate <= 2 * sendRate else { return nil }
    let share = receiveRate / sendRate
    isSaturated = share < Self.saturatedShare
    self.cluster = cluster.id
    // A keyframe that leaves at once as a part of the probe arrives in a bunch that jitter compresses, so a rate above
    // the target shows nothing. A probe that arrives a little slower than it was sent may have met the limit: the
    // slower, the less of it counts.
    let doubt = (1 - min(share, 1)) * (1 - Self.saturatedFactor) / (1 - Self.saturatedShare)
    let rate =
      isSaturated
      ? min(Self.saturatedFactor * receiveRate, Self.reach * cluster.asked) : min(sendRate, receiveRate) * (1 - doubt)
    return rate.isFinite && rate > 0 ? DataRate(bitsPerSecond: Int64(min(rate, 1e11))) : nil
  }
}
