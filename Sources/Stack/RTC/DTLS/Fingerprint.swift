internal import COpenSSL

/// The hash of a certificate, as a session description carries it (RFC 8122 section 5): what ties the DTLS peer to the
/// signalling that named it.
public struct Fingerprint: Sendable, CustomStringConvertible {
  /// A hash function a fingerprint may be made with. SHA-1 and MD5 are not accepted: their collisions would let a
  /// forged certificate in.
  public enum Algorithm: String, Sendable, CaseIterable {
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"

    /// Length of the hash in bytes.
    public var length: Int {
      switch self {
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }
  }

  /// Why text is not a fingerprint.
  public enum ParseError: Error, Hashable, Sendable {
    /// Not "algorithm, one space, hex pairs joined by colons", or longer than any fingerprint.
    case malformed
    /// An algorithm other than sha-256, sha-384 and sha-512.
    case unsupportedAlgorithm
    /// The number of bytes is not the algorithm's.
    case wrongLength(expected: Int, found: Int)
  }

  /// The name of the hash function, as RFC 8122 writes it.
  public let algorithm: Algorithm
  /// The hash, ``Algorithm/length`` bytes.
  public let bytes: [UInt8]

  /// A fingerprint of given bytes; nil when their number is not the algorithm's.
  public init?(algorithm: Algorithm, bytes: [UInt8]) {
    guard bytes.count == algorithm.length else { return nil }
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// Parses the value of an `a=fingerprint` line, `sha-256 AB:CD:…`. Letters may be of either case.
  public init(sdp text: some StringProtocol) throws(ParseError) {
    guard text.utf8.count <= 8 + 64 * 3 else { throw .malformed }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .malformed }
    guard let algorithm = Algorithm(rawValue: parts[0].lowercased()) else { throw .unsupportedAlgorithm }
    var bytes: [UInt8] = []
    for pair in parts[1].split(separator: ":", omittingEmptySubsequences: false) {
      let digits = pair.utf8.compactMap(Self.hexValue)
      guard pair.utf8.count == 2, digits.count == 2 else { throw .malformed }
      bytes.append(digits[0] << 4 | digits[1])
    }
    guard bytes.count == algorithm.length else {
      throw .wrongLength(expected: algorithm.length, found: bytes.count)
    }
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// The fingerprint of a certificate in DER form; nil only when OpenSSL has no memory left.
  public init?(algorithm: Algorithm, certificate der: [UInt8]) {
    let digest = unsafe Self.digest(algorithm)
    var out = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    // OpenSSL reads `der` for its count and writes at most EVP_MAX_MD_SIZE bytes.
    guard unsafe EVP_Digest(der, der.count, &out, &length, digest, nil) == 1 else { return nil }
    self.init(algorithm: algorithm, bytes: Array(out.prefix(Int(length))))
  }

  /// The value of an `a=fingerprint` line: lower-case algorithm, upper-case hex.
  public var sdp: String {
    let hex = bytes.map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return text.utf8.count == 1 ? "0" + text : text
    }
    return algorithm.rawValue + " " + hex.joined(separator: ":")
  }

  public var description: String { sdp }

  // The EVP_MD objects are static inside OpenSSL.
  private static func digest(_ algorithm: Algorithm) -> OpaquePointer? {
    switch algorithm {
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    case .sha512: unsafe EVP_sha512()
    }
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit &- 0x30
    case 0x41...0x46: digit &- 0x41 &+ 10
    case 0x61...0x66: digit &- 0x61 &+ 10
    default: nil
    }
  }
}

extension Fingerprint: Hashable {
  /// Compares all bytes whatever the first difference, so that the duration reveals nothing.
  public static func == (a: Fingerprint, b: Fingerprint) -> Bool {
    guard a.algorithm == b.algorithm, a.bytes.count == b.bytes.count else { return false }
    var difference: UInt8 = 0
    for index in a.bytes.indices { difference |= a.bytes[index] ^ b.bytes[index] }
    return difference == 0
  }

  /// Hashes algorithm and bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(algorithm)
    hasher.combine(bytes)
  }
}
