import FoundationEssentials

/// One line of a command's `--json` output: an object with its keys in the order given.
struct JSONLine: ExpressibleByDictionaryLiteral {
  typealias Key = String
  typealias Value = JSONValue

  private(set) var pairs: [(String, Value)]

  init(dictionaryLiteral elements: (String, Value)...) { pairs = elements }

  /// Adds a key at the end.
  mutating func add(_ key: String, _ value: Value) { pairs.append((key, value)) }

  /// The object in one line, without a line end.
  var text: String { "{" + pairs.map { Value.text($0).written + ":" + $1.written }.joined(separator: ",") + "}" }

  /// The line in place of lines that weren't read in time.
  static let droppedNotice: @Sendable (Int) -> String = { count in
    let line: JSONLine = ["event": "outputDropped", "lines": .integer(count)]
    return line.text + "\n"
  }

  /// Prints the line at once.
  func print() { CommandLineText.say(text + "\n") }
}

/// A value of a ``JSONLine``.
indirect enum JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
  case text(String)
  case integer(Int)
  case number(Double)
  case truth(Bool)
  case list([JSONValue])
  case object(JSONLine)
  case null

  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(booleanLiteral value: Bool) { self = .truth(value) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(nilLiteral: ()) { self = .null }
  /// A number, or null where there is none.
  init(_ value: Double?) { self = value.map { .number($0) } ?? .null }
  /// A text, or null where there is none.
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }

  var written: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .integer(let number): String(number)
    case .number(let number): number.isFinite ? String((number * 1_000).rounded() / 1_000) : "null"
    case .truth(let truth): truth ? "true" : "false"
    case .list(let values): "[" + values.map(\.written).joined(separator: ",") + "]"
    case .object(let object): object.text
    case .null: "null"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // The control characters of both sets, since JSON lines are looked at on terminals too.
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        let hex = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
