/// Why the settings of `parley serve` cannot be used. Its description is meant for the operator.
public enum ConfigurationError: Error, Equatable, CustomStringConvertible {
  /// A flag, key or variable that does not exist.
  case unknownOption(String, suggestion: String?)
  /// A flag at the end without its value.
  case missingValue(option: String)
  /// A word that is no flag.
  case unexpectedArgument(String)
  /// A value of the wrong form.
  case wrongValue(option: String, value: String, expected: String)
  /// `--tls-cert` without `--tls-key`, or the other way round.
  case incompleteTLS
  /// A TURN server without `--turn-secret` and `--turn-user`.
  case missingTURNCredentials
  /// The configuration file cannot be read.
  case unreadableFile(String, reason: String)
  /// A line of the configuration file is not `key = value`.
  case malformedLine(file: String, line: Int)

  /// What happened, what was expected, and what to do.
  public var description: String {
    switch self {
    case .unknownOption(let name, let suggestion):
      "there is no option '\(name)'." + (suggestion.map { " Did you mean '\($0)'?" } ?? "")
        + " 'parley serve --help' lists them all."
    case .missingValue(let option): "--\(option) needs a value. 'parley serve --help' shows which."
    case .unexpectedArgument(let word):
      "'\(word)' was not expected: options start with '--'. 'parley serve --help' lists them all."
    case .wrongValue(let option, let value, let expected): "--\(option) cannot be '\(value)': expected \(expected)."
    case .incompleteTLS: "--tls-cert and --tls-key go together: give both files, or '--tls self-signed'."
    case .missingTURNCredentials:
      "--ice-server lists a TURN server, which needs --turn-secret (coturn: use-auth-secret) or --turn-user USER:PASSWORD."
    case .unreadableFile(let file, let reason): "the configuration file '\(file)' cannot be read: \(reason)."
    case .malformedLine(let file, let line): "\(file):\(line): expected 'key = value', such as 'port = 8080'."
    }
  }
}
