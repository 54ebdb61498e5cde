import Testing

@testable import ParleyCLI

@Suite struct LineSplitterTests {
  @Test("Lines come whole, however the bytes are cut")
  func cuts() {
    let bytes = Array("one\n\nzwölf 🎈\r\nlast".utf8)
    for size in 1...bytes.count {
      var splitter = LineSplitter()
      var lines: [LineSplitter.Line] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        lines += splitter.add(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      #expect(lines == [.text("one"), .text(""), .text("zwölf 🎈\r")], "in chunks of \(size)")
      #expect(splitter.add([10]) == [.text("last")])
    }
  }

  @Test("A line that is too long is left out as a whole, and the next one is read again")
  func tooLong() {
    var splitter = LineSplitter()
    let chunk = [UInt8](repeating: 0x61, count: 65_536)
    for _ in 0..<(4 * LineSplitter.limit / chunk.count) { #expect(splitter.add(chunk) == []) }
    #expect(splitter.add(Array("{\"command\":\"leave\"}\nnext\n".utf8)) == [.tooLong, .text("next")])
    let longest = [UInt8](repeating: 0x61, count: LineSplitter.limit)
    #expect(splitter.add(longest + [10]).first != .tooLong)
    #expect(splitter.add(longest + [0x61, 10]) == [.tooLong])
  }

  @Test("Bytes that are no UTF-8 do not trap")
  func noText() {
    var splitter = LineSplitter()
    #expect(splitter.add([0xFF, 0xC0, 0x00, 0x80, 10]).count == 1)
    #expect(splitter.add([]) == [])
  }
}

@Suite struct LineEditorTests {
  /// The line that results from keys that came in chunks, one read at a time.
  private func type(_ chunks: String...) -> (lines: [String], rest: String) {
    var editor = LineEditor()
    var lines: [String] = []
    for chunk in chunks { lines += editor.add(Array(chunk.utf8)) }
    return (lines, editor.text)
  }

  @Test("Esc alone takes nothing of what is typed after it", arguments: ["hello", "Oh", "[x]", "ä"])
  func escape(_ text: String) {
    #expect(type("\u{1B}", text).rest == text)
    #expect(type("\u{1B}\u{1B}", text).rest == text)
  }

  @Test(
    "Arrow and function keys type nothing",
    arguments: ["\u{1B}[A", "\u{1B}OP", "\u{1B}[15~", "\u{1B}[1;5C", "\u{1B}[200~", "\u{1B}[A\u{1B}[B"])
  func keys(_ key: String) {
    #expect(type("a" + key + "b").rest == "ab")
    #expect(type("a", key, "b").rest == "ab")
  }

  @Test("Enter ends the line, also within a sequence that was broken off")
  func enter() {
    #expect(type("hello\r").lines == ["hello"])
    #expect(type("one\ntwo\n").lines == ["one", "two"])
    #expect(type("a\u{1B}[1\rb").lines == ["a"])
    #expect(type("a\u{1B}[1\rb").rest == "b")
  }

  @Test("Backspace takes a whole character, and ^U all of them")
  func deleting() {
    #expect(type("aä\u{7F}").rest == "a")
    #expect(type("\u{7F}\u{8}a").rest == "a")
    #expect(type("abc\u{15}d").rest == "d")
  }

  @Test("A line does not grow without end, and holds nothing that steers the terminal")
  func hostile() {
    var editor = LineEditor()
    for _ in 0..<100 { _ = editor.add([UInt8](repeating: 0x61, count: 4_096)) }
    #expect(editor.text.utf8.count <= 16_000)
    #expect(type("a\u{9B}31mb\u{202E}c").rest == "a31mbc")
  }
}
