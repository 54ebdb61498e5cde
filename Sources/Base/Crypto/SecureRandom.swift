internal import COpenSSL

/// Random bytes of OpenSSL's generator. For keys there is ``SecretBytes/random(_:)``.
public enum SecureRandom {
  /// `count` bytes that nobody can guess but that need not stay secret: nonces, salts, identifiers.
  public static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    guard let length = Int32(exactly: count), length >= 0 else { throw .tooLong }
    var bytes = [UInt8](repeating: 0, count: count)
    // OpenSSL writes the array's count.
    guard unsafe RAND_bytes(&bytes, length) == 1 else { throw .clearing(.failed) }
    return bytes
  }
}
