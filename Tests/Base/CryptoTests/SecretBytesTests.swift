import Testing

@testable import Crypto

@Suite("Secrets, encodings and comparison")
struct SecretBytesTests {
  @Test("keys print as <redacted> however they are shown")
  func redaction() throws {
    let secret = SecretBytes([0xAB, 0xCD, 0xEF].span)
    let values: [Any] = try [secret, X25519.PrivateKey(), Ed25519.PrivateKey(), P256.PrivateKey()]
    for value in values {
      #expect("\(value)" == "<redacted>")
      #expect(String(reflecting: value) == "<redacted>")
      #expect(Mirror(reflecting: value).children.isEmpty)
      var dumped = ""
      dump(value, to: &dumped)
      #expect(!dumped.contains("171") && !dumped.lowercased().contains("storage"))
    }
    #expect(!"\([secret])\(Optional(secret) as Any)".contains("171"))
  }

  @Test("moving bytes into a secret empties the array")
  func moving() {
    var bytes: [UInt8] = [1, 2, 3]
    let secret = SecretBytes(wiping: &bytes)
    #expect(bytes.isEmpty)
    #expect(secret.unprotectedCopy() == [1, 2, 3])
    #expect(secret.extracting(1..<3).unprotectedCopy() == [2, 3])
  }

  @Test("secrets and texts are equal only byte for byte")
  func comparison() throws {
    let secret = try SecretBytes.random(32)
    for index in 0..<32 {
      var other = secret.unprotectedCopy()
      #expect(SecretBytes(other.span) == secret)
      other[index] ^= 0x80
      #expect(SecretBytes(other.span) != secret)
    }
    #expect(ConstantTime.areEqual("", "") && ConstantTime.areEqual("ab", "ab"))
    #expect(!ConstantTime.areEqual("ab", "abc") && !ConstantTime.areEqual("ab", "ac"))
  }

  @Test("random bytes have the wanted number and are not the same twice")
  func random() throws {
    for count in [0, 1, 16, 1_000] { #expect(try SecureRandom.bytes(count).count == count) }
    #expect(try SecureRandom.bytes(32) != SecureRandom.bytes(32))
    #expect(try SecretBytes.random(32) != .random(32))
    #expect(throws: CryptoError.tooLong) { _ = try SecureRandom.bytes(-1) }
  }

  @Test("base64url agrees with RFC 4648, and each byte string has exactly one text")
  func base64() throws {
    for (text, bytes) in [("", ""), ("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
      #expect(Base64URL.encode(Array(bytes.utf8)) == text)
      #expect(Base64URL.decode(text) == Array(bytes.utf8))
    }
    #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
    for wrong in ["Z", "Zh", "Zm9", "Zm8=", "Zm8 ", "+_8", "Zm9v\n", "Zg==", "é", "Zm9vZ"] {
      #expect(Base64URL.decode(wrong) == nil, "\(wrong)")
    }
    for count in 0..<100 {
      let bytes = try SecureRandom.bytes(count)
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }
}
