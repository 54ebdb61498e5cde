package import Crypto

/// Seals the records of a local store. Each is bound to its name, so that records cannot change places.
package struct RecordSeal: Sendable {
  package static let keyLength = 32

  private let key: SecretBytes

  package init(key: SecretBytes) throws(CryptoError) {
    guard key.count == Self.keyLength else { throw .wrongLength(expected: Self.keyLength, actual: key.count) }
    self.key = key
  }

  func seal(_ record: [UInt8], name: String) throws(CryptoError) -> [UInt8] {
    let nonce = try SecureRandom.bytes(AEADNonce.length)
    let context = Array(name.utf8)
    return try nonce
      + AESGCM.seal(record.span, key: key, nonce: AEADNonce(nonce.span), authenticating: context.span)
  }

  func open(_ sealed: [UInt8], name: String) throws(CryptoError) -> [UInt8] {
    guard sealed.count >= AEADNonce.length + AESGCM.tagLength else { throw .authenticationFailed }
    let context = Array(name.utf8)
    return try AESGCM.open(
      sealed.span.extracting(AEADNonce.length..<sealed.count), key: key,
      nonce: AEADNonce(sealed.span.extracting(0..<AEADNonce.length)), authenticating: context.span)
  }
}
