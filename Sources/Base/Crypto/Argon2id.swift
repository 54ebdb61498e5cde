internal import CArgon2

/// Keys from passwords at a cost in memory and time that the caller chooses (RFC 9106).
public enum Argon2id {
  /// `length` bytes from a password.
  ///
  /// Takes `memory` for its duration, and about 0.4 s of one core for each pass over 64 MiB: not for a task of the
  /// cooperative pool.
  ///
  /// - Parameters:
  ///   - salt: At least 8 bytes.
  ///   - memory: In KiB, at least 8 for each lane, at most 2 GiB.
  ///   - passes: 1 to 64.
  ///   - lanes: 1 to 16. More than one are computed by as many threads.
  ///   - secret: A key that the caller adds, at most 32 bytes.
  ///   - data: Bytes that the result belongs to.
  ///   - length: 4 to 1,024.
  /// - Throws: ``CryptoError/tooLong`` outside these bounds, ``CryptoError/failed`` without enough memory.
  public static func hash(
    password: Span<UInt8>, salt: Span<UInt8>, memory: Int, passes: Int, lanes: Int, secret: Span<UInt8> = Span(),
    data: Span<UInt8> = Span(), length: Int
  ) throws(CryptoError) -> SecretBytes {
    guard (1...16).contains(lanes), (8 * lanes...2 << 20).contains(memory), (1...64).contains(passes),
      (4...1_024).contains(length), salt.count >= 8, secret.count <= 32,
      let (passwordCount, saltCount, dataCount) = counts(password, salt, data)
    else { throw .tooLong }
    // libargon2 reads the four spans within their counts and writes `length` bytes; without flags it writes to none
    // of its inputs.
    return try unsafe SecretBytes(count: length) { out in
      unsafe password.withUnsafeBufferPointer { password in
        unsafe salt.withUnsafeBufferPointer { salt in
          unsafe secret.withUnsafeBufferPointer { secret in
            unsafe data.withUnsafeBufferPointer { data in
              var context = unsafe argon2_context()
              unsafe context.out = out
              unsafe context.outlen = UInt32(length)
              unsafe context.pwd = UnsafeMutablePointer(mutating: password.baseAddress)
              unsafe context.pwdlen = passwordCount
              unsafe context.salt = UnsafeMutablePointer(mutating: salt.baseAddress)
              unsafe context.saltlen = saltCount
              unsafe context.secret = UnsafeMutablePointer(mutating: secret.baseAddress)
              unsafe context.secretlen = UInt32(secret.count)
              unsafe context.ad = UnsafeMutablePointer(mutating: data.baseAddress)
              unsafe context.adlen = dataCount
              unsafe context.t_cost = UInt32(passes)
              unsafe context.m_cost = UInt32(memory)
              unsafe context.lanes = UInt32(lanes)
              unsafe context.threads = UInt32(lanes)
              unsafe context.version = ARGON2_VERSION_13.rawValue
              return unsafe argon2id_ctx(&context) == ARGON2_OK.rawValue
            }
          }
        }
      }
    }
  }

  private static func counts(
    _ password: Span<UInt8>, _ salt: Span<UInt8>, _ data: Span<UInt8>
  ) -> (UInt32, UInt32, UInt32)? {
    guard let password = UInt32(exactly: password.count), let salt = UInt32(exactly: salt.count),
      let data = UInt32(exactly: data.count)
    else { return nil }
    return (password, salt, data)
  }
}
