public import Basics
internal import CLinux

/// A network interface that is up, with its addresses.
public struct NetworkInterface: Hashable, Sendable {
  /// The system's name, such as `eth0`.
  public let name: String
  /// The system's number of the interface, as `if_nametoindex` gives it.
  public let index: UInt32
  /// Whether it reaches only this machine.
  public let isLoopback: Bool
  /// Whether it has one other end, as most VPNs.
  public let isPointToPoint: Bool
  /// Its addresses of both families, link-local IPv6 left out: those mean nothing without a zone.
  public internal(set) var addresses: [IPAddress]
}

/// The network interfaces of this machine.
public enum NetworkInterfaces {
  /// Every interface that is up and running and has an address, in the system's order, loopback last. Some tens of
  /// microseconds.
  public static func list() throws(TransportError) -> [NetworkInterface] {
    var capacity = 256
    var entries = try entries(atMost: capacity)
    // A full list may lack some: hosts of containers have hundreds, and those of IPv6 come last.
    while entries.count == capacity {
      capacity *= 2
      entries = try self.entries(atMost: capacity)
    }
    var out: [NetworkInterface] = []
    for entry in entries {
      let address = TransportAddress(entry.address).ip
      let name = name(of: entry)
      if let known = out.firstIndex(where: { $0.name == name }) {
        if !out[known].addresses.contains(address) { out[known].addresses.append(address) }
      } else {
        out.append(
          NetworkInterface(
            name: name, index: entry.index, isLoopback: entry.is_loopback != 0,
            isPointToPoint: entry.is_point_to_point != 0, addresses: [address]))
      }
    }
    return out.filter { !$0.isLoopback } + out.filter(\.isLoopback)
  }

  private static func entries(atMost capacity: Int) throws(TransportError) -> ArraySlice<parley_interface> {
    var raw = [parley_interface](repeating: parley_interface(), count: capacity)
    // The pointer and the capacity are those of one array.
    let count = unsafe raw.withUnsafeMutableBufferPointer { b in
      unsafe parley_interfaces(b.baseAddress, Int32(b.count))
    }
    guard count >= 0 else { throw .system(call: "getifaddrs", code: -count) }
    return raw.prefix(Int(count))
  }

  private static func name(of entry: parley_interface) -> String {
    var copy = entry
    // Sixteen bytes of a local copy, the last of which is zero.
    return unsafe withUnsafeBytes(of: &copy.name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
