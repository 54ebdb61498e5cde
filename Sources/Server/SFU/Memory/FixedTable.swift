/// A fixed number of places, each of which always holds a value.
///
/// An array that a class changes in place is checked for exclusive access and for other owners whenever it is read or
/// written; where packets are forwarded that costs more than the work itself. Here only the index is checked.
@safe final class FixedTable<Element> {
  /// The number of places.
  let count: Int
  // Allocated and filled by `init`, freed by `deinit`; every index is checked against `count` before it becomes a
  // pointer.
  private let base: UnsafeMutablePointer<Element>

  /// `count` places that hold `value`.
  init(repeating value: Element, count: Int) {
    self.count = max(count, 1)
    unsafe base = .allocate(capacity: self.count)
    unsafe base.initialize(repeating: value, count: self.count)
  }

  deinit {
    unsafe base.deinitialize(count: count)
    unsafe base.deallocate()
  }

  /// The value in a place.
  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count)
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe base[index] = newValue
    }
  }
}
