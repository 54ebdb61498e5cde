public import Crypto

/// Digits that people compare to know that nobody stands between them.
public enum SafetyCode {
  /// 30 digits that stand for everybody who holds keys, and for their number. One more or another member changes them.
  ///
  /// About 99 bits: nobody finds another set of keys with the same digits.
  public static func digits(of identities: [Ed25519.PublicKey]) throws(CryptoError) -> String {
    var writer = ByteWriter()
    writer.write(Array("Parley safety code 1\0".utf8))
    writer.write(UInt32(truncatingIfNeeded: identities.count))
    for key in identities.map(\.rawValue).sorted(by: { $0.lexicographicallyPrecedes($1) }) { writer.write(key) }
    return groups(try Digest.hash(writer.bytes.span, using: .sha512), count: 6)
  }

  /// 60 digits that stand for two people with lasting identities, the same on both sides.
  public static func digits(of a: Ed25519.PublicKey, and b: Ed25519.PublicKey) throws(CryptoError) -> String {
    var writer = ByteWriter()
    writer.write(Array("Parley pair code 1\0".utf8))
    for key in [a.rawValue, b.rawValue].sorted(by: { $0.lexicographicallyPrecedes($1) }) { writer.write(key) }
    return groups(try Digest.hash(writer.bytes.span, using: .sha512), count: 12)
  }

  /// 60 digits that stand for two identities, by the fingerprints of all of their keys; the same on both sides.
  package static func digits(ofFingerprint a: [UInt8], and b: [UInt8]) throws(CryptoError) -> String {
    var writer = ByteWriter()
    writer.write(Array("Parley identity code 1\0".utf8))
    for fingerprint in [a, b].sorted(by: { $0.lexicographicallyPrecedes($1) }) { writer.write(fingerprint) }
    return groups(try Digest.hash(writer.bytes.span, using: .sha512), count: 12)
  }

  /// Groups of five digits, of five bytes each.
  private static func groups(_ digest: [UInt8], count: Int) -> String {
    var text = ""
    for group in 0..<count {
      var value: UInt64 = 0
      for index in 0..<5 { value = value << 8 | UInt64(digest[group * 5 + index]) }
      let digits = String(value % 100_000)
      text += String(repeating: "0", count: 5 - digits.count) + digits
    }
    return text
  }
}
