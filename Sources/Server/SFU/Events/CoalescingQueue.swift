/// A first-in, first-out queue in which a later value of a key takes the place of an earlier one.
///
/// It holds at most one value a key. Each operation is amortised O(1).
struct CoalescingQueue<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private var values: [Key: Value] = [:]
  /// Keys in the order of their first values, from `position` on. Keys without a value are skipped.
  private var order: [Key] = []
  private var position = 0

  var isEmpty: Bool { values.isEmpty }
  var count: Int { values.count }

  /// Appends `value`, or replaces the value of `key` that is still queued.
  mutating func set(_ value: Value, for key: Key) {
    guard values.updateValue(value, forKey: key) == nil else { return }
    order.append(key)
    if order.count > 2 * values.count + 32 { compact() }
  }

  mutating func removeValue(for key: Key) { values[key] = nil }

  mutating func removeValues(where isRemoved: (Key) -> Bool) { values = values.filter { !isRemoved($0.key) } }

  mutating func popFirst() -> Value? {
    while position < order.count {
      position += 1
      if let value = values.removeValue(forKey: order[position - 1]) { return value }
    }
    order.removeAll(keepingCapacity: true)
    position = 0
    return nil
  }

  private mutating func compact() {
    var known: Set<Key> = []
    order = order[position...].filter { values[$0] != nil && known.insert($0).inserted }
    position = 0
  }
}
