extension [UInt8] {
  /// Appends the bytes of `span`, in one copy.
  package mutating func append(copying span: Span<UInt8>) {
    // The pointer is used inside the closure only, and the array grows by its own means.
    unsafe span.withUnsafeBufferPointer { bytes in unsafe append(contentsOf: bytes) }
  }
}
