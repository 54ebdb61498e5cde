/// The header of an SFrame ciphertext (RFC 9605 section 4.3): which key, and the number of the frame under it.
///
/// Each pair of numbers has one form, the shortest; a longer one is refused, so that nobody can hide bits in it.
public struct SFrameHeader: Hashable, Sendable {
  /// Bytes of the longest header.
  public static let maximumLength = 17

  /// KID, the key's number.
  public var keyID: UInt64
  /// CTR, the frame's number.
  public var counter: UInt64

  /// A header of these numbers.
  public init(keyID: UInt64, counter: UInt64) {
    self.keyID = keyID
    self.counter = counter
  }

  /// Reads the header at the start of a ciphertext; it has ``length`` bytes.
  ///
  /// - Throws: ``SFrameError/malformedHeader``.
  public init(reading bytes: Span<UInt8>) throws(SFrameError) {
    guard bytes.count > 0 else { throw .malformedHeader }
    let configuration = bytes[0]
    var offset = 1
    keyID = try Self.number(configuration >> 4, bytes, &offset)
    counter = try Self.number(configuration & 15, bytes, &offset)
  }

  /// The value of four bits: a flag, and the value itself or the length of what follows less one.
  @inline(__always)
  private static func number(_ bits: UInt8, _ bytes: Span<UInt8>, _ offset: inout Int) throws(SFrameError) -> UInt64 {
    guard bits & 8 != 0 else { return UInt64(bits & 7) }
    let length = Int(bits & 7) + 1
    guard offset + length <= bytes.count else { throw .malformedHeader }
    var value: UInt64 = 0
    for index in offset..<(offset + length) { value = value << 8 | UInt64(bytes[index]) }
    guard width(value) == length else { throw .malformedHeader }
    offset += length
    return value
  }

  /// Bytes that follow the first one for `value`.
  @inline(__always)
  private static func width(_ value: UInt64) -> Int { value < 8 ? 0 : (71 - value.leadingZeroBitCount) / 8 }

  /// Bytes of the header.
  public var length: Int { 1 + Self.width(keyID) + Self.width(counter) }

  /// The header's bytes, of which the first ``length`` count.
  var bytes: InlineArray<17, UInt8> {
    var out = InlineArray<17, UInt8>(repeating: 0)
    let keyWidth = Self.width(keyID)
    let counterWidth = Self.width(counter)
    let keyBits = keyWidth == 0 ? UInt8(truncatingIfNeeded: keyID) : 8 | UInt8(truncatingIfNeeded: keyWidth - 1)
    let counterBits =
      counterWidth == 0 ? UInt8(truncatingIfNeeded: counter) : 8 | UInt8(truncatingIfNeeded: counterWidth - 1)
    out[0] = keyBits << 4 | counterBits
    for index in 0..<keyWidth {
      out[1 + index] = UInt8(truncatingIfNeeded: keyID >> UInt64(8 * (keyWidth - 1 - index)))
    }
    for index in 0..<counterWidth {
      out[1 + keyWidth + index] = UInt8(truncatingIfNeeded: counter >> UInt64(8 * (counterWidth - 1 - index)))
    }
    return out
  }
}
