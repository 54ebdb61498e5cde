import Foundation
import Testing

@testable import ParleyCLI

@Suite struct JSONLineTests {
  @Test("A line is one line, its keys in order, whatever is in it")
  func order() {
    let line: JSONLine = ["b": 1, "a": .list([true, nil, "x"]), "c": .object(["d": 0.12345])]
    #expect(line.text == #"{"b":1,"a":[true,null,"x"],"c":{"d":0.123}}"#)
    #expect(([:] as JSONLine).text == "{}")
  }

  @Test("Any text comes out as it went in, and no control character stands in the line")
  func texts() throws {
    var texts = [
      "", "\"", "\\", "\\\"", "\n\r\t\u{8}\u{C}", "\u{0}", "\u{1B}[2J", "\u{7F}", "\u{9B}31m", "ä🎈", "\u{2028}",
      "</script>",
    ]
    texts += (0..<0x100).compactMap { Unicode.Scalar(UInt32($0)).map { "a\(Character($0))b" } }
    for text in texts {
      let line: JSONLine = ["text": .text(text)]
      #expect(!line.text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(line.text)")
      let read = try JSONDecoder().decode([String: String].self, from: Data(line.text.utf8))
      #expect(Array(try #require(read["text"]).unicodeScalars) == Array(text.unicodeScalars))
    }
    let hostile: JSONLine = ["a\",\"b": 1]
    #expect(try JSONDecoder().decode([String: Int].self, from: Data(hostile.text.utf8)) == ["a\",\"b": 1])
  }

  @Test("Numbers that JSON does not know are null")
  func numbers() {
    let line: JSONLine = ["a": .number(.nan), "b": .number(.infinity), "c": .number(-.infinity), "d": .number(1e15)]
    #expect(line.text == #"{"a":null,"b":null,"c":null,"d":1e+15}"# || line.text.contains(#""d":1000000000000000"#))
    #expect(JSONValue.integer(.min).written == "-9223372036854775808")
  }
}

@Suite struct PrintableTextTests {
  @Test(
    "Text of others cannot steer a terminal",
    arguments: [
      ("plain words, ä 🎈", "plain words, ä 🎈"), ("\u{1B}[2Jx", "[2Jx"), ("a\u{9B}31mb", "a31mb"), ("a\r\nb", "ab"),
      ("a\u{202E}b\u{2066}c", "abc"), ("\u{7}\u{8}\u{7F}", ""), ("a\u{2028}b", "ab"),
    ]) func printable(_ text: String, _ shown: String)
  {
    #expect(CommandLineText.printable(text) == shown)
  }
}
