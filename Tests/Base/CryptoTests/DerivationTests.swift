import TestVectors
import Testing

@testable import Crypto

@Suite("Digests, codes and key derivation")
struct DerivationTests {
  @Test("digests of \"abc\" are those of FIPS 180")
  func digests() throws {
    let abc = Array("abc".utf8)
    let expected: [(HashAlgorithm, Hex)] = [
      (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        .sha384,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
      ),
      (
        .sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
    ]
    for (algorithm, digest) in expected {
      #expect(try Digest.hash(abc.span, using: algorithm) == digest.bytes)
      #expect(digest.bytes.count == algorithm.length)
    }
    #expect(try Digest.sha256([]).prefix(4) == [0xe3, 0xb0, 0xc4, 0x42])
  }

  struct Code: Decodable {
    let id: Int
    let key: Hex
    let message: Hex
    let tag: Hex
    let result: String
  }

  @Test("HMAC-SHA-256 agrees with Wycheproof, and altered codes are refused")
  func codes() throws {
    for each in try vectors(Cases<Code>.self, "hmac-sha256.json").cases {
      let isValid = try HMAC.isValid(
        each.tag.bytes.span, of: each.message.bytes.span, key: each.key.bytes.span, using: .sha256)
      #expect(isValid == (each.result == "valid"), "case \(each.id)")
    }
  }

  @Test("a code that is cut to nothing is never right")
  func cutCodes() throws {
    let key = [UInt8](repeating: 1, count: 32)
    let code = try HMAC.code(of: key.span, key: key.span, using: .sha256)
    for count in 0...32 {
      let isValid = try HMAC.isValid(code.span.extracting(0..<count), of: key.span, key: key.span, using: .sha256)
      #expect(isValid == (count >= 4))
    }
  }

  struct Derivation: Decodable {
    let id: Int
    let key: Hex
    let salt: Hex
    let info: Hex
    let count: Int
    let output: Hex
    let result: String
  }

  @Test("HKDF-SHA-256 agrees with Wycheproof, and refuses more than 255 digests")
  func derivation() throws {
    for each in try vectors(Cases<Derivation>.self, "hkdf-sha256.json").cases {
      let key = try HKDF.extract(salt: each.salt.bytes.span, secret: each.key.bytes.span, using: .sha256)
      if each.result == "valid" {
        let out = try HKDF.expand(key, info: each.info.bytes.span, count: each.count, using: .sha256)
        #expect(out.unprotectedCopy() == each.output.bytes, "case \(each.id)")
      } else {
        #expect(throws: CryptoError.tooLong) {
          _ = try HKDF.expand(key, info: each.info.bytes.span, count: each.count, using: .sha256)
        }
      }
    }
  }

  @Test("scrypt agrees with RFC 7914 section 12")
  func scrypt() throws {
    let password = Array("password".utf8)
    let salt = Array("NaCl".utf8)
    let key = try Scrypt.derive(
      from: password.span, salt: salt.span, log2Cost: 10, blockSize: 8, parallelism: 16, count: 64)
    let expected: Hex =
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    #expect(key.unprotectedCopy() == expected.bytes)
  }
}
