import Basics
import Testing

@Suite("Display names")
struct DisplayNameTests {
  @Test(
    "control characters, line breaks and overrides go, and blanks become one",
    arguments: [
      ("  Ann\n\tLee ", "Ann Lee"), ("A\u{202E}nn\u{200B}", "Ann"), ("\u{0}A\u{7}", "A"), ("<b>Ann</b>", "<b>Ann</b>"),
      ("Zoë", "Zoë"), ("\u{2066}Ann\u{2069}", "Ann"), ("نام", "نام"), ("Ann\u{2800}Lee", "Ann Lee"),
      ("\u{3164}Ann\u{115F}", "Ann"), ("\u{200D}Ann\u{200C}", "Ann"), ("Ann\u{200C}\u{200D} Lee", "Ann Lee"),
      ("\u{FEFF}Ann\u{34F}", "Ann"), ("\u{E0041}Ann\u{E0042}", "Ann"),
    ])
  func clean(_ pair: (String, String)) {
    #expect(DisplayName.clean(pair.0).map { Array($0.unicodeScalars) } == Array(pair.1.unicodeScalars))
  }

  @Test(
    "emoji keep all their parts, and letters their joiners and selectors",
    arguments: [
      "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 Ann", "❤️‍🔥", "1️⃣ Ann", "👋🏽", "🇫🇷", "🏳️‍🌈 Ann", "می\u{200C}خواهم", "क्\u{200D}ष", "葛\u{E0100}城", "☂\u{FE0E}",
    ])
  func kept(_ name: String) {
    #expect(DisplayName.clean(name).map { Array($0.unicodeScalars) } == Array(name.unicodeScalars))
  }

  @Test(
    "a name that draws nothing is no name",
    arguments: [
      "", "  ", "\u{202E}", "\n", "\u{200B}\u{200D}", "\u{3164}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{2800}",
      "\u{200C}",
      "\u{1D159}", "\u{34F}", "\u{180E}", "\u{17B5}", "\u{FE0F}", "\u{E0041}", "\u{301}", "\u{2800} \u{3164}",
      "\u{E000}", "\u{FFFC}", "\u{13441}", "\u{13442}",
    ])
  func empty(_ text: String) { #expect(DisplayName.clean(text) == nil) }

  @Test("80 characters at most, none of them cut in two, and no tower of combining marks")
  func length() throws {
    #expect(DisplayName.clean(String(repeating: "a", count: 200))?.count == 80)
    #expect(DisplayName.clean(String(repeating: "👩‍👩‍👧", count: 200)) == String(repeating: "👩‍👩‍👧", count: 80))
    // The longest characters that there are: 128 bytes each.
    let longest = String(repeating: "🏴" + String(repeating: "\u{E0061}", count: 31), count: 80)
    #expect(DisplayName.clean(longest)?.utf8.count == 15 * 128)
    #expect(DisplayName.clean("Ann \(longest)", bytes: 100) == "Ann")
    let tower = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(try #require(DisplayName.clean(tower)).unicodeScalars.count <= 320)
  }
}
