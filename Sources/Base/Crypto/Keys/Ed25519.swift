internal import COpenSSL

/// Signatures over Edwards25519 (RFC 8032 section 5.1).
public enum Ed25519 {
  /// Bytes of a private key and of a public key.
  public static let keyLength = 32
  /// Bytes of a signature.
  public static let signatureLength = 64

  public struct PrivateKey: Sendable {
    private let handle: KeyHandle
    /// The half that verifies the signatures.
    public let publicKey: PublicKey

    public init() throws(CryptoError) { try self.init(.random(Ed25519.keyLength)) }

    /// The key of ``Ed25519/keyLength`` bytes, the standard's seed.
    public init(_ bytes: SecretBytes) throws(CryptoError) {
      guard bytes.count == Ed25519.keyLength else {
        throw .wrongLength(expected: Ed25519.keyLength, actual: bytes.count)
      }
      // OpenSSL copies the 32 bytes.
      let made = unsafe bytes.bytes.withUnsafeBufferPointer {
        unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0.baseAddress, $0.count)
      }
      handle = try unsafe KeyHandle(made)
      var raw = [UInt8](repeating: 0, count: Ed25519.keyLength)
      var length = raw.count
      // OpenSSL gets the room in `length`.
      guard unsafe EVP_PKEY_get_raw_public_key(handle.pointer, &raw, &length) == 1, length == raw.count else {
        throw .clearing(.failed)
      }
      publicKey = PublicKey(unchecked: raw)
    }

    /// The signature over `message`, ``Ed25519/signatureLength`` bytes.
    public func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
      let signature = try unsafe handle.sign(message, digest: nil, count: Ed25519.signatureLength)
      guard signature.count == Ed25519.signatureLength else { throw .failed }
      return signature
    }
  }

  /// The key that verifies a signer's signatures.
  public struct PublicKey: Hashable, Sendable {
    /// The key's ``Ed25519/keyLength`` bytes.
    public let rawValue: [UInt8]

    /// The key of ``Ed25519/keyLength`` bytes.
    public init(_ bytes: [UInt8]) throws(CryptoError) {
      guard bytes.count == Ed25519.keyLength else {
        throw .wrongLength(expected: Ed25519.keyLength, actual: bytes.count)
      }
      rawValue = bytes
    }

    init(unchecked bytes: [UInt8]) { rawValue = bytes }

    /// Whether `signature` is one of this key's holder over `message`.
    public func verifies(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
      guard signature.count == Ed25519.signatureLength else { return false }
      // OpenSSL copies the 32 bytes.
      let made = unsafe rawValue.span.withUnsafeBufferPointer {
        unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, $0.baseAddress, $0.count)
      }
      guard let handle = try? unsafe KeyHandle(made) else { return false }
      return unsafe handle.verifies(signature, of: message, digest: nil)
    }
  }
}

extension Ed25519.PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
