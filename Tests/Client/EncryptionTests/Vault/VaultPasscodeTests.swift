import Testing

@testable import Encryption

@Suite("Passcodes of vaults")
struct VaultPasscodeTests {
  @Test("the same passcode has the same bytes however it is typed")
  func normalForm() {
    let forms = [
      ["Grünes Tal 2041", "  Gru\u{308}nes Tal 2041\n", "Ｇｒüｎｅｓ Tal ２０４１", "Grünes\u{A0}Tal ٢٠٤١", "Grünes Tal २०४१"],
      ["ﬁve ducks…", "five ducks..."], ["½ of the moon", "1⁄2 of the moon"], ["Ａ", "A"],
    ]
    for group in forms {
      let values = Set(group.map { Array(VaultPasscode(entered: $0).value.value.utf8) })
      #expect(values.count == 1, "\(group)")
    }
    #expect(VaultPasscode(entered: "Tal").value != VaultPasscode(entered: "tal").value)
    #expect("\(VaultPasscode(entered: "a passcode"))".contains("<redacted>"))
  }

  @Test("passcodes that are tried first are refused with the reason, and others are taken")
  func weakness() throws {
    let weak: [(String, PasscodeWeakness)] = [
      ("short", .tooShort), ("  nine cha ", .tooShort), (String(repeating: "a b c ", count: 30), .tooLong),
      ("aaaaaaaaaaaa", .repeated), ("abababababab", .repeated), ("secret-secret-secret", .repeated),
      ("letmein!letmein!", .repeated), ("1234567890", .sequence), ("٠١٢٣٤٥٦٧٨٩", .sequence),
      ("0987654321qwerty", .sequence), ("qwertyuiop!1", .sequence), ("Abcdefghij99", .sequence),
      ("a1b2c3d4e5f6", .sequence), ("P@ssw0rd2024!", .common), ("iloveyou2024", .common),
      ("correct horse battery staple", .common), ("charlie-jessica-1", .common), ("Ann-Example-1", .personal),
      ("8302945716", .onlyDigits), ("９４６１７３０２８５１７４", .onlyDigits),
    ]
    for (text, reason) in weak {
      #expect(throws: reason, "\(text)") { _ = try VaultPasscode(new: text, knowing: ["Ann Example"]) }
    }
    for text in [
      "quarter mule lamp tide", "zw8!kq0plm", "blau Zaun Mond Rad", "red tractor 77 sky", "3141592653589793238",
    ] {
      _ = try VaultPasscode(new: text, knowing: ["Ann Example"])
    }
    #expect(PasscodeWeakness.tooShort.sentence.contains("10"))
  }
}
