import Basics
import Testing

@Suite("Scan of JSON texts")
struct JSONScanTests {
  private func problem(_ bytes: [UInt8], depth: Int = 4) -> JSONScan.Problem? {
    do throws(JSONScan.Problem) {
      try JSONScan.check(bytes, maximumDepth: depth)
      return nil
    } catch {
      return error
    }
  }

  private func problem(_ text: String) -> JSONScan.Problem? { problem(Array(text.utf8)) }

  @Test("ordinary texts pass")
  func ordinary() {
    for text in [#"{"a":[1,{"b":"c\n\"]}"}],"c":null}"#, #"["a","a"]"#, #"[{"a":1},{"a":2}]"#, "1", #""\ud83d\ude00""#]
    {
      #expect(problem(text) == nil, "\(text)")
    }
  }

  @Test("a text may be nested as deep as allowed and no deeper")
  func depth() {
    #expect(problem("[[[[]]]]") == nil)
    #expect(problem("[[[[[]]]]]") == .tooDeep)
    #expect(problem(#"{"a":{"b":{"c":{"d":{}}}}}"#) == .tooDeep)
  }

  @Test("a key that is there twice is found, however it is written")
  func duplicates() {
    #expect(problem(#"{"a":1,"b":2,"a":3}"#) == .duplicateKey("a"))
    #expect(problem(#"{"a":1,"\u0061":3}"#) == .duplicateKey("a"))
    #expect(problem(#"{"x":{"a":1},"a":[{"a":1}]}"#) == nil)
  }

  @Test("texts that a lenient decoder would read differently are refused")
  func encodings() {
    #expect(problem([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) != nil)
    #expect(problem([0x7B, 0, 0x7D, 0]) != nil)
    #expect(problem([0x22, 0xFF, 0x22]) != nil)
    for text in [#"{"a""#, "]", #""\ud83d""#, #""\u12"#, #""\u+123""#] { #expect(problem(text) != nil, "\(text)") }
  }

  @Test("an endless run of combining marks is refused before anything compares it")
  func marks() {
    let run = String(repeating: "\u{301}", count: CombiningMarks.longestRun)
    #expect(problem("\"a\(run)\"") == nil)
    #expect(problem("\"a\(run)\u{301}\"") == .combiningMarks)
  }
}
