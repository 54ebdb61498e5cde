public import Basics
import Transport

/// The local addresses of media, and those that clients get.
public struct MediaAddressPolicy: Sendable, Hashable {
  /// The addresses to listen on; empty for every one of both families.
  public var hosts: [IPAddress] = []
  /// Addresses that clients are told in any case, such as the one outside of a NAT.
  public var published: [IPAddress] = []
  /// Whether they are told addresses that only networks inside reach (``Basics/IPAddress/isPrivate``).
  public var offersPrivate = true

  /// Listens everywhere, and tells every address of this machine.
  public init(hosts: [IPAddress] = [], published: [IPAddress] = [], offersPrivate: Bool = true) {
    self.hosts = hosts
    self.published = published
    self.offersPrivate = offersPrivate
  }

  /// The addresses to tell, those of most use first.
  /// - Parameters:
  ///   - interfaces: The machine's interfaces now.
  ///   - routed: The addresses that this machine reaches other networks from, one a family at most: those of its real
  ///     interfaces.
  func addresses(of interfaces: [NetworkInterface], routed: [IPAddress]) -> MediaAddresses {
    let present = interfaces.flatMap { interface in
      interface.addresses.map { (ip: $0, isLast: interface.isPointToPoint) }
    }
    let listening =
      hosts.isEmpty
      ? present
      : hosts.flatMap { host in
        host.isUnspecified ? present.filter { $0.ip.isIPv4 == host.isIPv4 } : [(ip: host, isLast: false)]
      }
    func rank(_ entry: (ip: IPAddress, isLast: Bool)) -> Int {
      if routed.contains(entry.ip) { return 0 }
      if entry.isLast { return 3 }
      return entry.ip.isLinkLocal ? 3 : entry.ip.isPrivate ? 2 : 1
    }
    var told: [IPAddress] = []
    for ip in published where !told.contains(ip) { told.append(ip) }
    for wanted in 0...3 {
      for entry in listening where rank(entry) == wanted && !entry.ip.isLoopback && !told.contains(entry.ip) {
        if offersPrivate || !entry.ip.isPrivate { told.append(entry.ip) }
      }
    }
    // Loopback addresses are no candidates (RFC 8445 section 5.1.1.1), but all that a machine without a network has,
    // and what somebody who names nothing else means.
    if told.isEmpty, offersPrivate {
      for entry in listening where entry.ip.isLoopback && !told.contains(entry.ip) { told.append(entry.ip) }
    }
    return MediaAddresses(ranked: told)
  }
}

/// The addresses at which media can be reached just now.
struct MediaAddresses: Equatable {
  /// The most that one client is told: each is a candidate of UDP and one of TCP, and costs it checks.
  static let limit = 16

  /// All of them, those of most use first.
  let ranked: [IPAddress]

  /// What one client is told, most preferred first: the address at which it has reached the server's pages, then both
  /// families in turns (RFC 8421 section 4), so that neither is cut off.
  func told(reached: IPAddress?) -> [IPAddress] {
    var first: [IPAddress] = []
    if let reached, ranked.contains(reached) { first = [reached] }
    let rest = ranked.filter { $0 != first.first }
    var families = [rest.filter(\.isIPv4), rest.filter { !$0.isIPv4 }]
    // After an address comes one of the other family.
    if let last = first.last {
      if last.isIPv4 { families.swapAt(0, 1) }
    } else if rest.first?.isIPv4 == false {
      families.swapAt(0, 1)
    }
    var index = 0
    while first.count < Self.limit, families.contains(where: { index < $0.count }) {
      for family in families where index < family.count && first.count < Self.limit { first.append(family[index]) }
      index += 1
    }
    return first
  }

  /// Those that somebody is not told who has reached the server elsewhere.
  var leftOut: [IPAddress] {
    let told = told(reached: nil)
    return ranked.filter { !told.contains($0) }
  }
}

/// The addresses that clients get from now on.
public struct MediaAddressReport: Sendable, Hashable {
  /// Those that they are told, most preferred first.
  public var told: [IPAddress]
  /// Those that are more than a client is told.
  public var leftOut: [IPAddress]
}
