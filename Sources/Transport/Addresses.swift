public import Basics
internal import CLinux

extension TransportAddress {
  /// The address as it crosses the border to C.
  var raw: parley_address { parley_address(high: ip.high, low: ip.low, port: port) }

  /// An address that came over the border from C.
  init(_ raw: parley_address) {
    self.init(ip: IPAddress(high: raw.high, low: raw.low), port: raw.port)
  }

  /// No particular address: the kernel chooses.
  @usableFromInline static let unspecified = TransportAddress(ip: IPAddress(high: 0, low: 0), port: 0)
}

/// The addresses of this machine.
public enum LocalAddresses {
  /// Every address of every interface that is up, loopback included, link-local IPv6 left out (it needs a zone, which
  /// ICE candidates cannot carry), without duplicates. Reads the interface list each time: some tens of microseconds.
  public static func all() throws(TransportError) -> [IPAddress] {
    var raw = [parley_address](repeating: parley_address(), count: 256)
    // The pointer and the capacity are those of one array.
    let count = unsafe raw.withUnsafeMutableBufferPointer { b in
      unsafe parley_local_addresses(b.baseAddress, Int32(b.count))
    }
    guard count >= 0 else { throw .system(call: "getifaddrs", code: -count) }
    var out: [IPAddress] = []
    for entry in raw.prefix(Int(count)) {
      let ip = TransportAddress(entry).ip
      if !out.contains(ip) { out.append(ip) }
    }
    return out
  }
}
