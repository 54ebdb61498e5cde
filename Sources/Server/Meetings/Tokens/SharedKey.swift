public import Basics
import CJOSE

/// A secret shared with a tenant's own server, for HS256 (RFC 7518 section 3.2). The format is cjose's work.
///
/// It is made only from ``APIKey`` secrets, never from a public key, and proves only tokens that name HS256: so a
/// public key can never pass for a secret.
public final class SharedKey {
  private let key: OpaquePointer

  /// A key whose bytes are those of the secret's text, as every JWT library takes it.
  public init(_ secret: Secret<String>) throws(SigningKeyError) {
    var error = cjose_err()
    let bytes = Array(secret.value.utf8)
    guard let key = cjose_jwk_create_oct_spec(bytes, bytes.count, &error) else {
      throw .failed(SigningKeyError.text(error))
    }
    self.key = key
  }

  deinit { cjose_jwk_release(key) }

  /// Signs `payload` and returns the compact form.
  public func sign(_ payload: [UInt8]) throws(SigningKeyError) -> String {
    try CompactJWS.sign(payload, with: key, as: .hs256, keyID: nil)
  }

  /// The payload, once the signature is proved.
  func verify(_ signature: CompactJWS) throws(SigningKeyError) -> [UInt8] { try signature.verify(key, as: .hs256) }
}
