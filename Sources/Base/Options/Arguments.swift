/// The words after a command, read by the declarations of its options: `--name value`, `--name=value`, flags without a
/// value, and operands.
public struct Arguments: Sendable {
  /// The options in the order in which they were given.
  public private(set) var options: [GivenOption] = []
  public private(set) var operands: [String] = []

  /// - Parameters:
  ///   - declared: The options of the command.
  ///   - takesOperands: Whether words that aren't options are operands.
  ///   - command: The command, for errors.
  public init(
    _ words: [String], options declared: [Option], takesOperands: Bool = true, command: String? = nil
  ) throws(OptionError) {
    var rest = words[...]
    do throws(OptionError) {
      while let word = rest.popFirst() {
        if word.hasPrefix("-"), word.count > 1 {
          try read(word, &rest, declared)
        } else if takesOperands {
          operands.append(word)
        } else {
          throw OptionError(.unexpected(word))
        }
      }
    } catch {
      throw OptionError(error.reason, command: command)
    }
  }

  private mutating func read(
    _ word: String, _ rest: inout ArraySlice<String>, _ declared: [Option]
  ) throws(OptionError) {
    let body = word.hasPrefix("--") ? word.dropFirst(2) : ""
    let parts = body.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    guard let option = declared.first(where: { $0.name == name }) else {
      let nearest = NearestName.find(name, among: declared.map(\.name))
      throw OptionError(.unknown(name.isEmpty ? word : "--\(name)", nearest: nearest.map { "--\($0)" }))
    }
    guard option.repetition != .refused || !options.contains(where: { $0.name == name }) else {
      throw OptionError(.givenTwice(option: name))
    }
    options.append(GivenOption(name: name, value: try value(of: option, parts.dropFirst().first, &rest)))
  }

  private func value(
    of option: Option, _ attached: Substring?, _ rest: inout ArraySlice<String>
  ) throws(OptionError) -> String {
    if option.kind == .flag {
      guard attached == nil else { throw OptionError(.valueNotTaken(option: option.name)) }
      return ""
    }
    var value = attached.map(String.init)
    if value == nil {
      if option.kind == .toggle, rest.first?.hasPrefix("--") ?? true { return "yes" }
      value = rest.popFirst()
    }
    guard let value else {
      throw OptionError(.missingValue(option: option.name, placeholder: option.kind.placeholder ?? ""))
    }
    try option.check(value)
    return value
  }
}
