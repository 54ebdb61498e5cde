internal import COpenSSL

/// Keys from passwords (RFC 7914).
public enum Scrypt {
  /// `count` bytes from a password. Takes `128 × blockSize × 2^log2Cost` bytes of memory, at most 64 MiB.
  public static func derive(
    from password: Span<UInt8>, salt: Span<UInt8>, log2Cost: Int, blockSize: Int, parallelism: Int, count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard (1...24).contains(log2Cost), (1...64).contains(blockSize), (1...64).contains(parallelism) else {
      throw .tooLong
    }
    // OpenSSL reads both spans within their counts and writes `count` bytes.
    return try unsafe SecretBytes(count: count) { out in
      unsafe password.withUnsafeBytes { password in
        unsafe salt.withUnsafeBufferPointer { salt in
          unsafe EVP_PBE_scrypt(
            password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt.baseAddress, salt.count,
            1 << UInt64(log2Cost), UInt64(blockSize), UInt64(parallelism), 64 << 20, out, count) == 1
        }
      }
    }
  }
}
