import FoundationEssentials
import Options

/// The options and operands of one command, read from its arguments by their declarations.
struct CommandOptions {
  typealias Option = Options.Option

  /// The error in the arguments, in words.
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  let operands: [String]
  private let values: [String: [String]]
  /// The values of options that aren't given: of variables, or else of the declarations.
  private let defaults: [String: String]

  /// Reads `arguments` by `table`; `command` is named in errors.
  init(
    _ arguments: [String], table: [Option], command: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(Problem) {
    do throws(OptionError) {
      let read = try Arguments(arguments, options: table, command: command)
      operands = read.operands
      values = Dictionary(grouping: read.options, by: \.name).mapValues { $0.map(\.value) }
      let variables = try table.given(in: environment).map { ($0.name, $0.value) }
      let declared = table.compactMap { option in option.defaultValue.map { (option.name, $0) } }
      defaults = Dictionary(variables + declared, uniquingKeysWith: { variable, _ in variable })
    } catch {
      throw Problem(description: error.description)
    }
  }

  /// Whether an option was given.
  func has(_ name: String) -> Bool { values[name] != nil }
  /// The value of an option: the last one that was given, or else its variable's or its default.
  subscript(name: String) -> String? { values[name]?.last ?? defaults[name] }
  /// Every value that was given of an option.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The request, for the audit log: the names of the options, and of those the values that are numbers or words and
  /// nobody's secret.
  var given: String {
    let spelled: Set = ["access-level", "capacity", "enabled", "encryption", "sign-in", "token-expiry"]
    return values.filter { $0.key != "json" && $0.key != "data" }.sorted { $0.key < $1.key }.map { name, list in
      spelled.contains(name) ? "\(name) \(list.joined(separator: " ").prefix(40))" : name
    }.joined(separator: ", ")
  }

  /// A whole number; nil where neither an argument nor the declaration gives one, and for words such as `none`.
  func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// A whole number that the declaration gives where no argument does.
  func count(_ name: String) -> Int { number(name) ?? 0 }

  /// A span of time in seconds; nil as with ``number(_:)``.
  func seconds(_ name: String) -> Double? { self[name].flatMap(OptionKind.seconds) }

  /// Yes or no; nil when it isn't given.
  func truth(_ name: String) -> Bool? { self[name].flatMap(OptionKind.truth) }

  /// A whole number, or `none`: nil when the option is absent, `.some(nil)` for none.
  func limit(_ name: String) -> Int?? { self[name] == "none" ? .some(nil) : number(name).map { .some($0) } }

  /// The one operand that a command takes.
  func operand(_ what: String) throws(Problem) -> String {
    guard operands.count == 1, let word = operands.first else {
      throw Problem(description: operands.isEmpty ? "\(what) is expected." : "Only one operand is expected: \(what).")
    }
    return word
  }

  /// For commands that take no operand.
  func requireNoOperands() throws(Problem) {
    if let word = operands.first { throw Problem(description: "\"\(word)\" was not expected; --help shows what is.") }
  }
}

extension Option {
  /// Has the command print JSON.
  static let json = Option("json", "print JSON objects instead of words")
  /// Names the tenant whose meetings, tokens or people are meant.
  static func tenant(_ summary: String, otherwise: String = "the default tenant") -> Option {
    Option("tenant", .text("NAME"), otherwise: otherwise, summary)
  }
  /// The most entries that a command lists, which `range` bounds.
  static func limit(_ most: Int = 100, of range: ClosedRange<Int> = 1...1_000_000) -> Option {
    Option("limit", .number(range), default: String(most), "the most that are listed")
  }
}
