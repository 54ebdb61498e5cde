import TestVectors
import Testing

@testable import Crypto

@Suite("Authenticated encryption")
struct AEADTests {
  private func nonce(_ bytes: [UInt8]) throws -> AEADNonce { try AEADNonce(bytes.span) }

  private func open(_ sealed: [UInt8], key: SecretBytes, nonce: AEADNonce) throws -> [UInt8] {
    try AESGCM.open(sealed.span, key: key, nonce: nonce, authenticating: Span())
  }

  struct Message: Decodable {
    let id: Int
    let key: Hex
    let nonce: Hex
    let aad: Hex
    let message: Hex
    let sealed: Hex
    let result: String
  }

  @Test("AES-GCM agrees with Wycheproof; what was altered leaves nothing behind")
  func vectorsOfGCM() throws {
    for each in try vectors(Cases<Message>.self, "aes-gcm.json").cases {
      let key = SecretBytes(each.key.bytes.span)
      let nonce = try nonce(each.nonce.bytes)
      if each.result == "valid" {
        let sealed = try AESGCM.seal(
          each.message.bytes.span, key: key, nonce: nonce, authenticating: each.aad.bytes.span)
        #expect(sealed == each.sealed.bytes, "case \(each.id)")
        let opened = try AESGCM.open(sealed.span, key: key, nonce: nonce, authenticating: each.aad.bytes.span)
        #expect(opened == each.message.bytes, "case \(each.id)")
      } else {
        var output: [UInt8] = [7]
        #expect(throws: CryptoError.authenticationFailed, "case \(each.id)") {
          try AESGCM.Opener(key: key).open(
            each.sealed.bytes.span, nonce: nonce, authenticating: each.aad.bytes.span, appendingTo: &output)
        }
        #expect(output == [7])
      }
    }
  }

  @Test("header and metadata are authenticated as one string behind each other")
  func twoParts() throws {
    let key = try SecretBytes.random(32)
    let nonce = try nonce(SecureRandom.bytes(12))
    let text = Array("frame".utf8)
    let whole: [UInt8] = [1, 2, 3, 4, 5]
    let expected = try AESGCM.seal(text.span, key: key, nonce: nonce, authenticating: whole.span)
    let sealer = try AESGCM.Sealer(key: key)
    for split in 0...5 {
      var output: [UInt8] = []
      try sealer.seal(
        text.span, nonce: nonce, authenticating: whole.span.extracting(0..<split), whole.span.extracting(split..<5),
        appendingTo: &output)
      #expect(output == expected)
    }
  }

  @Test("a refused message leaves the key in use and the next one opens")
  func afterRefusal() throws {
    let key = try SecretBytes.random(16)
    let opener = try AESGCM.Opener(key: key)
    let text = Array("frame".utf8)
    let base = try nonce([UInt8](repeating: 9, count: 12))
    for number in 0..<100 as Range<UInt64> {
      let nonce = base.numbered(number)
      var sealed = try AESGCM.seal(text.span, key: key, nonce: nonce, authenticating: Span())
      sealed[Int(number) % sealed.count] ^= 1
      var output: [UInt8] = []
      #expect(throws: CryptoError.authenticationFailed) {
        try opener.open(sealed.span, nonce: nonce, authenticating: Span(), appendingTo: &output)
      }
      sealed[Int(number) % sealed.count] ^= 1
      try opener.open(sealed.span, nonce: nonce, authenticating: Span(), appendingTo: &output)
      #expect(output == text)
    }
  }

  @Test("keys and nonces of another length are refused")
  func lengths() throws {
    for count in [0, 15, 17, 24, 31, 33] {
      #expect(throws: CryptoError.self) { _ = try AESGCM.Sealer(key: .random(count)) }
    }
    #expect(throws: CryptoError.wrongLength(expected: 12, actual: 11)) {
      _ = try nonce([UInt8](repeating: 0, count: 11))
    }
    let right = try nonce([UInt8](repeating: 0, count: 12))
    #expect(throws: CryptoError.authenticationFailed) { _ = try open([1, 2, 3], key: .random(16), nonce: right) }
  }

  @Test("a numbered nonce differs from its base in the last eight bytes alone")
  func nonces() throws {
    let base: Hex = "56d890e5accaaf011cff4b7d"
    let nonce = try nonce(base.bytes).numbered(0x0102_0304_0506_0708)
    let bytes = nonce.bytes
    let expected: [UInt8] = zip(base.bytes, [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]).map { $0 ^ $1 }
    #expect(bytes.indices.map { bytes[$0] } == expected)
  }
}
