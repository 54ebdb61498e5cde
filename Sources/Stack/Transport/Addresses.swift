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
  /// Every address of every interface that is up and running, loopback last, link-local IPv6 left out (it needs a zone,
  /// which ICE candidates cannot carry), without duplicates. Reads the interface list each time: some tens of
  /// microseconds.
  public static func all() throws(TransportError) -> [IPAddress] {
    var out: [IPAddress] = []
    for ip in try NetworkInterfaces.list().flatMap(\.addresses) where !out.contains(ip) { out.append(ip) }
    return out
  }

  /// The addresses from which this machine reaches other networks, one a family where there is a route: those of its
  /// real interfaces, as opposed to the bridges of containers. Nothing is sent.
  public static func routed() -> [IPAddress] {
    // Addresses for documentation (RFC 5737, RFC 3849): the default route leads there.
    [IPAddress("192.0.2.1"), IPAddress("2001:db8::1")].compactMap { remote in
      guard let remote else { return nil }
      var local = parley_address()
      // A local variable that the call fills.
      guard unsafe parley_source_address(TransportAddress(ip: remote, port: 9).raw, &local) == 0 else { return nil }
      let ip = TransportAddress(local).ip
      return ip.isUnspecified || (!ip.isIPv4 && ip.isLinkLocal) ? nil : ip
    }
  }
}
