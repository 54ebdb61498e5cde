/// Hybrid public key encryption (RFC 9180) with one suite: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM.
///
/// A sender sets up a context from the recipient's public key and sends ``Sender/encapsulatedKey`` once; each of many
/// messages is then sealed under it.
///
/// ```swift
/// let sender = try HPKE.Sender(to: recipientKey, info: info.span, mode: .base)
/// let sealed = try sender.seal(message.span, authenticating: aad.span)
/// ```
public enum HPKE {
  /// The sender's side of the mode (section 5): what both ends share besides the recipient's key.
  public enum SenderMode: Sendable {
    /// Nothing: anybody may be the sender.
    case base
    /// A secret that both know.
    case psk(PresharedKey)
    /// The sender's key, which the recipient knows.
    case auth(X25519.PrivateKey)
    /// The preshared key and the sender's key together (RFC 9180 section 5.1.4).
    case authPSK(X25519.PrivateKey, PresharedKey)
  }

  /// The recipient's part of ``SenderMode``.
  public enum RecipientMode: Sendable {
    /// Nothing: anybody may be the sender.
    case base
    /// A secret that both know.
    case psk(PresharedKey)
    /// The key that the sender must have.
    case auth(X25519.PublicKey)
    /// The preshared key and the sender's key together (RFC 9180 section 5.1.4).
    case authPSK(X25519.PublicKey, PresharedKey)
  }

  /// A secret that both ends know, with its name.
  public struct PresharedKey: Sendable {
    let secret: SecretBytes
    let id: [UInt8]

    /// A secret of at least 32 bytes and a name of at least one (sections 5.1 and 9.5).
    public init(_ secret: SecretBytes, id: [UInt8]) throws(CryptoError) {
      guard secret.count >= 32 else { throw .wrongLength(expected: 32, actual: secret.count) }
      guard !id.isEmpty else { throw .wrongLength(expected: 1, actual: 0) }
      self.secret = secret
      self.id = id
    }
  }

  /// Bytes of an encapsulated key.
  public static let encapsulatedKeyLength = X25519.length

  /// The key pair that follows from at least 32 bytes of secret input (section 7.1.3).
  static func deriveKeyPair(_ input: SecretBytes) throws(CryptoError) -> X25519.PrivateKey {
    let schedule = LabeledKDF.kem
    let key = try schedule.extract(salt: Span(), label: "dkp_prk", input.bytes)
    return try X25519.PrivateKey(schedule.expand(key, label: "sk", info: Span(), count: X25519.length))
  }
}

/// HKDF-SHA256 whose inputs name the suite (section 4).
struct LabeledKDF {
  private let suite: [UInt8]

  /// Inside the key encapsulation: "KEM" and 0x0020.
  static let kem = LabeledKDF(suite: Array("KEM".utf8) + [0, 0x20])
  /// Outside: "HPKE", KEM 0x0020, KDF 0x0001, AEAD 0x0001.
  static let hpke = LabeledKDF(suite: Array("HPKE".utf8) + [0, 0x20, 0, 1, 0, 1])

  private static let version = Array("HPKE-v1".utf8)

  func extract(salt: Span<UInt8>, label: String, _ input: Span<UInt8>) throws(CryptoError) -> SecretBytes {
    var labeled = Self.version + suite + Array(label.utf8)
    for index in input.indices { labeled.append(input[index]) }
    let secret = SecretBytes(wiping: &labeled)
    return try HKDF.extract(salt: salt, secret: secret.bytes, using: .sha256)
  }

  func expand(
    _ key: SecretBytes, label: String, info: Span<UInt8>, count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard let length = UInt16(exactly: count) else { throw .tooLong }
    var labeled = [UInt8(length >> 8), UInt8(truncatingIfNeeded: length)]
    labeled += Self.version
    labeled += suite
    labeled += Array(label.utf8)
    for index in info.indices { labeled.append(info[index]) }
    return try HKDF.expand(key, info: labeled.span, count: count, using: .sha256)
  }
}
