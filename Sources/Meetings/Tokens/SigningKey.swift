public import Basics
import CJOSE
import Glibc

/// An RS256 key pair for compact JSON Web Signatures (RFC 7515, RFC 7518 section 3.3). The format is cjose's work.
///
/// The algorithm is fixed: a token that names any other (`none`, HS256 with the public key as a secret, …) is
/// refused before its signature is looked at (RFC 8725 section 3.1).
public final class SigningKey: @unchecked Sendable {
  // cjose keeps no state in a key while it signs or verifies; the pointer is released once, in deinit.
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
      throw .failed(Self.text(error))
    }
    return SigningKey(taking: key, keyID: keyID)
  }

  /// Takes a key pair back from ``privateJWK()``.
  public init(privateJWK: Secret<String>, keyID: String) throws(SigningKeyError) {
    var error = cjose_err()
    let text = privateJWK.value
    guard let key = cjose_jwk_import(text, text.utf8.count, &error) else { throw .failed(Self.text(error)) }
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
    guard let text = cjose_jwk_to_json(key, includingPrivate, &error) else { throw .failed(Self.text(error)) }
    defer { free(text) }
    return String(cString: text)
  }

  /// Signs `payload` and returns the compact form. Costs about 1 ms of CPU.
  func sign(_ payload: [UInt8]) throws(SigningKeyError) -> String {
    var error = cjose_err()
    guard let header = cjose_header_new(&error) else { throw .failed(Self.text(error)) }
    defer { cjose_header_release(header) }
    guard cjose_header_set(header, "alg", "RS256", &error), cjose_header_set(header, "typ", "JWT", &error),
      cjose_header_set(header, "kid", keyID, &error),
      let signature = cjose_jws_sign(key, header, payload, payload.count, &error)
    else { throw .failed(Self.text(error)) }
    defer { cjose_jws_release(signature) }
    var text: UnsafePointer<CChar>?
    guard cjose_jws_export(signature, &text, &error), let text else { throw .failed(Self.text(error)) }
    return String(cString: text)
  }

  /// The payload of a compact JWS, once its signature is proved to be this key's. Costs about 50 µs of CPU.
  func verify(_ compact: String) throws(SigningKeyError) -> [UInt8] {
    var error = cjose_err()
    guard let signature = cjose_jws_import(compact, compact.utf8.count, &error) else { throw .malformed }
    defer { cjose_jws_release(signature) }
    guard let header = cjose_jws_get_protected(signature), Self.value("alg", in: header) == "RS256",
      Self.value("kid", in: header) == keyID, !Self.has("crit", in: header)
    else { throw .wrongAlgorithm }
    guard cjose_jws_verify(signature, key, &error) else { throw .wrongSignature }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    guard cjose_jws_get_plaintext(signature, &bytes, &count, &error), let bytes else { throw .malformed }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// The `kid` that a compact JWS claims, unproved: only good for finding the key to prove it with.
  static func claimedKeyID(of compact: String) -> String? {
    var error = cjose_err()
    guard let signature = cjose_jws_import(compact, compact.utf8.count, &error) else { return nil }
    defer { cjose_jws_release(signature) }
    guard let header = cjose_jws_get_protected(signature) else { return nil }
    return value("kid", in: header)
  }

  private static func value(_ name: String, in header: OpaquePointer) -> String? {
    var error = cjose_err()
    return cjose_header_get(header, name, &error).map { String(cString: $0) }
  }

  private static func has(_ name: String, in header: OpaquePointer) -> Bool {
    var error = cjose_err()
    guard let raw = cjose_header_get_raw(header, name, &error) else { return false }
    free(raw)
    return true
  }

  private static func text(_ error: cjose_err) -> String { error.message.map { String(cString: $0) } ?? "unknown" }
}

/// Why a signature could not be made or proved.
public enum SigningKeyError: Error, Sendable, Equatable {
  /// The library refused: its reason.
  case failed(String)
  /// The text is no compact JWS.
  case malformed
  /// The header names another algorithm or key than this one, or demands extensions.
  case wrongAlgorithm
  /// The signature is not this key's.
  case wrongSignature
}
