/// A reference to an object that something else owns: using it counts no references.
///
/// Who reads a property that holds an object owns what was read for as long as it is used: a retain and a release, both atomic, for each receiver
/// of each packet. Keep one of these beside such a property, set together with it, where packets are forwarded. The owner must not let go
/// of the object while ``use(_:)`` runs.
@safe
struct BorrowedReference<Object: AnyObject> {
  // An unmanaged reference: each property that holds one says who owns the object.
  private let reference: Unmanaged<Object>?

  @inline(__always)
  init(_ object: Object?) { unsafe reference = object.map { unsafe Unmanaged.passUnretained($0) } }

  /// Calls `body` with the object, unless there is none.
  @inline(__always)
  func use(_ body: (Object) -> Void) {
    if let reference = unsafe reference { unsafe reference._withUnsafeGuaranteedRef { body($0) } }
  }
}
