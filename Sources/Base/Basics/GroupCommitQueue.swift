/// Elements on their way to a writer that commits in groups: all that is added during one commit shares the next one.
///
/// An element's position is the number of elements up to it. A `Waiter` for a position is handed back
/// once the outcome of its group is known. It does no I/O and calls nobody: one writer takes a group
/// with ``beginGroup(atMost:)``, writes it, and ends it with ``endGroup()``.
package struct GroupCommitQueue<Element: Sendable, Waiter: Sendable>: Sendable {
  private struct Waiting: Sendable {
    var position: UInt64
    var waiter: Waiter
  }

  /// Elements that no group has yet, the oldest first.
  package private(set) var pending: [Element] = []
  /// The position of the newest element.
  package private(set) var added: UInt64 = 0
  /// The position of the newest element that the writer has taken.
  package private(set) var taken: UInt64 = 0
  /// The position of the newest element whose outcome is known.
  package private(set) var settled: UInt64 = 0
  private var waiters: [Waiting] = []

  package init() {}

  /// Adds an element and returns its position.
  @discardableResult package mutating func append(_ element: Element) -> UInt64 {
    pending.append(element)
    added += 1
    return added
  }

  /// Has elements without positions of their own go first in the next group: what must be tried again.
  package mutating func requeue(_ elements: [Element]) { pending.insert(contentsOf: elements, at: 0) }

  /// Takes the oldest that are pending, everything where no bound is given.
  package mutating func beginGroup(atMost most: Int = .max) -> [Element] {
    let group = Array(pending.prefix(most))
    pending.removeFirst(group.count)
    taken = max(taken, added - UInt64(pending.count))
    return group
  }

  /// The outcome of everything that was taken is known. Returns the positions that this settles.
  @discardableResult package mutating func endGroup() -> ClosedRange<UInt64>? {
    guard settled < taken else { return nil }
    defer { settled = taken }
    return (settled + 1)...taken
  }

  /// Keeps a waiter for a position.
  package mutating func wait(for position: UInt64, _ waiter: Waiter) {
    waiters.append(Waiting(position: position, waiter: waiter))
  }

  /// Hands back those who wait for a position up to this one, in their order.
  package mutating func releaseWaiters(through position: UInt64) -> [Waiter] {
    let released = waiters.filter { $0.position <= position }
    waiters.removeAll { $0.position <= position }
    return released.map(\.waiter)
  }
}
