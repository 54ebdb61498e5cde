package import Basics
package import Crypto

/// 128 random bits on paper, which open a vault without its passcode and without the server's pepper.
///
/// The record has the content key sealed for the public half, so that devices renew a record without this key.
package struct RecoveryKey: Sendable {
  package static let length = 16
  /// Characters of its text without hyphens: 128 bits, and 12 of a checksum.
  package static let textLength = 28
  /// Crockford's letters, none of which is taken for another.
  private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  let bytes: SecretBytes

  package init() throws(VaultError) {
    do throws(CryptoError) { bytes = try .random(Self.length) } catch { throw .failed }
  }

  /// A key as it was printed: hyphens, blanks and capitals don't count, and `O`, `I` and `L` are digits.
  ///
  /// - Returns: Nil when characters are missing or wrong, as the checksum shows.
  package init?(text: String) {
    var value: [UInt8] = []
    var bits: UInt32 = 0
    var width = 0
    var count = 0
    for character in CompatibilityForm.nfkc(text).uppercased() where character != "-" && !character.isWhitespace {
      let plain: Character = character == "O" ? "0" : character == "I" || character == "L" ? "1" : character
      guard let digit = Self.letters.firstIndex(of: plain), count < Self.textLength else { return nil }
      count += 1
      bits = bits << 5 | UInt32(digit)
      width += 5
      while width >= 8 {
        width -= 8
        value.append(UInt8(truncatingIfNeeded: bits >> UInt32(width)))
      }
    }
    // 140 bits: the key, 8 bits of checksum in a whole byte and 4 that are left.
    guard count == Self.textLength, value.count == Self.length + 1 else { return nil }
    let sum = UInt16(value[Self.length]) << 4 | UInt16(bits & 15)
    value.removeLast()
    guard let expected = Self.checksum(value), expected == sum else { return nil }
    bytes = SecretBytes(wiping: &value)
  }

  /// Seven groups of four characters. For paper, and shown once.
  package var text: Secret<String> {
    let value = bytes.unprotectedCopy()
    let sum = Self.checksum(value) ?? 0
    var text = ""
    var bits: UInt32 = 0
    var width = 0
    var count = 0
    func add(_ more: UInt32, _ size: Int) {
      bits = bits << UInt32(size) | more
      width += size
      while width >= 5 {
        width -= 5
        if count > 0, count % 4 == 0 { text.append("-") }
        text.append(Self.letters[Int(bits >> UInt32(width) & 31)])
        count += 1
      }
    }
    for byte in value { add(UInt32(byte), 8) }
    add(UInt32(sum), 12)
    return Secret(text)
  }

  /// Proves to the server that somebody has the key. With 128 bits it isn't counted as a guess.
  package func token() throws(VaultError) -> SecretBytes { try derive("Parley vault recovery token 1") }

  /// The half for which records are sealed.
  package func publicKey() throws(VaultError) -> X25519.PublicKey { try privateKey().publicKey }

  func privateKey() throws(VaultError) -> X25519.PrivateKey {
    let secret = try derive("Parley vault recovery key 1")
    do throws(CryptoError) { return try X25519.PrivateKey(secret) } catch { throw .failed }
  }

  private func derive(_ label: String) throws(VaultError) -> SecretBytes {
    do throws(CryptoError) { return try HKDF.derive(from: bytes, label: label, count: 32) } catch { throw .failed }
  }

  /// 12 bits that show a slip of the pen.
  private static func checksum(_ value: [UInt8]) -> UInt16? {
    let label = Array("Parley recovery key 1\0".utf8)
    guard let digest = try? Digest.sha256(label + value) else { return nil }
    return UInt16(digest[0]) << 4 | UInt16(digest[1] >> 4)
  }
}
