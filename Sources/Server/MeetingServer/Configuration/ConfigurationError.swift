public import Options

/// Why the settings of `parley serve` cannot be used. Its description is meant for the operator.
public enum ConfigurationError: Error, Equatable, CustomStringConvertible {
  /// An option, a key or a variable is wrong.
  case option(OptionError)
  /// `--tls-cert` without `--tls-key`, or the other way round.
  case incompleteTLS
  /// A TURN server without `--turn-secret` and `--turn-user`.
  case missingTURNCredentials
  /// The configuration file cannot be read.
  case unreadableFile(String, reason: String)

  /// A value of the wrong form.
  static func wrongValue(option: String, value: String, expected: String) -> ConfigurationError {
    .option(OptionError(.wrongValue(option: option, value: value, expected: expected)))
  }

  /// The problem, and the change that solves it.
  public var description: String {
    switch self {
    case .option(let error): error.description
    case .incompleteTLS: "--tls-cert and --tls-key go together: give both files, or '--tls self-signed'."
    case .missingTURNCredentials:
      "--ice-server lists a TURN server, which needs --turn-secret (coturn: use-auth-secret) or --turn-user USER:PASSWORD."
    case .unreadableFile(let file, let reason): "the configuration file '\(file)' cannot be read: \(reason)."
    }
  }
}
