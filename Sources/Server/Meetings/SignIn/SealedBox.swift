public import Crypto
import FoundationEssentials

/// Text that only this server can read and make, for cookies: AES-256-GCM with a key of the tenant's (NIST SP 800-38D).
///
/// So nothing has to be remembered about somebody who starts to sign in and never comes back.
public struct SealedBox: Sendable {
  private let key: SecretBytes?
  private let purpose: [UInt8]

  /// A box whose key comes from the tenant's signing key. A box that was sealed for one purpose can't be opened for
  /// another.
  public init(_ tenant: Tenant, purpose: String) {
    let secret = Array(tenant.signingKey.value.utf8)
    let label = Array("parley sealed box 1".utf8)
    var digest = (try? HMAC.code(of: label.span, key: secret.span, using: .sha256)) ?? []
    key = digest.isEmpty ? nil : SecretBytes(wiping: &digest)
    self.purpose = Array(purpose.utf8)
  }

  /// The sealed form, in letters that a cookie and an address may have.
  public func seal(_ value: some Encodable) -> String? {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    guard let key, let text = try? encoder.encode(value) else { return nil }
    let plain = [UInt8](text)
    do throws(CryptoError) {
      let nonce = try SecureRandom.bytes(AEADNonce.length)
      let sealed = try AESGCM.seal(plain.span, key: key, nonce: AEADNonce(nonce.span), authenticating: purpose.span)
      return Base64URL.encode(nonce + sealed)
    } catch {
      return nil
    }
  }

  /// The content; nil when it wasn't sealed here for this purpose, or was changed since.
  public func open<Value: Decodable>(_ text: some StringProtocol, as type: Value.Type) -> Value? {
    guard let key, text.utf8.count <= 8_192, let bytes = Base64URL.decode(text),
      bytes.count > AEADNonce.length + AESGCM.tagLength
    else { return nil }
    let plain: [UInt8]
    do throws(CryptoError) {
      let nonce = try AEADNonce(bytes.span.extracting(0..<AEADNonce.length))
      let sealed = bytes.span.extracting(AEADNonce.length..<bytes.count)
      plain = try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: purpose.span)
    } catch {
      return nil
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try? decoder.decode(type, from: Data(plain))
  }
}

extension Base64URL {
  /// A random text of 256 bits.
  public static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// The SHA-256 of a text's bytes, as PKCE makes a challenge of a verifier (RFC 7636 section 4.2, S256).
  public static func challenge(_ verifier: String) -> String {
    encode((try? Digest.sha256(Array(verifier.utf8))) ?? [])
  }
}
