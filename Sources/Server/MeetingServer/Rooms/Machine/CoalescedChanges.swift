import Basics

/// Changes that are reported together, a pause after the first one: votes, the quality of connections.
struct CoalescedChanges<Key: Hashable & Sendable>: Sendable {
  /// How long the first change waits for others.
  let pause: TimeSpan
  private(set) var keys: Set<Key> = []
  /// When they are to be reported; nil while nothing has changed.
  private(set) var deadline: Instant?

  init(pause: TimeSpan) { self.pause = pause }

  mutating func insert(_ changed: some Sequence<Key>, now: Instant) {
    keys.formUnion(changed)
    if deadline == nil, !keys.isEmpty { deadline = now + pause }
  }

  /// Takes out the changes once they are due; nil before.
  mutating func drain(now: Instant) -> Set<Key>? {
    guard let deadline, deadline <= now else { return nil }
    defer { (keys, self.deadline) = ([], nil) }
    return keys
  }
}
