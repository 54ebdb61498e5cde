// Lists of objects that are gone through for each burst of packets.
//
// A loop over such a list owns each element while it looks at it: a retain and a release, both atomic, for each
// receiver. Here the list owns them, and the list itself is owned once.

extension ContiguousArray where Element: AnyObject {
  /// Calls `body` with each object.
  @inlinable @inline(__always)
  package func forEachBorrowed(_ body: (Element) -> Void) {
    var index = 0
    while index < count {
      reference(at: index).use(body)
      index &+= 1
    }
  }

  /// The object at `index`, which this list owns: for lists that are properties and stay as they are while the object
  /// is used.
  @inlinable @inline(__always)
  package func reference(at index: Int) -> BorrowedReference<Element> {
    precondition(index >= 0 && index < count)
    // A reference and a borrowed one are the same word, and `index` is checked.
    return unsafe withUnsafeBufferPointer { elements in
      unsafe elements.withMemoryRebound(to: BorrowedReference<Element>.self) { references in unsafe references[index] }
    }
  }
}

extension ContiguousArray {
  /// The object at `index`, if there is one, which this list owns.
  @inlinable @inline(__always)
  package func reference<Object: AnyObject>(at index: Int) -> BorrowedReference<Object> where Element == Object? {
    precondition(index >= 0 && index < count)
    // As above; no object is a null word in both forms.
    return unsafe withUnsafeBufferPointer { elements in
      unsafe elements.withMemoryRebound(to: BorrowedReference<Object>.self) { references in unsafe references[index] }
    }
  }

  /// Calls `body` with each object, leaving gaps out.
  @inlinable @inline(__always)
  package func forEachBorrowed<Object: AnyObject>(_ body: (Object) -> Void) where Element == Object? {
    var index = 0
    while index < count {
      reference(at: index).use(body)
      index &+= 1
    }
  }
}
