/// A value of a ``BoundedTable``, which says when the table may forget it.
package protocol Evictable: Sendable {
  /// Whether it may be forgotten without a change for anybody.
  func isExpendable(at now: Instant) -> Bool
  /// The values with the earliest order are evicted first, once nothing is expendable.
  var evictionOrder: Instant { get }
}

/// Values by key, bounded in number, for keys that strangers choose.
///
/// A key that finds the table full has everything expendable forgotten and, where that isn't enough, the oldest eighth.
/// So an insertion costs a look at all entries only once in many.
package struct BoundedTable<Key: Hashable & Sendable, Value: Evictable>: Sendable {
  package let capacity: Int
  private var values: [Key: Value] = [:]
  private var nextSweep: Int

  package init(capacity: Int) {
    self.capacity = capacity
    nextSweep = min(capacity, Self.firstSweep)
  }

  /// From this many entries on it looks for expendable ones, before it is full: a flood's memory is given back.
  private static var firstSweep: Int { 1_024 }

  /// How many entries there are.
  package var count: Int { values.count }

  /// The value of `key`.
  package subscript(key: Key) -> Value? { values[key] }

  /// Changes the value of `key`, at first `initial`.
  package mutating func update<Result>(
    _ key: Key, initial: @autoclosure () -> Value, now: Instant, _ body: (inout Value) -> Result
  ) -> Result {
    if values.count >= nextSweep, values[key] == nil { makeRoom(now) }
    return body(&values[key, default: initial()])
  }

  /// Forgets `key`.
  package mutating func remove(_ key: Key) { values[key] = nil }

  private mutating func makeRoom(_ now: Instant) {
    values = values.filter { !$0.value.isExpendable(at: now) }
    if values.count >= capacity {
      let excess = values.count - capacity * 7 / 8
      let oldest = values.sorted { $0.value.evictionOrder < $1.value.evictionOrder }.prefix(excess)
      for (key, _) in oldest { values[key] = nil }
    }
    nextSweep = min(capacity, max(Self.firstSweep, values.count * 2))
  }
}

extension TokenBucket: Evictable {
  /// A full bucket is as good as a new one.
  package func isExpendable(at now: Instant) -> Bool { isFull(at: now) }
  package var evictionOrder: Instant { lastUse ?? Instant(nanoseconds: .min) }
}

extension BoundedTable where Value == TokenBucket {
  /// Takes a token of `key`'s bucket; false when it has none.
  package mutating func consume(_ key: Key, perSecond: Int, burst: Int, now: Instant) -> Bool {
    update(key, initial: TokenBucket(perSecond: perSecond, burst: burst), now: now) { $0.consume(now: now) }
  }
}
