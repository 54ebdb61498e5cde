/// Why options cannot be read. The description is for the person at the command line.
public struct OptionError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Reason: Sendable, Equatable {
    /// An option that isn't declared, as it was written, with the one that was probably meant.
    case unknown(String, nearest: String?)
    case missingValue(option: String, placeholder: String)
    case valueNotTaken(option: String)
    case givenTwice(option: String)
    /// A word that isn't an option, for a command without operands.
    case unexpected(String)
    case wrongValue(option: String, value: String, expected: String)
    /// A line of a configuration file isn't `key = value`.
    case malformedLine(file: String, line: Int)
  }

  public var reason: Reason
  /// The command, such as `parley serve`, whose help lists the options.
  public var command: String?

  public init(_ reason: Reason, command: String? = nil) {
    self.reason = reason
    self.command = command
  }

  /// The problem, the values that were expected, and the help that lists them.
  public var description: String {
    let help = command.map { "'\($0) --help'" } ?? "--help"
    switch reason {
    case .unknown(let name, let nearest):
      let form = name.allSatisfy { $0 == "-" } ? ": options start with '--' and have a name" : ""
      return "The option \(name) is not known\(form)." + (nearest.map { " Did you mean '\($0)'?" } ?? "")
        + " \(help) lists them all."
    case .missingValue(let option, let placeholder):
      return "The option --\(option) needs a value: \(placeholder). \(help) says more."
    case .valueNotTaken(let option): return "The option --\(option) takes no value."
    case .givenTwice(let option): return "The option --\(option) was given twice."
    case .unexpected(let word):
      return "'\(word)' was not expected: options start with '--'. \(help) lists them all."
    case .wrongValue(let option, let value, let expected):
      return "--\(option) cannot be '\(value)': expected \(expected)."
    case .malformedLine(let file, let line): return "\(file):\(line): expected 'key = value', such as 'port = 8080'."
    }
  }
}

/// Finds the name that somebody probably meant.
public enum NearestName {
  /// The name that is at most two typing errors away, or else the only one that begins so.
  public static func find(_ word: String, among names: [String]) -> String? {
    let near = names.map { ($0, distance(word, $0)) }.filter { $0.1 <= min(2, word.utf8.count - 1) }
    if let best = near.min(by: { $0.1 < $1.1 }) { return best.0 }
    let longer = names.filter { $0.hasPrefix(word) }
    return word.utf8.count > 1 && longer.count == 1 ? longer.first : nil
  }

  /// How many letters have to be changed, added or left out.
  private static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.utf8.prefix(40)), Array(b.utf8))
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let cost = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = cost
      }
    }
    return row[b.count]
  }
}
