/// A fixed piece of memory, zeroed when made, that spans are cut from.
///
/// An array inside a class can be read through a span only within one access; packets need the payload of one block and
/// the output of another at the same time, without a retain and without a copy.
@safe public final class ByteBlock {
  /// The number of bytes.
  public let count: Int
  // Allocated by `init`, freed by `deinit`; every range is checked against `count` before it becomes a pointer.
  private let base: UnsafeMutablePointer<UInt8>

  /// A block of `count` zero bytes.
  public init(count: Int) {
    self.count = max(count, 1)
    unsafe base = .allocate(capacity: self.count)
    unsafe base.initialize(repeating: 0, count: self.count)
  }

  deinit { unsafe base.deallocate() }

  /// One byte.
  @inline(__always)
  public subscript(index: Int) -> UInt8 {
    get {
      precondition(index >= 0 && index < count)
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe base[index] = newValue
    }
  }

  /// The bytes of `range`. Do not change them while the span is in use.
  @inline(__always)
  @_lifetime(borrow self)
  public func span(_ range: Range<Int>) -> Span<UInt8> {
    // The memory lives as long as `self`, which the span's lifetime is tied to.
    unsafe _overrideLifetime(Span(_unsafeElements: pointer(range)), borrowing: self)
  }

  /// The bytes of `range`, for who holds the block by something that lives longer than the pointer.
  @inline(__always)
  @unsafe func pointer(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Lets `body` write into the bytes of `range`; nothing else may use them until it returns.
  @inline(__always)
  func write<R>(_ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) -> R) -> R {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    // The range lies inside the memory; each caller has a block of its own or a range that no span covers.
    var span = unsafe MutableSpan(
      _unsafeStart: base + range.lowerBound, count: range.count)
    return body(&span)
  }

  /// Overwrites the bytes from `offset` on with `source`, which must not lie in this block.
  @inline(__always)
  func copy(_ source: Span<UInt8>, to offset: Int) {
    precondition(offset >= 0 && source.count <= count - offset)
    // Both ranges are checked, and the source lies elsewhere.
    unsafe source.withUnsafeBufferPointer { from in
      guard let start = from.baseAddress else { return }
      unsafe (base + offset).update(from: start, count: from.count)
    }
  }

  /// Overwrites `range` with zeros.
  func clear(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    unsafe (base + range.lowerBound).update(repeating: 0, count: range.count)
  }
}
