/// A reference to an object that something else owns: using it counts no references.
///
/// Code that reads a property with an object owns the object while it uses it: a retain and a release, both atomic, for
/// each receiver of each packet. Keep one of these next to such a property, set together with it, where packets are
/// received or forwarded. The owner must not release the object while ``use(_:)`` runs.
@safe
@usableFromInline
package struct BorrowedReference<Object: AnyObject> {
  // An unmanaged reference: each property that holds one says who owns the object.
  @usableFromInline let reference: Unmanaged<Object>?

  /// A reference to `object`.
  @inlinable @inline(__always)
  package init(_ object: Object?) { unsafe reference = object.map { unsafe Unmanaged.passUnretained($0) } }

  /// Whether there is no object.
  @inlinable @inline(__always)
  package var isNil: Bool { unsafe reference == nil }

  /// Calls `body` with the object, unless there is none, and returns what it gives.
  @inlinable @inline(__always) @discardableResult
  package func use<Result>(_ body: (Object) -> Result) -> Result? {
    guard let reference = unsafe reference else { return nil }
    return unsafe reference._withUnsafeGuaranteedRef { body($0) }
  }

  /// Calls `body` with the object, unless there is none, and with `bytes`, which it may change.
  @inlinable @inline(__always) @discardableResult
  package func use<Result>(
    with bytes: inout MutableSpan<UInt8>, _ body: (Object, inout MutableSpan<UInt8>) -> Result
  ) -> Result? {
    guard let reference = unsafe reference else { return nil }
    // A closure cannot capture the span; it is made again of the same bytes, which nothing else reaches during the
    // call.
    return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe reference._withUnsafeGuaranteedRef { object in
        var span = unsafe buffer.mutableSpan
        return body(object, &span)
      }
    }
  }
}
