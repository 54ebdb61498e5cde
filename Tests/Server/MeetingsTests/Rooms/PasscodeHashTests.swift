import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("Passcodes as they are kept")
struct PasscodeHashTests {
  @Test("a passcode is known however typed, no other is, and two hashes of it differ")
  func matching() throws {
    let hash = try PasscodeHash(Secret("Café 42"))
    for text in ["Café 42", " Cafe\u{301} 42\n"] { #expect(hash.matches(Secret(text))) }
    for text in ["", "Cafe 42", "café 42", "Café 42!", "Café4 2", String(repeating: "Café 42", count: 1_000)] {
      #expect(!hash.matches(Secret(text)), "\(text.prefix(20))")
    }
    #expect(try PasscodeHash(Secret("Café 42")).text != hash.text)
    #expect(hash.text.hasPrefix("scrypt$14$8$1$") && !hash.text.contains("42$"))
    #expect(PasscodeHash(stored: hash.text).matches(Secret("Café 42")))
  }

  @Test("scrypt is that of RFC 7914, so that the hash can be checked elsewhere")
  func vector() throws {
    // Made with Python's hashlib.scrypt(b"1234", salt=bytes(range(16)), n=16384, r=8, p=1, dklen=32).
    let hash = PasscodeHash(
      stored: "scrypt$14$8$1$AAECAwQFBgcICQoLDA0ODw==$WN+87vPtGO4o1fwEttloKNIwtqGZqnsfkSCWNJhrpMg=")
    #expect(hash.matches(Secret("1234")) && !hash.matches(Secret("1235")))
  }

  @Test("passcodes out of bounds are refused, and no stored hash makes checks expensive")
  func bounds() throws {
    for text in ["", "   ", "123", " 123 ", String(repeating: "1", count: 65), String(repeating: "🇩🇪", count: 33)] {
      #expect(throws: PasscodeError.length) { try PasscodeHash(Secret(text)) }
    }
    // In scalars, as the pages and the API count, and accents in one form.
    for text in ["🇩🇪🇩🇪", String(repeating: "😀", count: 64), "  " + String(repeating: "e\u{301}", count: 64)] {
      #expect(throws: Never.self) { try PasscodeHash(Secret(text)) }
    }
    let good = try PasscodeHash(Secret("1234")).text
    let parts = good.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
    for (index, value) in [(0, "md5"), (1, "30"), (1, "-1"), (2, "100000"), (3, "99"), (4, "!"), (5, "AAAA"), (5, "")] {
      var damaged = parts
      damaged[index] = value
      #expect(!PasscodeHash(stored: damaged.joined(separator: "$")).matches(Secret("1234")), "\(index) \(value)")
    }
    for text in ["", "$$$$$", good + "$", String(good.dropLast(4))] {
      #expect(!PasscodeHash(stored: text).matches(Secret("1234")), "\(text)")
    }
  }
}
