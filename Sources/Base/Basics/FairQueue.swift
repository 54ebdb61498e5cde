/// A queue in which networks take turns: next is whoever came first of the provider, then of the site, then of the host
/// that was served longest ago. Each has a share of its places (``NetworkShares``), so that whoever sends most waits
/// longest.
public struct FairQueue<Element: Sendable>: Sendable {
  private struct Waiting {
    var element: Element
    var address: IPAddress
  }

  private var waiting: [Waiting] = []
  private var shares: NetworkShares
  /// When each network was served last, while anybody waits.
  private var served: [Network: UInt64] = [:]
  private var turn: UInt64 = 0

  /// A queue of so many places.
  public init(capacity: Int) { shares = NetworkShares(capacity: capacity) }

  /// The number of waiting elements of all networks.
  public var count: Int { waiting.count }

  /// The result of ``enqueue(_:from:)``.
  public enum Enqueued {
    case waits
    /// The element waits in the place of another, which has to be refused.
    case displaces(Element)
    /// The queue, or the share of the element's network, is full.
    case refused
  }

  /// Takes one that comes. When no place is left, the newest element of the host that has most of them gives way to a
  /// host that has fewer.
  ///
  /// This machine has no share of its own, and gives way only to itself: a proxy may be what connects from it.
  public mutating func enqueue(_ element: Element, from address: IPAddress) -> Enqueued {
    guard address.isLoopback || shares.exhausted(around: address) == nil else { return .refused }
    var displaced: Element?
    if shares.isFull {
      guard let index = displacement(for: address) else { return .refused }
      displaced = remove(at: index).element
    }
    shares.add(address.isLoopback ? nil : address)
    waiting.append(Waiting(element: element, address: address))
    return displaced.map { .displaces($0) } ?? .waits
  }

  /// The newest element of the host with most places, if it keeps as many as the host of `address` gets.
  private func displacement(for address: IPAddress) -> Int? {
    var counts: [IPAddress: Int] = [:]
    for element in waiting where element.address.isLoopback == address.isLoopback {
      counts[element.address.network, default: 0] += 1
    }
    guard let most = counts.values.max(), most > counts[address.network, default: 0] + 1 else { return nil }
    return waiting.lastIndex { counts[$0.address.network] == most }
  }

  private mutating func remove(at index: Int) -> Waiting {
    let removed = waiting.remove(at: index)
    shares.remove(removed.address.isLoopback ? nil : removed.address)
    return removed
  }

  /// The next element in turn; nil when none waits. Its cost grows with the number of waiting elements.
  public mutating func dequeue() -> Element? {
    var best: (index: Int, turns: [UInt64])?
    for index in waiting.indices {
      let turns = NetworkWidth.allCases.reversed().map { served[Network(of: waiting[index].address, $0)] ?? 0 }
      if let found = best, !turns.lexicographicallyPrecedes(found.turns) { continue }
      best = (index, turns)
    }
    guard let best else { return nil }
    let next = remove(at: best.index)
    turn += 1
    for width in NetworkWidth.allCases { served[Network(of: next.address, width)] = turn }
    if waiting.isEmpty {
      served = [:]
    } else if served.count > 4_096 {
      served = served.filter { turn - $0.value < 512 }
    }
    return next.element
  }
}
