internal import Crypto

/// The key and salt of one base key and key id (RFC 9605 section 4.4.2).
struct SFrameKeys {
  let key: SecretBytes
  let salt: AEADNonce

  init(baseKey: SecretBytes, keyID: UInt64, suite: SFrameSuite) throws(SFrameError) {
    guard baseKey.count >= 16 else { throw .keyTooShort }
    do throws(CryptoError) {
      let secret = try HKDF.extract(salt: Span(), secret: baseKey.bytes, using: suite.hash)
      let keyLabel = Self.label("SFrame 1.0 Secret key ", keyID, suite)
      let saltLabel = Self.label("SFrame 1.0 Secret salt ", keyID, suite)
      key = try HKDF.expand(secret, info: keyLabel.span, count: suite.keyLength, using: suite.hash)
      let bytes = try HKDF.expand(secret, info: saltLabel.span, count: AEADNonce.length, using: suite.hash)
      salt = try AEADNonce(bytes.bytes)
    } catch {
      throw .cipherFailed
    }
  }

  static func label(_ text: String, _ keyID: UInt64, _ suite: SFrameSuite) -> [UInt8] {
    var label = Array(text.utf8)
    for shift in stride(from: 56, through: 0, by: -8) {
      label.append(UInt8(truncatingIfNeeded: keyID >> UInt64(shift)))
    }
    label.append(UInt8(suite.rawValue >> 8))
    label.append(UInt8(truncatingIfNeeded: suite.rawValue))
    return label
  }
}
