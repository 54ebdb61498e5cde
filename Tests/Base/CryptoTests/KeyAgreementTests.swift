import TestVectors
import Testing

@testable import Crypto

@Suite("Key agreement")
struct KeyAgreementTests {
  struct Agreement: Decodable {
    let id: Int
    let `public`: Hex
    let `private`: Hex
    let shared: Hex
    let result: String
    let compressed: Bool?
  }

  @Test("X25519 agrees with Wycheproof; keys of small order are refused")
  func x25519() throws {
    var refused = 0
    for each in try vectors(Cases<Agreement>.self, "x25519.json").cases {
      let key = try X25519.PrivateKey(SecretBytes(each.private.bytes.span))
      let peer = try X25519.PublicKey(each.public.bytes)
      if each.shared.bytes.allSatisfy({ $0 == 0 }) {
        refused += 1
        #expect(throws: CryptoError.invalidKey, "case \(each.id)") { _ = try key.sharedSecret(with: peer) }
      } else {
        #expect(try key.sharedSecret(with: peer).unprotectedCopy() == each.shared.bytes, "case \(each.id)")
      }
    }
    #expect(refused > 5)
  }

  @Test("P-256 agrees with Wycheproof; invalid and compressed points are refused")
  func p256() throws {
    for each in try vectors(Cases<Agreement>.self, "p256-ecdh.json").cases {
      let key = try P256.PrivateKey(SecretBytes(each.private.bytes.span))
      if each.result == "valid", each.compressed != true {
        let peer = try P256.PublicKey(each.public.bytes)
        #expect(try key.sharedSecret(with: peer).unprotectedCopy() == each.shared.bytes, "case \(each.id)")
      } else {
        #expect(throws: CryptoError.self, "case \(each.id)") {
          _ = try key.sharedSecret(with: P256.PublicKey(each.public.bytes))
        }
      }
    }
  }

  @Test("two new keys agree, and a third with neither")
  func fresh() throws {
    let (a, b, c) = try (X25519.PrivateKey(), X25519.PrivateKey(), X25519.PrivateKey())
    let shared = try a.sharedSecret(with: b.publicKey)
    #expect(try b.sharedSecret(with: a.publicKey) == shared)
    #expect(try c.sharedSecret(with: a.publicKey) != shared)
    let (d, e) = try (P256.PrivateKey(), P256.PrivateKey())
    #expect(try d.sharedSecret(with: e.publicKey) == e.sharedSecret(with: d.publicKey))
  }

  @Test("a P-256 key of zero or of the group's order is refused")
  func scalars() {
    let zero = [UInt8](repeating: 0, count: 32)
    let order: Hex = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    for bytes in [zero, order.bytes] {
      #expect(throws: CryptoError.invalidKey) { _ = try P256.PrivateKey(SecretBytes(bytes.span)) }
    }
  }
}
