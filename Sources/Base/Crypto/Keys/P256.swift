internal import COpenSSL

/// Key agreement (SEC 1 section 3.3.1) and ECDSA signatures with SHA-256 (FIPS 186-4) over the curve P-256.
public enum P256 {
  /// Bytes of a private key and of a shared secret.
  public static let length = 32
  /// Bytes of a public key: 4, x and y.
  public static let publicKeyLength = 65
  /// Bytes of a signature, r and s, as WebCrypto and JOSE have it.
  public static let signatureLength = 64

  /// One end's or the signer's key.
  public struct PrivateKey: Sendable {
    private let handle: KeyHandle
    /// The half that the peer gets.
    public let publicKey: PublicKey

    public init() throws(CryptoError) {
      // One of 2^32 byte strings is not below the group's order.
      for _ in 0..<8 {
        if let key = try? PrivateKey(.random(P256.length)) {
          self = key
          return
        }
      }
      throw .failed
    }

    /// The key of ``P256/length`` bytes, a number from 1 to the group's order less one.
    public init(_ bytes: SecretBytes) throws(CryptoError) {
      guard bytes.count == P256.length else { throw .wrongLength(expected: P256.length, actual: bytes.count) }
      let made = unsafe bytes.bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
        guard let base = bytes.baseAddress else { return nil }
        // The 32 bytes are read during the call.
        return unsafe parley_p256_private(base)
      }
      handle = try unsafe KeyHandle(made)
      var raw = [UInt8](repeating: 0, count: P256.publicKeyLength)
      // The array has the 65 bytes that are written.
      guard unsafe parley_p256_public_bytes(handle.pointer, &raw) == 1 else { throw .clearing(.failed) }
      publicKey = PublicKey(raw, handle)
    }

    /// The secret that both ends compute, an x coordinate; hash it before use as a key.
    public func sharedSecret(with peer: PublicKey) throws(CryptoError) -> SecretBytes {
      try handle.sharedSecret(with: peer.handle, count: P256.length)
    }

    /// The signature over `message`, ``P256/signatureLength`` bytes; each is another.
    public func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
      let der = try unsafe handle.sign(message, digest: EVP_sha256(), count: 72)
      var raw = [UInt8](repeating: 0, count: P256.signatureLength)
      // The call gets the length of one array; the other has the 64 bytes that are written.
      guard unsafe parley_ecdsa_raw(der, der.count, &raw) == 1 else { throw .clearing(.failed) }
      return raw
    }
  }

  /// The other end's key, or what verifies a signer's signatures; always a point of the curve.
  public struct PublicKey: Hashable, Sendable {
    /// The key's ``P256/publicKeyLength`` bytes.
    public let rawValue: [UInt8]
    fileprivate let handle: KeyHandle

    /// The key of ``P256/publicKeyLength`` bytes. The compressed form is refused.
    public init(_ bytes: [UInt8]) throws(CryptoError) {
      guard bytes.count == P256.publicKeyLength else {
        throw .wrongLength(expected: P256.publicKeyLength, actual: bytes.count)
      }
      let made = unsafe bytes.span.withUnsafeBufferPointer { bytes -> OpaquePointer? in
        guard let base = bytes.baseAddress else { return nil }
        // The 65 bytes are read during the call.
        return unsafe parley_p256_public(base)
      }
      handle = try unsafe KeyHandle(made)
      rawValue = bytes
    }

    fileprivate init(_ bytes: [UInt8], _ handle: KeyHandle) {
      rawValue = bytes
      self.handle = handle
    }

    /// Whether `signature` is one of this key's holder over `message`.
    public func verifies(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
      guard signature.count == P256.signatureLength else { return false }
      var der = [UInt8](repeating: 0, count: 72)
      let length = unsafe signature.withUnsafeBufferPointer { signature -> Int in
        guard let base = signature.baseAddress else { return 0 }
        // 64 bytes are read, at most 72 written.
        return unsafe parley_ecdsa_der(base, &der)
      }
      guard length > 0 else { return false }
      return unsafe handle.verifies(der.span.extracting(0..<length), of: message, digest: EVP_sha256())
    }

    /// Whether both are the same point.
    public static func == (a: PublicKey, b: PublicKey) -> Bool { a.rawValue == b.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
  }
}

extension P256.PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
