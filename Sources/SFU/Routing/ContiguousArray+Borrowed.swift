// Lists of objects that are gone through for each burst of packets.
//
// A loop over such a list owns each element while it looks at it: a retain and a release, both atomic, for each receiver. Here the list owns them,
// and the list itself is owned once.

extension ContiguousArray where Element: AnyObject {
  /// Calls `body` with each object.
  @inline(__always)
  func forEachBorrowed(_ body: (Element) -> Void) {
    var index = 0
    while index < count {
      withBorrowed(at: index, body)
      index &+= 1
    }
  }

  /// Calls `body` with the object at `index`.
  @inline(__always)
  func withBorrowed(at index: Int, _ body: (Element) -> Void) {
    precondition(index >= 0 && index < count)
    // A reference and an unmanaged reference are the same word, `index` is checked, and this list keeps the object alive until `body` returns.
    unsafe withUnsafeBufferPointer { elements in
      unsafe elements.withMemoryRebound(to: Unmanaged<Element>.self) { references in
        unsafe references[index]._withUnsafeGuaranteedRef { body($0) }
      }
    }
  }
}

extension ContiguousArray {
  /// Calls `body` with each object, leaving gaps out.
  @inline(__always)
  func forEachBorrowed<Object: AnyObject>(_ body: (Object) -> Void) where Element == Object? {
    // As above; no object is a null word in both forms.
    unsafe withUnsafeBufferPointer { elements in
      unsafe elements.withMemoryRebound(to: Unmanaged<Object>?.self) { references in
        var index = 0
        while index < references.count {
          if let reference = unsafe references[index] { unsafe reference._withUnsafeGuaranteedRef { body($0) } }
          index &+= 1
        }
      }
    }
  }
}
