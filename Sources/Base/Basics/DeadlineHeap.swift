/// The deadlines of many things with small numbers, earliest first: a binary heap that knows where each number is.
///
/// Setting a deadline costs O(log n), looking at the earliest O(1); memory grows only with the highest number.
public struct DeadlineHeap: Sendable {
  private var heap: ContiguousArray<(deadline: Instant, id: Int32)> = []
  private var places: ContiguousArray<Int32> = []

  public init() {}

  /// The earliest deadline; `distantFuture` when there is none. Stored, since computing it would own the heap during
  /// the call.
  public private(set) var earliest = Instant.distantFuture

  /// The deadline of `id`; `distantFuture` when it has none.
  public subscript(id: Int) -> Instant {
    guard places.indices.contains(id), places[id] >= 0 else { return .distantFuture }
    return heap[Int(places[id])].deadline
  }

  /// Sets the deadline of `id` (0 or more); `distantFuture` removes it.
  public mutating func set(_ deadline: Instant, for id: Int) {
    guard id >= 0 else { return }
    defer { earliest = heap.first?.deadline ?? .distantFuture }
    while places.count <= id { places.append(-1) }
    let place = Int(places[id])
    if place >= 0 {
      if deadline == .distantFuture {
        remove(at: place)
      } else if deadline != heap[place].deadline {
        heap[place].deadline = deadline
        settle(place)
      }
    } else if deadline != .distantFuture {
      heap.append((deadline, Int32(truncatingIfNeeded: id)))
      places[id] = Int32(truncatingIfNeeded: heap.count - 1)
      settle(heap.count - 1)
    }
  }

  /// Takes out and returns one whose deadline has come, nil when there is none.
  public mutating func popDue(now: Instant) -> Int? {
    guard earliest <= now, let first = heap.first else { return nil }
    remove(at: 0)
    earliest = heap.first?.deadline ?? .distantFuture
    return Int(first.id)
  }

  private mutating func remove(at place: Int) {
    places[Int(heap[place].id)] = -1
    let last = heap.removeLast()
    guard place < heap.count else { return }
    heap[place] = last
    places[Int(last.id)] = Int32(truncatingIfNeeded: place)
    settle(place)
  }

  private mutating func settle(_ start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard heap[place].deadline < heap[parent].deadline else { break }
      swap(place, parent)
      place = parent
    }
    while true {
      let left = place * 2 + 1
      guard left < heap.count else { break }
      let right = left + 1
      let child = right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
      guard heap[child].deadline < heap[place].deadline else { break }
      swap(place, child)
      place = child
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    places[Int(heap[a].id)] = Int32(truncatingIfNeeded: a)
    places[Int(heap[b].id)] = Int32(truncatingIfNeeded: b)
  }
}
