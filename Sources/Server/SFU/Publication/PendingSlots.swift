/// The slots of a stream's store that wait to be forwarded, in order. A fixed number of them; nothing allocates.
///
/// An array that a stream changes in place is checked for exclusive access whenever it is read, for each receiver of
/// each packet.
final class PendingSlots {
  private(set) var count = 0
  private let slots = FixedTable<Int32>(repeating: 0, count: SourceStream.maximumPending)

  var isEmpty: Bool { count == 0 }
  /// The one that has waited longest.
  var first: Int? { count > 0 ? Int(slots[0]) : nil }
  /// The one that came last.
  var last: Int? { count > 0 ? Int(slots[count &- 1]) : nil }

  /// The slot in a place below ``count``.
  @inline(__always)
  subscript(index: Int) -> Int {
    precondition(index < count)
    return Int(slots[index])
  }

  /// Lets a slot wait. The caller has seen that there are fewer than ``SourceStream/maximumPending``.
  func append(_ slot: Int) {
    slots[count] = Int32(truncatingIfNeeded: slot)
    count &+= 1
  }

  /// Takes back what was appended last, if anything was.
  func removeLast() { count = max(count &- 1, 0) }

  /// Lets nothing wait any more.
  func removeAll() { count = 0 }

  /// Lets others wait instead, at most ``SourceStream/maximumPending``; returns those that did. Allocates; meant for
  /// newcomers.
  func exchange(for others: ContiguousArray<Int>) -> ContiguousArray<Int> {
    let before = ContiguousArray((0..<count).map { self[$0] })
    removeAll()
    for slot in others { append(slot) }
    return before
  }

  /// Leaves out those for which `isGone` holds.
  func removeAll(where isGone: (Int) -> Bool) {
    var kept = 0
    for index in 0..<count where !isGone(Int(slots[index])) {
      slots[kept] = slots[index]
      kept &+= 1
    }
    count = kept
  }

  /// Whether a slot waits.
  func contains(_ slot: Int) -> Bool {
    for index in 0..<count where slots[index] == Int32(truncatingIfNeeded: slot) { return true }
    return false
  }
}
