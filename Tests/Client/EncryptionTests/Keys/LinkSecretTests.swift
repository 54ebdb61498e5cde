import Crypto
import Testing

@testable import Encryption

@Suite("Link secrets, key ids and safety codes")
struct LinkSecretTests {
  @Test("a secret has 43 characters, and exactly one text")
  func text() throws {
    let secret = try LinkSecret()
    #expect(secret.text.utf8.count == 43)
    #expect(LinkSecret(text: secret.text) == secret)
    #expect("\(secret)" == "<redacted>")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains(secret.text))
    for wrong in [
      "", String(secret.text.dropLast()), secret.text + "A", secret.text.dropLast() + "=", secret.text.dropLast() + "B",
    ] {
      // The last character has four bits, so that one of four ends a text rightly.
      if wrong.utf8.count == 43, Base64URL.decode(wrong) != nil { continue }
      #expect(LinkSecret(text: wrong) == nil)
    }
    let unused = String(repeating: "A", count: 42) + "B"
    #expect(LinkSecret(text: unused) == nil)
  }

  // Calculated with Python's hmac: salt is the session's id.
  @Test("an app's shared secret gives the browser's link secret, another for each session")
  func shared() throws {
    let secret = try LinkSecret(shared: "a shared secret", session: "2_MX4xMDB-")
    #expect(secret.text == "WnXtvr-JTTQc7oRdTHLaSnwWiF-IRmFE899ahgaF5KU")
    #expect(try LinkSecret(shared: "a shared secret", session: "2_MX4xMDA-") != secret)
  }

  @Test("each meeting and each purpose has a key of its own")
  func keys() throws {
    let secret = try LinkSecret()
    let keys = try [
      secret.key("announcement", meeting: "daily"), secret.key("envelope", meeting: "daily"),
      secret.key("announcement", meeting: "weekly"),
    ]
    #expect(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2])
    #expect(try secret.key("announcement", meeting: "daily") == keys[0])
  }

  @Test("a key id says sender, track and epoch; indices above 255 take 24 bits")
  func keyIDs() {
    #expect(FrameKeyID(sender: 1, track: 2, epoch: 19).rawValue == 0x0123)
    #expect(FrameKeyID(sender: 0x1234, track: 15, epoch: 15).rawValue == 0x1234FF)
    for raw in [0x0123, 0xFFFF, 0x100, 0x1234FF] as [UInt64] { #expect(FrameKeyID(rawValue: raw)?.rawValue == raw) }
    for raw in [0, 0xFF, 0x100_0000, .max] as [UInt64] { #expect(FrameKeyID(rawValue: raw) == nil) }
  }

  @Test("a safety code has 30 digits in any order of keys, and depends on all of them")
  func safetyCodes() throws {
    let keys = try (0..<5).map { _ in try Ed25519.PrivateKey().publicKey }
    let code = try SafetyCode.digits(of: keys)
    #expect(code.count == 30 && code.allSatisfy(\.isNumber))
    #expect(try SafetyCode.digits(of: keys.reversed()) == code)
    #expect(try SafetyCode.digits(of: Array(keys.dropLast())) != code)
    #expect(try SafetyCode.digits(of: keys + [keys[0]]) != code)
    let pair = try SafetyCode.digits(of: keys[0], and: keys[1])
    #expect(pair.count == 60)
    #expect(try SafetyCode.digits(of: keys[1], and: keys[0]) == pair)
  }
}
