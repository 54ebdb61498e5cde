import Testing

@testable import MeetingServer

@Suite("Display names")
struct DisplayNameTests {
  @Test(
    "control characters, line breaks and direction overrides are taken out, blanks made one",
    arguments: [
      ("  Ann\n\tLee ", "Ann Lee"), ("A\u{202E}nn\u{200B}", "Ann"), ("\u{0}A\u{7}", "A"), ("<b>Ann</b>", "<b>Ann</b>"),
      ("Zoë", "Zoë"), ("👩‍👩‍👧", "👩‍👩‍👧"), ("\u{2066}Ann\u{2069}", "Ann"), ("نام", "نام"),
    ])
  func clean(_ pair: (String, String)) { #expect(DisplayName.clean(pair.0) == pair.1) }

  @Test("nothing visible is no name", arguments: ["", "  ", "\u{202E}", "\n", "\u{200B}\u{200D}"])
  func empty(_ text: String) { #expect(DisplayName.clean(text) == nil) }

  @Test("80 characters at most, and no tower of combining marks")
  func length() throws {
    #expect(DisplayName.clean(String(repeating: "a", count: 200))?.count == 80)
    let tower = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(try #require(DisplayName.clean(tower)).unicodeScalars.count <= 320)
  }
}
