import Basics
import COpenSSL
import FoundationEssentials

/// Text that only this server can read and make, for cookies: AES-256-GCM with a key of the tenant's (NIST SP 800-38D).
///
/// So nothing has to be remembered about somebody who starts to sign in and never comes back.
public struct SealedBox: Sendable {
  private let key: Secret<[UInt8]>
  private let purpose: [UInt8]

  private static let nonceBytes = 12
  private static let tagBytes = 16

  /// A box whose key comes from the tenant's signing key. What was sealed for one purpose cannot be opened for another.
  public init(_ tenant: Tenant, purpose: String) {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    var count: UInt32 = 0
    let secret = Array(tenant.signingKey.value.utf8)
    let label = Array("parley sealed box 1".utf8)
    HMAC(EVP_sha256(), secret, Int32(secret.count), label, label.count, &digest, &count)
    key = Secret(digest)
    self.purpose = Array(purpose.utf8)
  }

  /// The sealed form, in letters that a cookie and an address may have.
  public func seal(_ value: some Encodable) -> String? {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    guard let text = try? encoder.encode(value) else { return nil }
    var nonce = [UInt8](repeating: 0, count: Self.nonceBytes)
    guard RAND_bytes(&nonce, Int32(nonce.count)) == 1, let context = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let plain = [UInt8](text)
    var sealed = [UInt8](repeating: 0, count: plain.count)
    var tag = [UInt8](repeating: 0, count: Self.tagBytes)
    var count: Int32 = 0
    guard EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key.value, nonce) == 1,
      EVP_EncryptUpdate(context, nil, &count, purpose, Int32(purpose.count)) == 1,
      EVP_EncryptUpdate(context, &sealed, &count, plain, Int32(plain.count)) == 1,
      EVP_EncryptFinal_ex(context, nil, &count) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
    else { return nil }
    return Base64URL.text(nonce + sealed + tag)
  }

  /// What was sealed; nil when it was not sealed here for this purpose, or was touched since.
  public func open<Value: Decodable>(_ text: some StringProtocol, as type: Value.Type) -> Value? {
    guard text.utf8.count <= 8_192, let bytes = Base64URL.bytes(text), bytes.count > Self.nonceBytes + Self.tagBytes,
      let context = EVP_CIPHER_CTX_new()
    else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let nonce = Array(bytes.prefix(Self.nonceBytes))
    let sealed = Array(bytes.dropFirst(Self.nonceBytes).dropLast(Self.tagBytes))
    var tag = Array(bytes.suffix(Self.tagBytes))
    var plain = [UInt8](repeating: 0, count: sealed.count)
    var count: Int32 = 0
    guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key.value, nonce) == 1,
      EVP_DecryptUpdate(context, nil, &count, purpose, Int32(purpose.count)) == 1,
      EVP_DecryptUpdate(context, &plain, &count, sealed, Int32(sealed.count)) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
      EVP_DecryptFinal_ex(context, nil, &count) == 1
    else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try? decoder.decode(type, from: Data(plain))
  }
}

/// Base 64 in the letters that addresses may have, without padding (RFC 4648 section 5).
public enum Base64URL {
  /// The text of bytes.
  public static func text(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The bytes of a text; nil when it is none.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") }) else {
      return nil
    }
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let plain = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
    return Data(base64Encoded: plain).map { [UInt8]($0) }
  }

  /// A random text of 256 bits.
  public static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return text((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// The SHA-256 of a text's bytes, as PKCE makes a challenge of a verifier (RFC 7636 section 4.2, S256).
  public static func challenge(_ verifier: String) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    let bytes = Array(verifier.utf8)
    SHA256(bytes, bytes.count, &digest)
    return text(digest)
  }
}
