/// Arithmetic on numbers that wrap (RFC 9260 section 1.6, RFC 1982). Inside, TSNs are 64 bits wide and never wrap; on
/// the wire they have 32.
enum SCTPSerial {
  /// The 64-bit number whose low 32 bits are `wire` and that is nearest to `reference`.
  static func unwrap(_ wire: UInt32, near reference: Int64) -> Int64 {
    let difference = Int32(truncatingIfNeeded: Int64(wire) &- reference)
    return reference &+ Int64(difference)
  }

  /// The low 32 bits, as sent.
  static func wire(_ number: Int64) -> UInt32 { UInt32(truncatingIfNeeded: number) }

  /// How far a stream sequence number is ahead of another, -32,768 to 32,767.
  static func distance(_ number: UInt16, from other: UInt16) -> Int {
    Int(Int16(truncatingIfNeeded: Int(number) &- Int(other)))
  }
}

/// A queue on an array: taking from the front costs constant time on average.
struct FIFO<Element: Sendable>: Sendable {
  private var storage: [Element] = []
  private var head = 0

  init() {}

  var isEmpty: Bool { head == storage.count }
  var count: Int { storage.count &- head }
  var first: Element? { isEmpty ? nil : storage[head] }

  /// The element `index` places behind the front; traps beyond the end, as an array does.
  subscript(index: Int) -> Element {
    _read { yield storage[head &+ index] }
    _modify { yield &storage[head &+ index] }
  }

  mutating func append(_ element: Element) { storage.append(element) }

  mutating func popFirst() -> Element? {
    guard head < storage.count else { return nil }
    let element = storage[head]
    head &+= 1
    if head == storage.count {
      storage.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 32, head &* 2 > storage.count {
      storage.removeFirst(head)
      head = 0
    }
    return element
  }

  mutating func removeAll() {
    storage = []
    head = 0
  }
}
