/// The values that an option takes.
public indirect enum OptionKind: Sendable, Equatable {
  /// None: the option is given or not.
  case flag
  /// Yes or no; the option alone means yes.
  case toggle
  case truth
  /// A whole number, with what stands for it in the help text.
  case number(ClosedRange<Int>, String = "N")
  /// A span of time, see ``seconds(_:)``.
  case time(String = "TIME")
  /// One of these words; `anyCase` takes their letters in any case, `named` stands for many of them in the help text.
  case choice([String], anyCase: Bool = false, named: String? = nil)
  case file
  case folder
  /// Any text, with what stands for it in the help text.
  case text(String)
  /// A value of another kind, or a word such as `none`.
  case either(OptionKind, String)

  /// The name of the value in the help text; nil for a flag.
  public var placeholder: String? {
    switch self {
    case .flag: nil
    case .toggle: "[yes|no]"
    case .truth: "yes|no"
    case .number(_, let name), .time(let name), .text(let name): name
    case .choice(let words, _, let name): name ?? words.joined(separator: "|")
    case .file: "FILE"
    case .folder: "DIR"
    case .either(let kind, let word): "\(kind.placeholder ?? "")|\(word)"
    }
  }

  /// Whether `text` is such a value.
  public func accepts(_ text: String) -> Bool {
    switch self {
    case .flag: text.isEmpty
    case .toggle, .truth: Self.truth(text) != nil
    case .number(let range, _): Int(text).map(range.contains) ?? false
    case .time: Self.seconds(text) != nil
    case .choice(let words, let anyCase, _):
      words.contains { $0 == text || (anyCase && $0.lowercased() == text.lowercased()) }
    case .file, .folder: !text.isEmpty
    case .text: true
    case .either(let kind, let word): text == word || kind.accepts(text)
    }
  }

  /// The values in words, for errors.
  public var expectation: String {
    switch self {
    case .flag: "no value"
    case .toggle, .truth: "yes or no"
    case .number(let range, _): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .time: "a time like 30, 30s or 5m, of at most 10000000 seconds (115 days)"
    case .choice(let words, _, _): Self.list(words)
    case .file: "a file"
    case .folder: "a folder"
    case .text(let name): name
    case .either(.number(let range, _), let word):
      "\(word) or a number from \(range.lowerBound) to \(range.upperBound)"
    case .either(let kind, let word): "\(word) or \(kind.expectation)"
    }
  }

  /// The values in Markdown, for the reference.
  public var markdown: String {
    switch self {
    case .flag: ""
    case .toggle, .truth: "`yes`, `no`"
    case .number(let range, _): "\(range.lowerBound) to \(range.upperBound)"
    case .time: "a time"
    case .choice(let words, _, _): words.map { "`\($0)`" }.joined(separator: ", ")
    case .file: "a file"
    case .folder: "a folder"
    case .text(let name): "`\(name)`"
    case .either(let kind, let word): "\(kind.markdown), `\(word)`"
    }
  }

  /// The values that the placeholder leaves out: the bounds of a number, or the words.
  var valuesText: String? {
    switch self {
    case .number(let range, _): "\(range.lowerBound) to \(range.upperBound)"
    case .choice(let words, _, .some): words.joined(separator: ", ")
    case .either(let kind, _): kind.valuesText
    case .flag, .toggle, .truth, .time, .choice, .file, .folder, .text: nil
    }
  }

  /// Yes or no, in the words that both have.
  public static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "1", "on": true
    case "no", "false", "0", "off": false
    default: nil
    }
  }

  /// The longest span of time, in seconds: 115 days, far below what a sleep's nanoseconds can count.
  private static let longest = 1e7

  /// The seconds of `10` or `2.5`, also with a unit: `500ms`, `10s`, `5m`, `1h`.
  public static func seconds(_ text: String) -> Double? {
    let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("", 1)]
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    // `Double` reads hexadecimal numbers as well, but hardly anybody means them.
    guard !text.lowercased().contains("x"), let value = Double(text.dropLast(unit.count)), value.isFinite, value >= 0,
      value * factor <= longest
    else { return nil }
    return value * factor
  }

  private static func list(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
