/// The width of a network whose addresses count as one. A client with one of its addresses can often get the others
/// too.
public enum NetworkWidth: CaseIterable, Sendable {
  /// One customer's line: an address of IPv4, or a /64 of IPv6, in which each machine takes any address.
  case host
  /// One site: a /24 of IPv4, or a /48 of IPv6, as one customer gets it.
  case site
  /// One provider: a /16 of IPv4, or a /32 of IPv6, as a network gets it from its registry.
  case provider
}

/// A network of one width.
public struct Network: Hashable, Sendable {
  /// How wide it is.
  public let width: NetworkWidth
  /// Its first address, the one with only zeros behind the prefix.
  public let first: IPAddress

  /// The network of that width around an address.
  public init(of address: IPAddress, _ width: NetworkWidth) {
    self.width = width
    let bits =
      switch width {
      case .host: address.isIPv4 ? 32 : 64
      case .site: address.isIPv4 ? 24 : 48
      case .provider: address.isIPv4 ? 16 : 32
      }
    first =
      address.isIPv4
      ? IPAddress(v4: address.v4Bits & ~(bits == 32 ? 0 : UInt32.max >> UInt32(bits)))
      : IPAddress(high: address.high & ~(bits == 64 ? 0 : UInt64.max >> UInt64(bits)), low: 0)
  }
}

extension IPAddress {
  /// The address that counts for one customer of a provider (``NetworkWidth/host``).
  public var network: IPAddress { Network(of: self, .host).first }
}
