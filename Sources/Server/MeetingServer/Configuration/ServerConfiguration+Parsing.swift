import Basics
import FoundationEssentials
import Glibc

extension ServerConfiguration {
  /// Cores that this process may run on; at least 1.
  public static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Settings from the words after `serve` and the environment. Flags win over variables, and variables over the file
  /// that `--config` (or `PARLEY_CONFIG`) names.
  ///
  /// - Parameters:
  ///   - arguments: `--name value` or `--name=value`.
  ///   - environment: Variables; only those that start with `PARLEY_` are looked at.
  /// - Throws: ``ConfigurationError``, in words for the operator.
  public static func parse(
    arguments: [String], environment: [String: String]
  ) throws(ConfigurationError) -> ServerConfiguration {
    try settings(arguments: arguments, environment: environment).configuration
  }

  /// As ``parse(arguments:environment:)``, with what was given for each option.
  public static func settings(
    arguments: [String], environment: [String: String]
  ) throws(ConfigurationError) -> ServerSettings {
    let flags = try flags(in: arguments)
    var configuration = ServerConfiguration()
    var values: [String: Secret<String>] = [:]
    if let file = flags.last(where: { $0.name == "config" })?.value ?? environment["PARLEY_CONFIG"] {
      for (name, value) in joined(try settings(inFile: file)) {
        try configuration.set(name, to: value)
        values[name] = Secret(value)
      }
    }
    for option in ServerOption.all {
      if let value = environment[option.variable] {
        try option.apply(&configuration, value)
        values[option.name] = Secret(value)
      }
    }
    for (name, value) in joined(flags) where name != "config" {
      try configuration.set(name, to: value)
      values[name] = Secret(value)
    }
    if case .files(let certificate, let key) = configuration.tls, certificate.isEmpty || key.isEmpty {
      throw .incompleteTLS
    }
    if configuration.iceServers.hasTURN && configuration.iceServers.credentials == .none {
      throw .missingTURNCredentials
    }
    return ServerSettings(configuration: configuration, values: values)
  }

  /// The list of options for `parley serve --help`.
  public static var help: String {
    var rows = ServerOption.all.map { ("--\($0.name) \($0.placeholder)", $0.help) }
    rows.append(("--config FILE", "a file of 'name = value' lines with these names, without dashes"))
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }.joined(separator: "\n")
  }

  /// Settings in which the values of a list option that was given several times are one.
  private static func joined(_ settings: [(name: String, value: String)]) -> [(name: String, value: String)] {
    var out: [(name: String, value: String)] = []
    for (name, value) in settings {
      let isList = ServerOption.all.contains { $0.name == name && $0.isList }
      if isList, let index = out.firstIndex(where: { $0.name == name }) {
        out[index].value += "," + value
      } else {
        out.append((name, value))
      }
    }
    return out
  }

  private mutating func set(_ name: String, to value: String) throws(ConfigurationError) {
    guard let option = ServerOption.all.first(where: { $0.name == name }) else {
      throw .unknownOption(name, suggestion: Self.suggestion(for: name))
    }
    try option.apply(&self, value)
  }

  private static func flags(in arguments: [String]) throws(ConfigurationError) -> [(name: String, value: String)] {
    var flags: [(name: String, value: String)] = []
    var index = 0
    while index < arguments.count {
      let word = arguments[index]
      index += 1
      guard word.hasPrefix("--"), word.count > 2 else { throw .unexpectedArgument(word) }
      let body = word.dropFirst(2)
      if let equals = body.firstIndex(of: "=") {
        flags.append((String(body[..<equals]), String(body[body.index(after: equals)...])))
        continue
      }
      let name = String(body)
      guard name == "config" || ServerOption.all.contains(where: { $0.name == name }) else {
        throw .unknownOption("--" + name, suggestion: suggestion(for: name).map { "--" + $0 })
      }
      let isSwitch = ServerOption.all.contains { $0.name == name && $0.isSwitch }
      if isSwitch, index == arguments.count || arguments[index].hasPrefix("--") {
        flags.append((name, "yes"))
        continue
      }
      guard index < arguments.count else { throw .missingValue(option: name) }
      flags.append((name, arguments[index]))
      index += 1
    }
    return flags
  }

  private static func settings(inFile file: String) throws(ConfigurationError) -> [(name: String, value: String)] {
    let text: String
    do {
      let data = try Data(contentsOf: URL(filePath: file))
      guard data.count <= 1 << 20 else {
        throw ConfigurationError.unreadableFile(file, reason: "it is larger than 1 MiB")
      }
      text = String(decoding: data, as: UTF8.self)
    } catch let error as ConfigurationError {
      throw error
    } catch {
      throw .unreadableFile(file, reason: "no such file, or no right to read it")
    }
    var settings: [(name: String, value: String)] = []
    // Lines may end as on Windows: there both characters of an end are one `Character`, which is no "\n".
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = line.trimming(while: \.isWhitespace)
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let equals = line.firstIndex(of: "=") else { throw .malformedLine(file: file, line: number + 1) }
      let name = line[..<equals].trimming(while: \.isWhitespace)
      var value = line[line.index(after: equals)...].trimming(while: \.isWhitespace)
      if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
      settings.append((String(name), String(value)))
    }
    return settings
  }

  /// The option that is at most two typing errors away.
  private static func suggestion(for name: String) -> String? {
    let candidates = ServerOption.all.map { ($0.name, distance(name, $0.name)) }
    return candidates.filter { $0.1 <= 2 }.min { $0.1 < $1.1 }?.0
  }

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

extension Substring {
  fileprivate func trimming(while predicate: (Character) -> Bool) -> Substring {
    var part = self[...]
    while let first = part.first, predicate(first) { part = part.dropFirst() }
    while let last = part.last, predicate(last) { part = part.dropLast() }
    return part
  }
}
