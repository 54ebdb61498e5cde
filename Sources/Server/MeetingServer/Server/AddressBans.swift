import Basics

/// Whether a ban of somebody whom nobody knows goes by their address too.
///
/// Whoever came in by a room's address alone gets another token by opening it again, so the address is all there is to know them by. It may be
/// that of a whole school, or of a proxy before the server, so the operator has the last word.
enum AddressBans: Sendable {
  case off
  /// But for this machine, whose address is often that of a proxy, and the proxies that are named.
  case others(TrustedProxies)
  case all

  /// What the settings say: those who set nothing have it, unless a proxy stands before the server that says of nobody where they come from.
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
