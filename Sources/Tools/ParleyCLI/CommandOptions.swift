/// The options of one command, read from its arguments: `--name value`, `--name=value`, and switches without a value. What is not an
/// option is an operand.
struct CommandOptions {
  /// One option of a command.
  struct Option {
    /// The name without the dashes.
    var name: String
    /// What the value is, for the help text; nil for a switch.
    var value: String?
    /// What it does, one sentence without a full stop.
    var help: String
    /// Whether it may be given more than once.
    var repeats = false

    init(_ name: String, _ value: String? = nil, _ help: String, repeats: Bool = false) {
      self.name = name
      self.value = value
      self.help = help
      self.repeats = repeats
    }
  }

  /// What is wrong with the arguments, in words.
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Reads `arguments` by `table`.
  init(_ arguments: [String], table: [Option]) throws(Problem) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--"), argument.count > 2 else {
        if argument.hasPrefix("-"), argument.count > 1 {
          throw Problem(description: "The option \(argument) is not known; --help lists them all.")
        }
        operands.append(argument)
        continue
      }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = table.first(where: { $0.name == name }) else {
        throw Problem(description: "The option --\(name) is not known; --help lists them all.")
      }
      guard values[name] == nil || option.repeats else {
        throw Problem(description: "The option --\(name) was given twice.")
      }
      if option.value == nil {
        guard parts.count == 1 else { throw Problem(description: "The option --\(name) takes no value.") }
        values[name, default: []].append("")
      } else if parts.count == 2 {
        values[name, default: []].append(String(parts[1]))
      } else if let value = rest.popFirst() {
        values[name, default: []].append(value)
      } else {
        throw Problem(description: "The option --\(name) needs a value: \(option.value ?? "").")
      }
    }
  }

  /// Whether a switch was given.
  func has(_ name: String) -> Bool { values[name] != nil }
  /// The value of an option.
  subscript(name: String) -> String? { values[name]?.last }
  /// Every value of an option.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// What was asked for, for the audit log: the names of the options, and of those the values that are numbers or words and nobody's secret.
  var given: String {
    let spelled: Set = ["access-level", "capacity", "enabled", "sign-in", "token-expiry"]
    return values.filter { $0.key != "json" && $0.key != "data" }.sorted { $0.key < $1.key }.map { name, list in
      spelled.contains(name) ? "\(name) \(list.joined(separator: " ").prefix(40))" : name
    }.joined(separator: ", ")
  }

  /// A whole number within `range`.
  func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Problem(
        description: "--\(name) \(text): a whole number from \(range.lowerBound) to \(range.upperBound) is expected.")
    }
    return number
  }

  /// The longest span of time that an option takes, in seconds: 115 days, far below what a sleep's nanoseconds can count.
  private static let longest = 1e7

  /// A span of time in seconds, `10` or `2.5`, also with a unit: `500ms`, `10s`, `5m`, `1h`.
  func seconds(_ name: String) throws(Problem) -> Double? {
    guard let text = self[name] else { return nil }
    let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("", 1)]
    for (unit, factor) in units where text.hasSuffix(unit) {
      // Hexadecimal numbers are numbers too for Double, but hardly what somebody meant.
      if !text.lowercased().contains("x"), let value = Double(text.dropLast(unit.count)), value.isFinite, value >= 0 {
        guard value * factor <= Self.longest else {
          throw Problem(description: "--\(name) \(text): at most 10000000 seconds (115 days) are possible.")
        }
        return value * factor
      }
      if !unit.isEmpty { break }
    }
    throw Problem(description: "--\(name) \(text): a time like 30, 30s or 5m is expected.")
  }

  /// The help text's list of options.
  static func help(_ table: [Option]) -> String {
    let heads = table.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") } + ["--help, -h"]
    let width = (heads.map(\.count).max() ?? 0) + 2
    let texts = table.map(\.help) + ["this text"]
    return zip(heads, texts).map { head, text in
      "  " + head + String(repeating: " ", count: width - head.count) + text
    }.joined(separator: "\n")
  }
}
