internal import COpenSSL

/// Key agreement over Curve25519 (RFC 7748).
public enum X25519 {
  /// Bytes of a private key, of a public key and of a shared secret.
  public static let length = 32

  public struct PrivateKey: Sendable {
    private let handle: KeyHandle
    /// The half that the peer gets.
    public let publicKey: PublicKey

    public init() throws(CryptoError) { try self.init(.random(X25519.length)) }

    /// The key of ``X25519/length`` bytes, any of which will do.
    public init(_ bytes: SecretBytes) throws(CryptoError) {
      guard bytes.count == X25519.length else { throw .wrongLength(expected: X25519.length, actual: bytes.count) }
      // OpenSSL copies the 32 bytes.
      let made = unsafe bytes.bytes.withUnsafeBufferPointer {
        unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, $0.baseAddress, $0.count)
      }
      handle = try unsafe KeyHandle(made)
      var raw = [UInt8](repeating: 0, count: X25519.length)
      var length = raw.count
      // OpenSSL gets the room in `length`.
      guard unsafe EVP_PKEY_get_raw_public_key(handle.pointer, &raw, &length) == 1, length == raw.count else {
        throw .clearing(.failed)
      }
      publicKey = PublicKey(unchecked: raw)
    }

    /// The secret that both ends compute; hash it before use as a key.
    ///
    /// - Throws: ``CryptoError/invalidKey`` for a key of small order, with which everybody knows the secret.
    public func sharedSecret(with peer: PublicKey) throws(CryptoError) -> SecretBytes {
      // OpenSSL copies the 32 bytes.
      let made = unsafe peer.rawValue.span.withUnsafeBufferPointer {
        unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, $0.baseAddress, $0.count)
      }
      return try handle.sharedSecret(with: unsafe KeyHandle(made), count: X25519.length)
    }
  }

  /// The other end's key.
  public struct PublicKey: Hashable, Sendable {
    /// The key's ``X25519/length`` bytes.
    public let rawValue: [UInt8]

    /// The key of ``X25519/length`` bytes.
    public init(_ bytes: [UInt8]) throws(CryptoError) {
      guard bytes.count == X25519.length else { throw .wrongLength(expected: X25519.length, actual: bytes.count) }
      rawValue = bytes
    }

    init(unchecked bytes: [UInt8]) { rawValue = bytes }
  }
}

extension X25519.PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
