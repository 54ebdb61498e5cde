import CDrawing
import Media
import Testing

@Suite("Missing fonts")
struct MissingFontTests {
  /// The characters without a font that were logged since the process began.
  private var logged: [UInt32] {
    var characters = [UInt32](repeating: 0, count: 64)
    let count = parley_text_missing(&characters, 64)
    return Array(characters.prefix(Int(count)))
  }

  private func draw(_ name: String) throws {
    let composer = try FrameComposer(width: 640, height: 360)
    _ = composer.compose([FrameComposer.Tile(name: name, frame: nil)], time: .zero)
  }

  @Test("names that no font has are logged once for each script, with a character")
  func once() throws {
    // Characters of private use are in no font of a distribution, and are a script of their own.
    try draw("Ann \u{10F300}")
    #expect(logged.contains(0x10F300))
    try draw("Ben \u{10F301}\u{10F302} \u{10F300}")
    #expect(logged.filter { $0 >= 0x10F300 } == [0x10F300])
  }

  @Test("names that fonts have, and characters that draw nothing, are not logged")
  func known() throws {
    try draw("Ann Łukasz Ольга Ελένη")
    try draw("a\u{200D}b\u{2060}\u{FE0F}")
    // A terminal would take it as the beginning of a command.
    try draw("\u{9B}31m")
    #expect(!logged.contains { $0 < 0x500 || $0 == 0x200D || $0 == 0x2060 || $0 == 0xFE0F })
  }

  @Test(
    "the hint names the script and the package of each character",
    arguments: [
      (UInt32(0x5D0), "Hebr", "fonts-dejavu-core"), (0x4E00, "Hani", "fonts-noto-cjk"),
      (0xAC00, "Hang", "fonts-noto-cjk"), (0x3042, "Hira", "fonts-noto-cjk"), (0xE01, "Thai", "fonts-noto-core"),
      (0x905, "Deva", "fonts-noto-core"), (0x1F600, "Zyyy", "fonts-noto-color-emoji"), (0x10F300, "Zzzz", nil),
    ] as [(UInt32, String, String?)])
  func hint(character: UInt32, script: String, package: String?) throws {
    #expect(parley_drawing_load() == nil)
    var bytes = [CChar](repeating: 0, count: 200)
    parley_text_hint(character, &bytes, 200)
    let hint = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let number = String(character, radix: 16, uppercase: true)
    #expect(hint.contains("U+") && hint.contains(number) && hint.contains("script \(script)"))
    if let package {
      #expect(hint.hasSuffix("apt-get install \(package)"))
    } else {
      #expect(!hint.contains("apt-get"))
    }
  }

  @Test("a hint is cut where there is too little room for it")
  func cut() {
    var bytes = [CChar](repeating: 1, count: 20)
    parley_text_hint(0x4E00, &bytes, 10)
    #expect(bytes[9] == 0 && bytes[10] == 1, "no more than the given room is written")
  }
}
