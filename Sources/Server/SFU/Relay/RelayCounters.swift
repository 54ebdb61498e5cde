/// The counts of records for the other end of a relay link, for `/metrics`. Counters only grow and wrap.
public struct RelayCounters: Sendable, Hashable {
  public var packets: UInt64 = 0
  /// Bytes of all records written.
  public var bytes: UInt64 = 0
  /// Media packets that had to wait in their publication's store because the ring was full.
  public var packetsDelayed: UInt64 = 0
  /// Of those, the ones that were given up: they became too old, or were not kept any more.
  public var packetsDropped: UInt64 = 0
  /// Other records written: announcements, demands, reports, voices.
  public var messages: UInt64 = 0
  /// Other records dropped because too many waited.
  public var messagesDropped: UInt64 = 0

  public init() {}

  /// Adds what was written over another link.
  public mutating func add(_ other: RelayCounters) {
    packets &+= other.packets
    bytes &+= other.bytes
    packetsDelayed &+= other.packetsDelayed
    packetsDropped &+= other.packetsDropped
    messages &+= other.messages
    messagesDropped &+= other.messagesDropped
  }
}
