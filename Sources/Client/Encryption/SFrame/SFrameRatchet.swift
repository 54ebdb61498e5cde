public import Crypto

extension SFrameSuite {
  /// The base key after `baseKey` (RFC 9605 section 5.1): each key gives all later ones and no earlier one.
  ///
  /// - Throws: ``SFrameError/cipherFailed``.
  public func ratchet(_ baseKey: SecretBytes) throws(SFrameError) -> SecretBytes {
    do throws(CryptoError) {
      return try HKDF.derive(from: baseKey, label: "SFrame 1.0 Ratchet", count: hash.length, using: hash)
    } catch {
      throw .cipherFailed
    }
  }
}
