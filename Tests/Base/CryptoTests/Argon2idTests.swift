import TestVectors
import Testing

@testable import Crypto

@Suite("Argon2id")
struct Argon2idTests {
  @Test("the test vector of RFC 9106 section 5.3")
  func vector() throws {
    let (password, salt, secret, data) = (bytes(1, 32), bytes(2, 16), bytes(3, 8), bytes(4, 12))
    let tag = try Argon2id.hash(
      password: password.span, salt: salt.span, memory: 32, passes: 3, lanes: 4, secret: secret.span, data: data.span,
      length: 32)
    let expected: Hex = "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"
    #expect(tag.unprotectedCopy() == expected.bytes)
  }

  @Test("each input changes the result, and costs outside the bounds are refused")
  func inputs() throws {
    func tag(
      _ password: UInt8 = 1, salt: UInt8 = 2, saltLength: Int = 16, memory: Int = 32, passes: Int = 1, lanes: Int = 1,
      length: Int = 16
    ) throws -> [UInt8] {
      let (password, salt) = (bytes(password, 10), bytes(salt, saltLength))
      return try Argon2id.hash(
        password: password.span, salt: salt.span, memory: memory, passes: passes, lanes: lanes, length: length
      ).unprotectedCopy()
    }
    let all = try [
      tag(), tag(9), tag(salt: 9), tag(saltLength: 17), tag(memory: 40), tag(passes: 2), tag(memory: 32, lanes: 2),
      Array(tag(length: 17).dropLast()),
    ]
    #expect(try Set(all).count == all.count && tag() == all[0])
    let refused = [
      (7, 32, 1, 1, 16), (16, 7, 1, 1, 16), (16, 15, 1, 2, 16), (16, 32, 0, 1, 16), (16, 32, 1, 0, 16),
      (16, 32, 1, 1, 3), (16, 1 << 22, 1, 1, 16), (16, 32, -1, 1, 16),
    ]
    for (saltLength, memory, passes, lanes, length) in refused {
      #expect(throws: CryptoError.tooLong) {
        try tag(saltLength: saltLength, memory: memory, passes: passes, lanes: lanes, length: length)
      }
    }
  }

  private func bytes(_ value: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: value, count: count) }
}
