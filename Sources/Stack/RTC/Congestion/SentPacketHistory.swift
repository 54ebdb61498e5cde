public import Basics

/// Remembers each sent packet until its feedback comes, by transport-wide sequence number
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 2).
///
/// A ring of 16 bytes a packet, made at the first packet. It doubles, up to ``capacity``, while packets without
/// feedback would be overwritten. Once the rate and the round trip are known, nothing is allocated.
public struct SentPacketHistory: Sendable {
  /// A packet that was sent.
  public struct Packet: Hashable, Sendable {
    public var sequence: Int64
    /// The departure time, on this side's clock.
    public var sent: Instant
    /// Its bytes on the wire.
    public var size: Int
    /// The probe it belongs to; 0 for none.
    public var cluster: UInt8
    /// Whether an earlier report had called it lost.
    public var wasReportedLost: Bool
  }

  private enum State: UInt8 {
    case empty
    case inFlight
    case lost
    case received
  }

  private struct Entry {
    var sent: Int64 = 0
    var sequence: UInt32 = 0
    var size: UInt16 = 0
    var cluster: UInt8 = 0
    var state = State.empty
  }

  /// The memory of one packet, in bytes.
  static let bytesPerPacket = MemoryLayout<Entry>.stride

  /// A packet older than this is given up rather than grown for.
  private static let patience: Int64 = 2_000_000_000

  /// How many packets are remembered at most; a power of two.
  public let capacity: Int
  /// The number of the next packet, extended.
  public internal(set) var next: Int64
  /// Bytes that left and have not been reported on.
  public private(set) var bytesInFlight: Int64 = 0
  private var ring: ContiguousArray<Entry> = []

  /// An empty history whose first number is `first`.
  /// - Parameter capacity: rounded up to a power of two, 64 to 16,384.
  public init(capacity: Int = 1_024, first: UInt16 = 0) {
    var power = 64
    while power < min(capacity, 16_384) { power *= 2 }
    self.capacity = power
    next = Int64(first)
  }

  /// The number on the wire of the next packet.
  public var nextSequence: SequenceNumber { SequenceNumber(rawValue: UInt16(truncatingIfNeeded: next)) }

  /// Remembers a packet that left under ``nextSequence``.
  public mutating func append(size: Int, cluster: UInt8 = 0, now: Instant) {
    if ring.isEmpty { ring = ContiguousArray(repeating: Entry(), count: min(capacity, 64)) }
    var slot = slot(next)
    if ring[slot].state == .inFlight {
      if ring.count < capacity, now.nanoseconds &- ring[slot].sent < Self.patience {
        grow()
        slot = self.slot(next)
      } else {
        bytesInFlight &-= Int64(ring[slot].size)
      }
    }
    ring[slot] = Entry(
      sent: now.nanoseconds, sequence: UInt32(truncatingIfNeeded: next), size: UInt16(clamping: size), cluster: cluster,
      state: .inFlight)
    bytesInFlight &+= Int64(ring[slot].size)
    next &+= 1
  }

  /// Leaves a number out: nothing is remembered of its packet.
  @usableFromInline mutating func skip() { next &+= 1 }

  /// The extended number of the packet that a report calls `number`; nil when none such was sent, or it is forgotten.
  public func extended(_ number: SequenceNumber) -> Int64? {
    guard !ring.isEmpty else { return nil }
    let newest = next &- 1
    let distance = number.distance(from: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: newest)))
    guard distance <= 0, distance > -ring.count else { return nil }
    let sequence = newest &+ Int64(distance)
    let entry = ring[slot(sequence)]
    return entry.state != .empty && entry.sequence == UInt32(truncatingIfNeeded: sequence) ? sequence : nil
  }

  /// Notes that the packet arrived; nil when that was known, or the packet is not.
  public mutating func acknowledge(_ sequence: Int64) -> Packet? {
    guard !ring.isEmpty else { return nil }
    let slot = slot(sequence)
    let entry = ring[slot]
    guard entry.sequence == UInt32(truncatingIfNeeded: sequence), entry.state == .inFlight || entry.state == .lost
    else {
      return nil
    }
    if entry.state == .inFlight { bytesInFlight &-= Int64(entry.size) }
    ring[slot].state = .received
    return Packet(
      sequence: sequence, sent: Instant(nanoseconds: entry.sent), size: Int(entry.size), cluster: entry.cluster,
      wasReportedLost: entry.state == .lost)
  }

  /// Notes that the packet did not arrive, as far as is known; true when that is news.
  public mutating func markLost(_ sequence: Int64) -> Bool {
    guard !ring.isEmpty else { return false }
    let slot = slot(sequence)
    guard ring[slot].state == .inFlight, ring[slot].sequence == UInt32(truncatingIfNeeded: sequence) else {
      return false
    }
    bytesInFlight &-= Int64(ring[slot].size)
    ring[slot].state = .lost
    return true
  }

  /// When the packet left; nil when it is not known any more.
  public func departure(of sequence: Int64) -> Instant? {
    guard !ring.isEmpty else { return nil }
    let entry = ring[slot(sequence)]
    guard entry.state != .empty, entry.sequence == UInt32(truncatingIfNeeded: sequence) else { return nil }
    return Instant(nanoseconds: entry.sent)
  }

  /// Twice the ring; every packet moves to where its number now belongs.
  private mutating func grow() {
    let old = ring
    ring = ContiguousArray(repeating: Entry(), count: old.count &* 2)
    for entry in old where entry.state != .empty {
      ring[Int(truncatingIfNeeded: entry.sequence) & (ring.count &- 1)] = entry
    }
  }

  private func slot(_ sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) & (ring.count &- 1) }
}
