/// A line being typed on a terminal in raw mode.
struct LineEditor {
  private var bytes: [UInt8] = []
  private var escape = Escape.none

  /// The state within a sequence of an arrow or function key (ECMA-48, sections 5.3 and 5.4).
  private enum Escape {
    case none
    case begun
    /// After CSI: parameters follow, and a letter or ~ at the end.
    case control
    /// After SS3: one character follows.
    case single

    init(introducer: UInt8) {
      self =
        switch introducer {
        case UInt8(ascii: "["): .control
        case UInt8(ascii: "O"): .single
        default: .none
        }
    }
  }

  /// The text that is typed so far.
  var text: String { CommandLineText.printable(String(decoding: bytes, as: UTF8.self)) }

  /// Takes keys; gives the lines that were finished.
  mutating func add(_ keys: [UInt8]) -> [String] {
    var lines: [String] = []
    for key in keys {
      switch escape {
      case .none: break
      case .begun:
        escape = Escape(introducer: key)
        if escape != .none { continue }
      case .control where (0x20...0x3F).contains(key): continue
      case .control, .single:
        // Its last byte; a control character is none, but breaks it off.
        escape = .none
        if (0x40...0x7E).contains(key) { continue }
      }
      switch key {
      case 0x1B: escape = .begun
      case 10, 13:
        lines.append(text)
        bytes = []
      case 8, 127: removeCharacter()
      case 21: bytes = []
      case 0..<32: break
      default: if bytes.count < 16_000 { bytes.append(key) }
      }
    }
    // A terminal sends a key's sequence at once: Esc as the last byte is the key of that name, and what comes next is
    // typed.
    if escape == .begun { escape = .none }
    return lines
  }

  private mutating func removeCharacter() {
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
  }
}
