import Basics
import RTC

/// A probe while it is sent: media that leaves during it counts, and padding fills up the rest of its rate.
struct ProbeBurst: Sendable {
  /// After this the rest is not sent any more.
  static let patience = TimeSpan.milliseconds(250)

  let cluster: ProbeCluster
  let started: Instant
  private var bytes = 0
  private var packets = 0

  init(_ cluster: ProbeCluster, now: Instant) {
    self.cluster = cluster
    started = now
  }

  /// Whether enough was sent.
  var isComplete: Bool { bytes >= cluster.bytes && packets >= cluster.packets }

  /// A packet of the probe left.
  mutating func sent(bytes count: Int) {
    bytes &+= count
    packets &+= 1
  }

  /// When the next packet is due.
  var deadline: Instant {
    let rate = max(Double(cluster.rate.bitsPerSecond), 1_000)
    return started + TimeSpan(nanoseconds: Int64(Double(bytes) * 8 / rate * 1e9))
  }

  /// Whether the time for it is over.
  func isOver(now: Instant) -> Bool { isComplete || now - started > Self.patience }
}
