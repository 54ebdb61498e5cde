internal import COpenSSL

public enum ConstantTime {
  /// Whether two byte strings are equal, in a time that depends on their lengths alone.
  public static func areEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    guard a.count > 0 else { return true }
    // OpenSSL reads `count` bytes of each.
    return unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in unsafe CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0 }
    }
  }

  /// Whether two texts have the same UTF-8 bytes, in a time that depends on their lengths alone.
  public static func areEqual(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
    let a = Array(a.utf8)
    let b = Array(b.utf8)
    return areEqual(a.span, b.span)
  }
}
