public import Basics
import RTC

/// Finds a connection by where a packet came from: an open-addressed hash of remote address and handle in flat arrays.
///
/// Only paths that an authenticated ICE check has proven are entered, so nobody can fill it. A lookup, hit or miss,
/// allocates nothing and is one or two probes; removal closes the hole, so there are no tombstones.
public struct AddressTable: Sendable {
  private struct Entry: Sendable {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var handle: UInt32 = 0
    var port: UInt16 = 0
    var used = false
    var value: Int32 = 0
  }

  private var entries: ContiguousArray<Entry>
  private var mask: Int
  private let seed: UInt64
  /// How many paths are known.
  public private(set) var count = 0

  /// An empty table; `seed` makes its order unpredictable to those whose addresses are in it.
  public init(seed: UInt64) {
    entries = ContiguousArray(repeating: Entry(), count: 64)
    mask = 63
    self.seed = seed
  }

  /// The connection behind `remote` on the socket or TCP connection `handle`.
  @inline(__always)
  public func find(_ remote: TransportAddress, handle: UInt32) -> Int? {
    var slot = hash(remote, handle)
    while entries[slot].used {
      if matches(slot, remote, handle) { return Int(entries[slot].value) }
      slot = (slot &+ 1) & mask
    }
    return nil
  }

  /// Enters or replaces a path.
  public mutating func set(_ value: Int, for remote: TransportAddress, handle: UInt32) {
    if (count + 1) * 2 > entries.count { grow() }
    var slot = hash(remote, handle)
    while entries[slot].used {
      if matches(slot, remote, handle) {
        entries[slot].value = Int32(truncatingIfNeeded: value)
        return
      }
      slot = (slot &+ 1) & mask
    }
    entries[slot] = Entry(
      high: remote.ip.high, low: remote.ip.low, handle: handle, port: remote.port, used: true,
      value: Int32(truncatingIfNeeded: value))
    count += 1
  }

  /// Removes a path, as long as it is that of connection `value`.
  public mutating func remove(_ remote: TransportAddress, handle: UInt32, value: Int) {
    var slot = hash(remote, handle)
    while entries[slot].used {
      if matches(slot, remote, handle) {
        guard Int(entries[slot].value) == value else { return }
        close(slot)
        count -= 1
        return
      }
      slot = (slot &+ 1) & mask
    }
  }

  /// Removes every path of connection `value`; looks at the whole table.
  public mutating func removeAll(of value: Int) {
    let left = entries.filter { $0.used && Int($0.value) != value }
    guard left.count < count else { return }
    for slot in entries.indices { entries[slot] = Entry() }
    count = 0
    for entry in left {
      set(
        Int(entry.value),
        for: TransportAddress(ip: IPAddress(high: entry.high, low: entry.low), port: entry.port), handle: entry.handle)
    }
  }

  @inline(__always)
  private func matches(_ slot: Int, _ remote: TransportAddress, _ handle: UInt32) -> Bool {
    entries[slot].low == remote.ip.low && entries[slot].high == remote.ip.high
      && entries[slot].port == remote.port && entries[slot].handle == handle
  }

  @inline(__always)
  private func hash(_ remote: TransportAddress, _ handle: UInt32) -> Int {
    slot(high: remote.ip.high, low: remote.ip.low, port: remote.port, handle: handle)
  }

  @inline(__always)
  private func slot(high: UInt64, low: UInt64, port: UInt16, handle: UInt32) -> Int {
    var h = seed ^ high
    h = (h ^ (h >> 32)) &* 0x9E37_79B9_7F4A_7C15
    h ^= low
    h = (h ^ (h >> 29)) &* 0xBF58_476D_1CE4_E5B9
    h ^= UInt64(port) << 32 | UInt64(handle)
    h = (h ^ (h >> 32)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: h >> 20) & mask
  }

  /// Moves later entries of the cluster forward, so that no lookup stops at the hole.
  private mutating func close(_ hole: Int) {
    var hole = hole
    var next = (hole &+ 1) & mask
    while entries[next].used {
      let home = slot(
        high: entries[next].high, low: entries[next].low, port: entries[next].port, handle: entries[next].handle)
      // Whether the hole lies between the entry's home and where it is.
      if (next &- home) & mask >= (next &- hole) & mask {
        entries[hole] = entries[next]
        hole = next
      }
      next = (next &+ 1) & mask
    }
    entries[hole] = Entry()
  }

  private mutating func grow() {
    let old = entries
    entries = ContiguousArray(repeating: Entry(), count: old.count * 2)
    mask = entries.count - 1
    count = 0
    for entry in old where entry.used {
      set(
        Int(entry.value),
        for: TransportAddress(ip: IPAddress(high: entry.high, low: entry.low), port: entry.port), handle: entry.handle)
    }
  }
}
