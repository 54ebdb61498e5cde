import Signaling
import Testing

@Suite("Names of chat files")
struct FileNameTests {
  @Test("a name can leave no folder, hide its ending or break a header")
  func names() {
    let cases = [
      ("../../etc/passwd", "passwd"), ("C:\\Users\\ann\\notes.txt", "notes.txt"), ("..", "file"), ("", "file"),
      ("/", "file"), ("a\u{202E}gpj.exe", "agpj.exe"), ("a\r\nSet-Cookie: x", "aSet-Cookie_ x"),
      ("  .hidden. ", "hidden"), ("CON.txt", "_CON.txt"), ("com1", "_com1"), ("a\"b<c>.txt", "a_b_c_.txt"),
      ("\0evil.png", "evil.png"), ("Grüße.pdf", "Grüße.pdf"), ("a\u{200D}b", "ab"),
    ]
    for (text, name) in cases { #expect(FileName.clean(text) == name, "\(text)") }
    // No emoji loses a part, and no character is cut in two.
    let family = "👩‍👩‍👧"
    for name in ["\(family).png", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️‍🔥.png"] { #expect(Array(FileName.clean(name).utf8) == Array(name.utf8)) }
    #expect(FileName.clean("\(family)\u{202E}gpj.exe") == "\(family)gpj.exe")
    let families = { (count: Int) in String(repeating: family, count: count) + ".png" }
    #expect(FileName.clean(families(50)) == families(9))
    let decomposed = FileName.clean("x" + String(repeating: "e\u{301}", count: 100) + ".png")
    #expect(decomposed.unicodeScalars.count == 1 + 58 * 2 + 4)
    #expect(FileName.clean("e" + String(repeating: "\u{301}", count: 400) + ".png") == "file.png")
    let long = FileName.clean(String(repeating: "ä", count: 5_000) + ".png")
    #expect(long.utf8.count <= FileName.maximumBytes)
    #expect(FileName.clean(String(repeating: "ä", count: 300) + ".png").hasSuffix(".png"))
  }
}
