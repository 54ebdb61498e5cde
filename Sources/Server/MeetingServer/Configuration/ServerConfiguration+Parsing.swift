import Basics
import FoundationEssentials
import Glibc
public import Options

extension ServerConfiguration {
  /// Cores that this process may run on; at least 1.
  public static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// The command whose options these are, for errors.
  private static let command = "parley serve"

  /// The option that names the configuration file.
  private static let fileOption: Option = {
    var option = Option("config", .file, "a file of 'name = value' lines with these names, without dashes")
    option.repetition = .replaces
    option.group = ServerOption.Group.server.rawValue
    option.variable = ServerOption.variable("config")
    return option
  }()

  /// The options of `parley serve`.
  public static let options: [Option] = ServerOption.all.map(\.declaration) + [fileOption]

  /// The tables of the configuration reference, `docs/operating/configuration.md`.
  public static var reference: String { OptionReference.markdown(options) }

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
    var configuration = ServerConfiguration()
    var values: [String: Secret<String>] = [:]
    for given in try given(arguments, environment) {
      guard let option = ServerOption.all.first(where: { $0.name == given.name }) else { continue }
      try option.apply(&configuration, given.value)
      values[given.name] = Secret(given.value)
    }
    if case .files(let certificate, let key) = configuration.tls, certificate.isEmpty || key.isEmpty {
      throw .incompleteTLS
    }
    if configuration.iceServers.hasTURN && configuration.iceServers.credentials == .none {
      throw .missingTURNCredentials
    }
    return ServerSettings(configuration: configuration, values: values)
  }

  /// The values of the file, of variables and of flags in this order, so that a later one wins.
  private static func given(
    _ arguments: [String], _ environment: [String: String]
  ) throws(ConfigurationError) -> [GivenOption] {
    let flags: [GivenOption]
    let variables: [GivenOption]
    do throws(OptionError) {
      flags = try Arguments(arguments, options: options, takesOperands: false, command: command).options
      variables = try options.given(in: environment)
    } catch {
      throw .option(error)
    }
    let file = flags.last { $0.name == fileOption.name } ?? variables.first { $0.name == fileOption.name }
    let settings = try file.map { file throws(ConfigurationError) in try lines(of: file.value) } ?? []
    return options.joined(settings) + variables + options.joined(flags)
  }

  /// The values of the configuration file.
  private static func lines(of file: String) throws(ConfigurationError) -> [GivenOption] {
    guard let data = try? Data(contentsOf: URL(filePath: file)) else {
      throw .unreadableFile(file, reason: "no such file, or no right to read it")
    }
    guard data.count <= 1 << 20 else { throw .unreadableFile(file, reason: "it is larger than 1 MiB") }
    do throws(OptionError) {
      return try ConfigurationFile.options(String(decoding: data, as: UTF8.self), name: file, declared: options)
    } catch {
      throw .option(OptionError(error.reason, command: command))
    }
  }
}
