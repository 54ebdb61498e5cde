/// Big-endian reads. Every caller has checked the bounds before; an unchecked offset would trap.
extension Span where Element == UInt8 {
  @inlinable func networkUInt16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) << 8 | UInt16(self[offset &+ 1])
  }

  @inlinable func networkUInt24(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 16 | UInt32(self[offset &+ 1]) << 8 | UInt32(self[offset &+ 2])
  }

  @inlinable func networkUInt32(at offset: Int) -> UInt32 {
    UInt32(networkUInt16(at: offset)) << 16 | UInt32(networkUInt16(at: offset &+ 2))
  }

  @inlinable func networkUInt64(at offset: Int) -> UInt64 {
    UInt64(networkUInt32(at: offset)) << 32 | UInt64(networkUInt32(at: offset &+ 4))
  }
}

/// Big-endian writes. Every caller has checked the bounds before; an unchecked offset would trap.
extension MutableSpan where Element == UInt8 {
  @inlinable mutating func setNetworkUInt16(_ value: UInt16, at offset: Int) {
    self[offset] = UInt8(truncatingIfNeeded: value >> 8)
    self[offset &+ 1] = UInt8(truncatingIfNeeded: value)
  }

  @inlinable mutating func setNetworkUInt24(_ value: UInt32, at offset: Int) {
    self[offset] = UInt8(truncatingIfNeeded: value >> 16)
    setNetworkUInt16(UInt16(truncatingIfNeeded: value), at: offset &+ 1)
  }

  @inlinable mutating func setNetworkUInt32(_ value: UInt32, at offset: Int) {
    setNetworkUInt16(UInt16(truncatingIfNeeded: value >> 16), at: offset)
    setNetworkUInt16(UInt16(truncatingIfNeeded: value), at: offset &+ 2)
  }

  @inlinable mutating func setNetworkUInt64(_ value: UInt64, at offset: Int) {
    setNetworkUInt32(UInt32(truncatingIfNeeded: value >> 32), at: offset)
    setNetworkUInt32(UInt32(truncatingIfNeeded: value), at: offset &+ 4)
  }
}
