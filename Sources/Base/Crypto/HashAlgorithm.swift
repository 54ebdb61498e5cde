internal import COpenSSL

/// A hash function (FIPS 180-4).
public enum HashAlgorithm: Hashable, Sendable {
  /// For protocols that name it: OpenTok's older tokens and TURN's passwords. Its collisions are known.
  case sha1
  case sha256
  case sha384
  case sha512

  /// Bytes of a digest.
  public var length: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  // The EVP_MD objects are static inside OpenSSL.
  @unsafe var evp: OpaquePointer? {
    switch self {
    case .sha1: unsafe EVP_sha1()
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    case .sha512: unsafe EVP_sha512()
    }
  }
}

/// Digests of bytes that are there as a whole.
public enum Digest {
  /// The digest of `bytes`, ``HashAlgorithm/length`` bytes.
  public static func hash(_ bytes: Span<UInt8>, using algorithm: HashAlgorithm) throws(CryptoError) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: algorithm.length)
    // OpenSSL reads the span's count and writes the algorithm's length.
    let done = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_Digest($0.baseAddress, $0.count, &out, nil, algorithm.evp, nil) == 1
    }
    guard done else { throw .clearing(.failed) }
    return out
  }

  /// The SHA-256 of `bytes`.
  public static func sha256(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] { try hash(bytes.span, using: .sha256) }
}
