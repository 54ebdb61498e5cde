import COpenSSL
import TestVectors
import Testing

@testable import Crypto

@Suite("Signatures")
struct SignatureTests {
  struct Signature: Decodable {
    let id: Int
    let `public`: Hex
    let message: Hex
    let signature: Hex
    let result: String
  }

  @Test("Ed25519 agrees with Wycheproof")
  func ed25519() throws {
    for each in try vectors(Cases<Signature>.self, "ed25519.json").cases {
      let key = try Ed25519.PublicKey(each.public.bytes)
      let isValid = key.verifies(each.signature.bytes.span, of: each.message.bytes.span)
      #expect(isValid == (each.result == "valid"), "case \(each.id)")
    }
  }

  @Test("Ed25519 signs as RFC 8032 section 7.1 has it, an empty message too")
  func ed25519Signing() throws {
    let seed: Hex = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
    let expected: Hex =
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    let key = try Ed25519.PrivateKey(SecretBytes(seed.bytes.span))
    let signature = try key.sign(Span())
    #expect(signature == expected.bytes)
    let other: [UInt8] = [0]
    let verifies = [
      key.publicKey.verifies(signature.span, of: Span()), key.publicKey.verifies(signature.span, of: other.span),
    ]
    #expect(verifies == [true, false])
  }

  @Test("ECDSA over P-256 agrees with Wycheproof in the form of WebCrypto")
  func ecdsa() throws {
    for each in try vectors(Cases<Signature>.self, "p256-ecdsa.json").cases {
      let key = try P256.PublicKey(each.public.bytes)
      let isValid = key.verifies(each.signature.bytes.span, of: each.message.bytes.span)
      #expect(isValid == (each.result == "valid"), "case \(each.id)")
    }
    let key = try P256.PrivateKey()
    for text in ["", "a", "longer than a block of the hash function that is inside, which has 64 bytes"] {
      let message = Array(text.utf8)
      let signature = try key.sign(message.span)
      let isValid = key.publicKey.verifies(signature.span, of: message.span)
      #expect(isValid)
    }
  }

  @Test("a refused signature leaves no error behind for TLS of the same thread")
  func errorQueue() throws {
    let key = try Ed25519.PublicKey([UInt8](repeating: 0xFF, count: 32))
    let zeros = [UInt8](repeating: 0, count: 64)
    _ = key.verifies(zeros.span, of: Span())
    #expect(ERR_peek_error() == 0)
    _ = try? P256.PublicKey([4] + [UInt8](repeating: 1, count: 64))
    #expect(ERR_peek_error() == 0)
    _ = try? X25519.PrivateKey().sharedSecret(with: X25519.PublicKey([UInt8](repeating: 0, count: 32)))
    #expect(ERR_peek_error() == 0)
    let nonce = try AEADNonce(zeros.span.extracting(0..<12))
    _ = try? AESGCM.open(zeros.span, key: .random(16), nonce: nonce, authenticating: Span())
    #expect(ERR_peek_error() == 0)
  }
}
