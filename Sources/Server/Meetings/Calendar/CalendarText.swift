/// Writes the lines of a calendar file (RFC 5545): escaped, folded at 75 bytes, ended by CR LF.
struct CalendarText {
  private(set) var bytes: [UInt8] = []

  /// A property whose value is written as it is.
  mutating func add(_ name: String, _ value: String) {
    // No text of anybody's may end a line: what follows would be a property of theirs.
    let line = (name + ":" + value).unicodeScalars.filter { $0.value >= 32 && $0.value != 127 || $0 == "\t" }
    var width = 0
    for scalar in line {
      let encoded = Array(String(Character(scalar)).utf8)
      // A character is never cut: 75 bytes with the blank that a continued line begins with.
      if width + encoded.count > 75 {
        bytes += [13, 10, 32]
        width = 1
      }
      bytes += encoded
      width += encoded.count
    }
    bytes += [13, 10]
  }

  /// A property whose value is text for people.
  mutating func add(_ name: String, text: String) { add(name, Self.escaped(text)) }

  /// Text as the value of a property (section 3.3.11).
  static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": out += "\\\\"
      case ";": out += "\\;"
      case ",": out += "\\,"
      case "\n", "\u{2028}", "\u{2029}": out += "\\n"
      case "\r": break
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// Text as the value of a parameter, in quotes. The signs that end one are written as RFC 6868 says.
  static func parameter(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "^": out += "^^"
      case "\"": out += "^'"
      case "\n": out += "^n"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  /// A time in UTC.
  static func utc(_ seconds: Int) -> String { CivilTime(seconds: seconds).calendarText + "Z" }
}
