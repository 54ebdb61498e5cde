/// A configuration file: lines of `key = value`, whose keys are names of options.
public enum ConfigurationFile {
  /// The options that the lines give, in their order. Lines may end as on Windows.
  ///
  /// - Parameter name: The file's name, for errors.
  public static func options(_ text: String, name: String, declared: [Option]) throws(OptionError) -> [GivenOption] {
    var given: [GivenOption] = []
    // Both characters of a line end of Windows are one `Character`, which isn't "\n".
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = trimmed(line)
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let equals = line.firstIndex(of: "=") else {
        throw OptionError(.malformedLine(file: name, line: number + 1))
      }
      let key = String(trimmed(line[..<equals]))
      var value = trimmed(line[line.index(after: equals)...])
      if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
      guard let option = declared.first(where: { $0.name == key && $0.isKey }) else {
        throw OptionError(.unknown(key, nearest: NearestName.find(key, among: declared.filter(\.isKey).map(\.name))))
      }
      try option.check(String(value))
      given.append(GivenOption(name: key, value: String(value)))
    }
    return given
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var part = text
    while let first = part.first, first.isWhitespace { part = part.dropFirst() }
    while let last = part.last, last.isWhitespace { part = part.dropLast() }
    return part
  }
}

extension [Option] {
  /// The values of environment variables, in the order of the declarations.
  public func given(in environment: [String: String]) throws(OptionError) -> [GivenOption] {
    var given: [GivenOption] = []
    for option in self {
      guard let variable = option.variable, let value = environment[variable] else { continue }
      try option.check(value)
      given.append(GivenOption(name: option.name, value: value))
    }
    return given
  }

  /// `given` with the values of each list option that was given several times joined by commas.
  public func joined(_ given: [GivenOption]) -> [GivenOption] {
    var out: [GivenOption] = []
    for value in given {
      let isList = contains { $0.name == value.name && $0.repetition == .adds }
      if isList, let index = out.firstIndex(where: { $0.name == value.name }) {
        out[index].value += "," + value.value
      } else {
        out.append(value)
      }
    }
    return out
  }
}
