import Basics

/// Whether a ban of somebody unknown goes by their address too.
///
/// Guests of a room without tokens get another token whenever they open the room's URL, so only the address identifies
/// them. It may belong to a whole school, or to a proxy before the server, so the operator has the last word.
enum AddressBans: Sendable {
  case off
  /// But for this machine, whose address is often that of a proxy, and the proxies that are named.
  case others(TrustedProxies)
  case all

  /// Follows the settings. The default is on, unless a proxy stands before the server that doesn't pass on addresses.
  init(_ configuration: ServerConfiguration) {
    switch configuration.bansAddresses {
    case true?: self = .all
    case false?: self = .off
    case nil:
      let knowsClients = configuration.publicURL == nil || !configuration.trustedProxies.isEmpty
      self = knowsClients ? .others(configuration.trustedProxies) : .off
    }
  }

  /// The address that bans go by; nil when they do not.
  func address(_ address: IPAddress) -> IPAddress? {
    switch self {
    case .off: nil
    case .others(let proxies): address.isLoopback || proxies.contains(address) ? nil : address
    case .all: address
    }
  }
}
