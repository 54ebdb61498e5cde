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

  /// Takes one that comes; false when the queue, or the share of its network, is full. This machine has no share of its
  /// own: a proxy may be what connects from it.
  public mutating func enqueue(_ element: Element, from address: IPAddress) -> Bool {
    guard !shares.isFull, address.isLoopback || shares.exhausted(around: address) == nil else { return false }
    shares.add(address.isLoopback ? nil : address)
    waiting.append(Waiting(element: element, address: address))
    return true
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
    let next = waiting.remove(at: best.index)
    shares.remove(next.address.isLoopback ? nil : next.address)
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
