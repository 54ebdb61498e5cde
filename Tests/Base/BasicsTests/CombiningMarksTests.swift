import Basics
import Testing

@Suite("Combining marks")
struct CombiningMarksTests {
  @Test("128 marks in a row are text, and one more isn't, whatever their plane")
  func bound() {
    for mark in ["\u{301}", "\u{316}\u{300}", "\u{1D165}", "\u{5B0}"] {
      let run = String(repeating: mark, count: 128 / mark.unicodeScalars.count)
      #expect(CombiningMarks.areBounded(in: run) && CombiningMarks.areBounded(in: "a\(run)b\(run)c"))
      #expect(!CombiningMarks.areBounded(in: "\(run)\u{300}") && !CombiningMarks.areBounded(in: "ab\(run)\u{300}c"))
    }
    #expect(
      CombiningMarks.areBounded(in: "") && CombiningMarks.areBounded(in: String(repeating: "各😀e\u{301}", count: 10_000))
    )
  }
}
