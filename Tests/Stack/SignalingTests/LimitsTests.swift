import Signaling
import Testing

@Suite("Limits on messages")
struct LimitsTests {
  private func decode(_ text: String) throws(SignalingError) -> ClientMessage {
    try SignalingDecoder().clientMessage(from: Array(text.utf8))
  }

  @Test("threat 27: a message of more than 256 KiB is refused before it is parsed")
  func size() {
    let text = #"{"type":"chat","text":""# + String(repeating: "a", count: SignalingLimits.maximumBytes) + #""}"#
    #expect(throws: SignalingError.tooLarge(bytes: text.utf8.count)) { try decode(text) }
    #expect(SignalingError.tooLarge(bytes: 1).code == .tooLarge)
    #expect(throws: SignalingError.tooLarge(bytes: 262_145)) {
      try SignalingDecoder().clientMessage(from: [UInt8](repeating: 0x20, count: 262_145))
    }
  }

  @Test("threat 27: nesting of 16 levels is read, 17 or 100,000 refused, not by recursion")
  func depth() throws {
    func nested(_ levels: Int) -> String {
      #"{"type":"leave","x":"# + String(repeating: "[", count: levels - 1)
        + String(repeating: "]", count: levels - 1) + "}"
    }
    #expect(try decode(nested(16)) == .leave)
    #expect(throws: SignalingError.tooDeep) { try decode(nested(17)) }
    #expect(throws: SignalingError.tooDeep) { try decode(nested(100_000)) }
  }

  @Test(
    "threat 27: a key that appears twice is refused, in any spelling and place",
    arguments: [
      #"{"type":"leave","type":"chat"}"#,
      #"{"type":"leave","\u0074ype":"chat"}"#,
      #"{"type":"leave","x":{"a":1,"b":{},"a":2}}"#,
      #"{"type":"leave","x":[{"a":1},{"a":1,"a":1}]}"#,
      #"{"type":"leave","😀":1,"\ud83d\ude00":2}"#,
      "{\"type\":\"leave\",\"\u{e9}\":1,\"e\u{301}\":2}",
      // Kelvin, which is the letter K to whoever compares texts.
      "{\"type\":\"leave\",\"K\":1,\"\u{212a}\":2}", "{\"type\":\"leave\",\"\u{212a}\":1,\"K\":2}",
      // Long objects.
      "{\"type\":\"leave\",\((0..<40).map { "\"k\($0)\":{\"k0\":1}," }.joined())\"k3\":2}",
      "{\"type\":\"leave\",\((0..<40).map { "\"k\($0)\":1," }.joined())\"k39\":2}",
      "{\"type\":\"leave\",\((0..<40).map { "\"k\($0)\":1," }.joined())\"\\u006b3\":2}",
    ])
  func duplicateKeys(_ text: String) {
    #expect { try decode(text) } throws: { error in
      guard case .duplicateKey = error as? SignalingError else { return false }
      return true
    }
  }

  @Test("the same key in different objects, and keys as values, are no duplicates")
  func noFalseDuplicates() throws {
    #expect(
      try decode(#"{"type":"leave","a":{"type":1},"b":[{"type":1},{"type":2}],"c":"type","d":["type","type"]}"#)
        == .leave)
    #expect(try decode(#"{"type":"leave","a":"\",\"type\":\"x"}"#) == .leave)
  }

  @Test("threat 27: endless combining marks are refused before anything compares them")
  func endlessMarks() throws {
    let (plain, escaped) = ("\u{300}\u{316}", #"\u0300\u0316"#)
    for marks in [plain, escaped] {
      let (most, more) = (String(repeating: marks, count: 64), String(repeating: marks, count: 20_000))
      #expect(try decode(#"{"type":"leave","\#(most)":"\#(most)"}"#) == .leave)
      for text in [#"{"type":"leave","\#(more)":1}"#, #"{"type":"\#(more)"}"#, #"{"type":"leave","x":["\#(more)"]}"#] {
        #expect(throws: SignalingError.badMessage("a text has more than 128 combining marks in a row")) {
          try decode(text)
        }
      }
    }
  }

  @Test("threat 27: other encodings than UTF-8 cannot hide keys from the scan")
  func encodings() {
    let text = #"{"type":"leave","type":"chat"}"#
    let utf16 = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for bytes in [utf16, [0xFF, 0xFE] + utf16, [0xEF, 0xBB, 0xBF] + Array(text.utf8), [0x22, 0xC0, 0xAF, 0x22]] {
      #expect { try SignalingDecoder().clientMessage(from: bytes) } throws: { error in
        guard case .notJSON = error as? SignalingError else { return false }
        return true
      }
    }
  }
}
