public import Basics
import CJOSE
import Glibc
import Synchronization

/// An RS256 key pair for compact JSON Web Signatures (RFC 7515, RFC 7518 section 3.3). The format is cjose's work.
///
/// The algorithm is fixed: a token that names any other (`none`, HS256 with the public key as a secret, …) is
/// refused before its signature is looked at (RFC 8725 section 3.1).
public final class SigningKey: @unchecked Sendable {
  // Unchecked because: cjose keeps no state in a key while it signs or verifies; the pointer is released once, in
  // deinit.
  private let key: OpaquePointer
  /// The `kid` written into headers.
  public let keyID: String

  private init(taking key: OpaquePointer, keyID: String) {
    self.key = key
    self.keyID = keyID
  }

  deinit { cjose_jwk_release(key) }

  /// A new 2048-bit key pair. Costs about 100 ms of CPU.
  public static func generate(keyID: String) throws(SigningKeyError) -> SigningKey {
    var error = cjose_err()
    let exponent: [UInt8] = [1, 0, 1]
    guard let key = cjose_jwk_create_RSA_random(2_048, exponent, exponent.count, &error) else {
      throw .failed(SigningKeyError.text(error))
    }
    return SigningKey(taking: key, keyID: keyID)
  }

  /// Takes a key pair back from ``privateJWK()``.
  public init(privateJWK: Secret<String>, keyID: String) throws(SigningKeyError) {
    var error = cjose_err()
    let text = privateJWK.value
    guard let key = cjose_jwk_import(text, text.utf8.count, &error) else { throw .failed(SigningKeyError.text(error)) }
    guard cjose_jwk_get_kty(key, &error) == CJOSE_JWK_KTY_RSA, cjose_jwk_get_keysize(key, &error) >= 2_048 else {
      cjose_jwk_release(key)
      throw .failed("the key is not an RSA key of at least 2048 bits")
    }
    self.key = key
    self.keyID = keyID
  }

  /// The key pair as a private JWK (RFC 7517).
  public func privateJWK() throws(SigningKeyError) -> Secret<String> { Secret(try json(includingPrivate: true)) }

  /// The public key as a JWK, for others who want to check tokens.
  public func publicJWK() throws(SigningKeyError) -> String { try json(includingPrivate: false) }

  private func json(includingPrivate: Bool) throws(SigningKeyError) -> String {
    var error = cjose_err()
    guard let text = cjose_jwk_to_json(key, includingPrivate, &error) else {
      throw .failed(SigningKeyError.text(error))
    }
    defer { free(text) }
    return String(cString: text)
  }

  /// Signs `payload` and returns the compact form. Costs about 1 ms of CPU.
  func sign(_ payload: [UInt8]) throws(SigningKeyError) -> String {
    try CompactJWS.sign(payload, with: key, as: .rs256, keyID: keyID)
  }

  /// The payload of a token that names this key, once its signature is proved. Costs about 50 µs of CPU.
  func verify(_ signature: CompactJWS) throws(SigningKeyError) -> [UInt8] {
    guard signature.keyID == keyID else { throw .wrongAlgorithm }
    return try signature.verify(key, as: .rs256)
  }

  private static let cache = Mutex<[String: (jwk: Secret<String>, key: SigningKey)]>([:])

  /// The key of a tenant. Reading one costs more than checking a signature, so a few are kept.
  static func cached(_ tenant: Tenant) throws(SigningKeyError) -> SigningKey {
    let known = cache.withLock { $0[tenant.signingKeyID] }
    if let known, known.jwk == tenant.signingKey { return known.key }
    let key = try SigningKey(privateJWK: tenant.signingKey, keyID: tenant.signingKeyID)
    cache.withLock { cache in
      if cache.count >= 256 { cache = [:] }
      cache[tenant.signingKeyID] = (tenant.signingKey, key)
    }
    return key
  }
}
