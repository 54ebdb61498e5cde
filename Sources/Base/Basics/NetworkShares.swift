/// Counts what networks hold of something of which there is only so much, and says which may take more.
///
/// A network may hold part of what is still free: a host half of it, a site all of it, a provider twice as much. So one
/// that is alone gets at most a third, a half or two thirds of everything, and the fuller it gets, the smaller are all
/// shares: a few networks never take all.
public struct NetworkShares: Sendable {
  /// How much there is.
  public let capacity: Int
  /// The most that a host may hold, however much is free.
  public let hostLimit: Int
  /// How much is held.
  public private(set) var total = 0
  /// The share that each network may hold however little is free: a page alone opens some connections.
  private let least: Int
  private var held: [Network: Int] = [:]

  /// Nothing is held yet.
  public init(capacity: Int, hostLimit: Int = .max) {
    self.capacity = capacity
    self.hostLimit = hostLimit
    least = max(capacity / 256, 1)
  }

  /// Whether nothing is free.
  public var isFull: Bool { total >= capacity }

  /// The narrowest network around an address that may take no more; nil when it may.
  public func exhausted(around address: IPAddress) -> Network? {
    for width in NetworkWidth.allCases {
      let network = Network(of: address, width)
      if held[network, default: 0] >= share(width) { return network }
    }
    return nil
  }

  private func share(_ width: NetworkWidth) -> Int {
    let free = max(capacity - total, 0)
    return switch width {
    case .host: min(max(free / 2, least), hostLimit)
    case .site: max(free, least)
    case .provider: max(free * 2, least)
    }
  }

  /// Counts one more. Without an address it counts for nobody, as for proxies, who take it for others.
  public mutating func add(_ address: IPAddress?) {
    total += 1
    guard let address else { return }
    for width in NetworkWidth.allCases { held[Network(of: address, width), default: 0] += 1 }
  }

  /// Counts one less of what ``add(_:)`` has counted.
  public mutating func remove(_ address: IPAddress?) {
    total -= 1
    guard let address else { return }
    for width in NetworkWidth.allCases {
      let network = Network(of: address, width)
      if let count = held[network] { held[network] = count > 1 ? count - 1 : nil }
    }
  }
}
