/// The counts of a router, for `/metrics`. Counters only grow and wrap.
public struct RouterCounters: Sendable {
  /// RTP packets received from publishers, retransmissions and padding included.
  public var packetsReceived: UInt64 = 0
  /// Bytes of them.
  public var bytesReceived: UInt64 = 0
  /// RTP packets written for receivers, retransmissions included.
  public var packetsForwarded: UInt64 = 0
  /// Bytes of them, protected.
  public var bytesForwarded: UInt64 = 0
  /// Retransmissions written for receivers.
  public var retransmissions: UInt64 = 0
  /// Retransmissions that were asked for and refused: over the budget, or sent a moment ago.
  public var retransmissionsRefused: UInt64 = 0
  /// Retransmissions that were asked for and are not in the store.
  public var retransmissionsMissing: UInt64 = 0
  /// Video packets that waited because the receiver's path would not have taken them at once.
  public var packetsPaced: UInt64 = 0
  /// Packets that waited too long, found no room to wait, or left the store meanwhile.
  public var pacedDrops: UInt64 = 0
  /// Packets sent to probe the path of a receiver.
  public var paddings: UInt64 = 0
  /// Audio packets that earlier sounds were added to.
  public var redundantPackets: UInt64 = 0
  /// Keyframe requests sent to publishers.
  public var keyframeRequests: UInt64 = 0
  public var reportsReceived: UInt64 = 0
  public var reportsSent: UInt64 = 0
  /// RTCP datagrams that ended in a malformed packet.
  public var malformedReports: UInt64 = 0
  /// Packets of publications here that were forwarded to other routers, once for each of them.
  public var packetsRelayedOut: UInt64 = 0
  /// Packets that came from other routers.
  public var packetsRelayedIn: UInt64 = 0
  /// Packets that encryption refused.
  public var protectFailures: UInt64 = 0
  /// Packets dropped, by reason.
  public var drops = InlineArray<10, UInt64>(repeating: 0)

  public init() {}

  /// Adds the counters of another router.
  public mutating func add(_ other: RouterCounters) {
    packetsReceived &+= other.packetsReceived
    bytesReceived &+= other.bytesReceived
    packetsForwarded &+= other.packetsForwarded
    bytesForwarded &+= other.bytesForwarded
    retransmissions &+= other.retransmissions
    retransmissionsRefused &+= other.retransmissionsRefused
    retransmissionsMissing &+= other.retransmissionsMissing
    packetsPaced &+= other.packetsPaced
    pacedDrops &+= other.pacedDrops
    paddings &+= other.paddings
    redundantPackets &+= other.redundantPackets
    keyframeRequests &+= other.keyframeRequests
    reportsReceived &+= other.reportsReceived
    reportsSent &+= other.reportsSent
    malformedReports &+= other.malformedReports
    packetsRelayedOut &+= other.packetsRelayedOut
    packetsRelayedIn &+= other.packetsRelayedIn
    protectFailures &+= other.protectFailures
    for index in drops.indices { drops[index] &+= other.drops[index] }
  }

  /// How many packets were dropped for `reason`.
  public subscript(reason: RoutingDrop) -> UInt64 {
    get { drops[Int(reason.rawValue)] }
    set { drops[Int(reason.rawValue)] = newValue }
  }
}
