/// Little-endian numbers and copies in the bytes of relay records. Reading past the end traps, so lengths are checked
/// before.
enum RelayBytes {
  @inline(__always)
  static func uint16(_ bytes: Span<UInt8>, at offset: Int) -> UInt16 {
    UInt16(bytes[offset]) | UInt16(bytes[offset &+ 1]) << 8
  }

  @inline(__always)
  static func uint32(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    UInt32(uint16(bytes, at: offset)) | UInt32(uint16(bytes, at: offset &+ 2)) << 16
  }

  @inline(__always)
  static func uint64(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    UInt64(uint32(bytes, at: offset)) | UInt64(uint32(bytes, at: offset &+ 4)) << 32
  }

  @inline(__always)
  static func set<Number: FixedWidthInteger>(_ value: Number, at offset: Int, in bytes: inout MutableSpan<UInt8>) {
    var index = 0
    while index < MemoryLayout<Number>.size {
      bytes[offset &+ index] = UInt8(truncatingIfNeeded: value >> Number(truncatingIfNeeded: index &* 8))
      index &+= 1
    }
  }

  static func append<Number: FixedWidthInteger>(_ value: Number, to bytes: inout [UInt8]) {
    for index in 0..<MemoryLayout<Number>.size {
      bytes.append(UInt8(truncatingIfNeeded: value >> Number(truncatingIfNeeded: index * 8)))
    }
  }

  /// Appends a text of at most 65,535 bytes with its length before it; what is longer is cut off.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    let utf8 = Array(text.utf8.prefix(0xFFFF))
    append(UInt16(utf8.count), to: &bytes)
    bytes += utf8
  }

  /// Copies `source` to `offset` of `target`, which must have room.
  @inline(__always)
  static func copy(_ source: Span<UInt8>, into target: inout MutableSpan<UInt8>, at offset: Int) {
    let room = target.count
    precondition(offset >= 0 && source.count <= room &- offset)
    unsafe target.withUnsafeMutableBufferPointer { out in
      unsafe source.withUnsafeBufferPointer { from in
        // Both ranges are checked, and the target is exclusive, so they cannot overlap.
        guard let start = from.baseAddress, let base = out.baseAddress else { return }
        unsafe (base + offset).update(from: start, count: from.count)
      }
    }
  }
}

/// Reads the parts of a relay record one after the other; every part may be missing.
struct RelayReader {
  private var offset: Int

  init(at offset: Int) { self.offset = offset }

  mutating func number<Number: FixedWidthInteger>(_ bytes: Span<UInt8>, _: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard bytes.count &- offset >= size else { return nil }
    var value: Number = 0
    for index in 0..<size {
      value |= Number(truncatingIfNeeded: bytes[offset &+ index]) << Number(truncatingIfNeeded: index &* 8)
    }
    offset &+= size
    return value
  }

  /// A text of at most `limit` bytes.
  mutating func text(_ bytes: Span<UInt8>, limit: Int) -> String? {
    guard let length = number(bytes, UInt16.self), Int(length) <= limit, bytes.count &- offset >= Int(length) else {
      return nil
    }
    var utf8: [UInt8] = []
    utf8.reserveCapacity(Int(length))
    for index in 0..<Int(length) { utf8.append(bytes[offset &+ index]) }
    offset &+= Int(length)
    return String(decoding: utf8, as: UTF8.self)
  }
}
