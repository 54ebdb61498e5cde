/// Counts by key within a window of time that begins with the first count, bounded in number of keys.
package struct WindowedCounters<Key: Hashable & Sendable>: Sendable {
  private struct Entry: Evictable {
    var count: Int
    var since: Instant
    var window: TimeSpan

    func isExpendable(at now: Instant) -> Bool { now - since >= window }
    var evictionOrder: Instant { since }
  }

  private let window: TimeSpan
  private var entries: BoundedTable<Key, Entry>

  /// Counters that forget a key when its window is over, or when more than `capacity` keys are counted at a time.
  package init(window: TimeSpan, capacity: Int) {
    self.window = window
    entries = BoundedTable(capacity: capacity)
  }

  /// How many keys are remembered.
  package var keys: Int { entries.count }

  /// The count of `key` in its window.
  package func count(of key: Key, at now: Instant) -> Int {
    guard let entry = entries[key], !entry.isExpendable(at: now) else { return 0 }
    return entry.count
  }

  /// Counts one for `key`. Its window begins now where it has none that lasts.
  package mutating func increment(_ key: Key, now: Instant) {
    let first = Entry(count: 0, since: now, window: window)
    entries.update(key, initial: first, now: now) { entry in
      if entry.isExpendable(at: now) { entry = first }
      entry.count += 1
    }
  }
}
