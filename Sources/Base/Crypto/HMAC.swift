internal import COpenSSL

/// Message authentication codes (RFC 2104).
public enum HMAC {
  /// The code of `message`, ``HashAlgorithm/length`` bytes.
  public static func code(
    of message: Span<UInt8>, key: Span<UInt8>, using algorithm: HashAlgorithm
  ) throws(CryptoError) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: algorithm.length)
    // The array has room for the algorithm's length.
    let done = unsafe out.withUnsafeMutableBufferPointer { out in
      guard let base = out.baseAddress else { return false }
      return unsafe write(message, key: key, using: algorithm, to: base)
    }
    guard done else { throw .clearing(.failed) }
    return out
  }

  /// Whether `code`, or its first bytes where a protocol cuts it, is that of `message`; takes the same time wherever it
  /// differs.
  ///
  /// A code of fewer than 4 bytes is never right.
  public static func isValid(
    _ code: Span<UInt8>, of message: Span<UInt8>, key: Span<UInt8>, using algorithm: HashAlgorithm
  ) throws(CryptoError) -> Bool {
    guard code.count >= 4, code.count <= algorithm.length else { return false }
    let expected = try self.code(of: message, key: key, using: algorithm)
    return ConstantTime.areEqual(code, expected.span.extracting(0..<code.count))
  }

  /// Writes the code of `message` to `out`, which has room for the algorithm's length; false when OpenSSL fails.
  @unsafe
  static func write(
    _ message: Span<UInt8>, key: Span<UInt8>, using algorithm: HashAlgorithm, to out: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let keyLength = Int32(exactly: key.count) else { return false }
    // OpenSSL reads both spans within their counts during the call.
    return unsafe key.withUnsafeBufferPointer { key in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe COpenSSL.HMAC(algorithm.evp, key.baseAddress, keyLength, message.baseAddress, message.count, out, nil)
          != nil
      }
    }
  }
}
