import Basics

/// The destinations that refused segmented sends (UDP segmentation offload) lately, so that datagrams leave there
/// singly for a while.
///
/// A refusal is nearly always one path's: its packet size is smaller than a segment. Only if destinations in several
/// networks refuse one after the other, with no accepted segmented send between them, is it the system's: one host has
/// as many ports, and often addresses, as it likes. Either is tried again after ``term``, since paths change, and
/// devices are added or configured. A plain value of bounded size; it costs nothing while nothing was refused.
struct SegmentationRefusals: Sendable {
  /// For how long a refusal counts.
  static let term = TimeSpan.seconds(60)
  /// As many destinations are remembered; one more takes the place of the oldest, which then costs a send that fails.
  static let capacity = 64
  /// Destinations in so many networks (a /24 of IPv4, a /64 of IPv6) that refuse in a row are the system.
  static let several = 8

  private struct Entry {
    var destination: TransportAddress
    var until: Instant
  }

  private var entries: [Entry] = []
  /// Until when nothing leaves segmented; nil while that is not so.
  private var systemUntil: Instant?
  /// The networks of the destinations that refused in a row.
  private var networks: [IPAddress] = []

  /// Whether nothing was refused lately.
  @inline(__always)
  var isEmpty: Bool { entries.isEmpty && systemUntil == nil }

  /// Whether it was the system that refused, so that nothing leaves segmented.
  var isSystem: Bool { systemUntil != nil }

  /// Whether datagrams to `destination` are to leave singly now. Refusals older than ``term`` are forgotten.
  mutating func contains(_ destination: TransportAddress, now: Instant) -> Bool {
    if let until = systemUntil {
      if now < until { return true }
      systemUntil = nil
    }
    guard let index = entries.firstIndex(where: { $0.destination == destination }) else { return false }
    if now < entries[index].until { return true }
    entries.remove(at: index)
    return false
  }

  /// A segmented send to `destination` was refused.
  ///
  /// - Parameter mayBeSystem: Whether the error can also mean that the system refuses all of them.
  mutating func add(_ destination: TransportAddress, mayBeSystem: Bool, now: Instant) {
    entries.removeAll { $0.destination == destination }
    if entries.count == Self.capacity { entries.removeFirst() }
    entries.append(Entry(destination: destination, until: now + Self.term))
    guard mayBeSystem else { return }
    let network = Self.network(of: destination.ip)
    guard !networks.contains(network) else { return }
    networks.append(network)
    if networks.count >= Self.several { addSystem(now: now) }
  }

  /// The system refuses segmented sends to everybody.
  mutating func addSystem(now: Instant) {
    systemUntil = now + Self.term
    networks.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }

  /// A segmented send was taken, so the system does not refuse them.
  @inline(__always)
  mutating func noteTaken() { if !networks.isEmpty { networks.removeAll(keepingCapacity: true) } }

  private static func network(of ip: IPAddress) -> IPAddress {
    ip.isIPv4 ? IPAddress(v4: ip.v4Bits & 0xFFFF_FF00) : IPAddress(high: ip.high, low: 0)
  }
}
