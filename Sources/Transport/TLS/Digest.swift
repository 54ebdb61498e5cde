internal import COpenSSL

/// Hashes, for what stands on this floor and above it.
public enum Digest {
  /// The SHA-256 of `bytes` (FIPS 180-4), 32 bytes; nil only when OpenSSL has no memory left.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8]? {
    var out = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    // OpenSSL reads `bytes` for its count and writes at most EVP_MAX_MD_SIZE bytes.
    guard unsafe EVP_Digest(bytes, bytes.count, &out, &length, EVP_sha256(), nil) == 1 else { return nil }
    return Array(out.prefix(Int(length)))
  }
}
