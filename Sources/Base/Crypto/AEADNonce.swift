/// The 96-bit nonce of one message. No two messages under one key may share one.
public struct AEADNonce: Hashable, Sendable {
  /// Bytes of a nonce.
  public static let length = 12

  let high: UInt32
  let low: UInt64

  /// The nonce of these ``length`` bytes.
  public init(_ bytes: Span<UInt8>) throws(CryptoError) {
    guard bytes.count == Self.length else { throw .wrongLength(expected: Self.length, actual: bytes.count) }
    var high: UInt32 = 0
    var low: UInt64 = 0
    for index in 0..<4 { high = high << 8 | UInt32(bytes[index]) }
    for index in 4..<12 { low = low << 8 | UInt64(bytes[index]) }
    self.init(high: high, low: low)
  }

  private init(high: UInt32, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The nonce of message `number`: this one XOR the number (RFC 9180 section 5.2, RFC 9605 section 4.4.3).
  @inline(__always)
  public func numbered(_ number: UInt64) -> AEADNonce { AEADNonce(high: high, low: low ^ number) }

  /// The bytes in network order.
  public var bytes: InlineArray<12, UInt8> {
    InlineArray { index in
      index < 4
        ? UInt8(truncatingIfNeeded: high >> UInt32(24 - 8 * index))
        : UInt8(truncatingIfNeeded: low >> UInt64(88 - 8 * index))
    }
  }
}
