/// Places of which there are only so many. Networks have shares of them (``NetworkShares``), and where one is short,
/// the oldest that has proven nothing gives way to a new one: those who hold places silently do not keep others out.
public struct SharedCapacity<ID: Hashable & Sendable>: Sendable {
  /// The result of a request for a place.
  public enum Admission: Equatable, Sendable {
    /// It has one; that of `evicted` was taken for it and is to be closed.
    case admitted(evicted: ID?)
    /// There is none: for a network, or, where nil, for anybody.
    case refused(Network?)
  }

  private struct Place {
    var address: IPAddress?
    /// The order of giving way, lowest first; nil for a place that never gives way.
    var rank: Int?
    var order: UInt64
  }

  private var places: [ID: Place] = [:]
  private var shares: NetworkShares
  private var lastOrder: UInt64 = 0

  /// - Parameter hostLimit: The most places of one host, however many are free.
  public init(capacity: Int, hostLimit: Int = .max) {
    shares = NetworkShares(capacity: capacity, hostLimit: hostLimit)
  }

  /// How many are taken.
  public var count: Int { places.count }
  /// Whether none is free.
  public var isFull: Bool { shares.isFull }

  /// Whether `id` has one.
  public func contains(_ id: ID) -> Bool { places[id] != nil }

  /// Asks for a place.
  ///
  /// - Parameters:
  ///   - address: The address that it counts for; nil for none, as for proxies.
  ///   - rank: The order of giving way, lowest first; nil for a place that never gives way.
  public mutating func admit(_ id: ID, from address: IPAddress?, rank: Int?) -> Admission {
    var evicted: ID?
    if let exhausted = address.flatMap({ shares.exhausted(around: $0) }) {
      guard let victim = oldest(in: exhausted) else { return .refused(exhausted) }
      evicted = victim
    } else if shares.isFull {
      guard let victim = oldest(in: nil) else { return .refused(nil) }
      evicted = victim
    }
    if let evicted { remove(evicted) }
    insert(id, address, rank)
    return .admitted(evicted: evicted)
  }

  /// Has a place count for another address, which is known later; refused where that one's network may have no more.
  public mutating func assign(_ id: ID, to address: IPAddress?) -> Admission {
    guard let place = places[id], place.address != address else { return .admitted(evicted: nil) }
    var evicted: ID?
    if let exhausted = address.flatMap({ shares.exhausted(around: $0) }) {
      guard let victim = oldest(in: exhausted) else { return .refused(exhausted) }
      evicted = victim
      remove(victim)
    }
    shares.remove(place.address)
    shares.add(address)
    places[id]?.address = address
    return .admitted(evicted: evicted)
  }

  /// Changes the order of giving way. With another rank than before, a place is the newest of its rank.
  public mutating func rank(_ id: ID, _ rank: Int?) {
    guard let place = places[id], place.rank != rank else { return }
    lastOrder += 1
    places[id]?.rank = rank
    places[id]?.order = lastOrder
  }

  /// Gives a place back.
  public mutating func remove(_ id: ID) {
    guard let place = places.removeValue(forKey: id) else { return }
    shares.remove(place.address)
  }

  /// Takes the place of whoever gives way first, for want of something else; nil where nobody does.
  public mutating func evict() -> ID? {
    let victim = oldest(in: nil)
    if let victim { remove(victim) }
    return victim
  }

  /// Takes a place without asking whether there is one.
  private mutating func insert(_ id: ID, _ address: IPAddress?, _ rank: Int?) {
    lastOrder += 1
    places[id] = Place(address: address, rank: rank, order: lastOrder)
    shares.add(address)
  }

  /// The place that gives way. It looks at all places, but only when one is needed.
  private func oldest(in network: Network?) -> ID? {
    var found: (id: ID, rank: Int, order: UInt64)?
    for (id, place) in places {
      guard let rank = place.rank else { continue }
      if let network {
        guard let address = place.address, Network(of: address, network.width) == network else { continue }
      }
      if let best = found, (best.rank, best.order) <= (rank, place.order) { continue }
      found = (id, rank, place.order)
    }
    return found?.id
  }
}
