/// A line being typed on a terminal in raw mode.
struct LineEditor {
  private var bytes: [UInt8] = []
  private var isEscape = false

  /// What is typed so far.
  var text: String { CommandLineText.printable(String(decoding: bytes, as: UTF8.self)) }

  /// Takes keys; gives the lines that were finished.
  mutating func add(_ keys: [UInt8]) -> [String] {
    var lines: [String] = []
    for key in keys {
      if isEscape {
        // Arrow and function keys: letters and ~ end their sequence.
        if (0x40...0x7E).contains(key), key != UInt8(ascii: "["), key != UInt8(ascii: "O") { isEscape = false }
        continue
      }
      switch key {
      case 0x1B: isEscape = true
      case 10, 13:
        lines.append(text)
        bytes = []
      case 8, 127: removeCharacter()
      case 21: bytes = []
      case 0..<32: break
      default: if bytes.count < 16_000 { bytes.append(key) }
      }
    }
    return lines
  }

  private mutating func removeCharacter() {
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
  }
}
