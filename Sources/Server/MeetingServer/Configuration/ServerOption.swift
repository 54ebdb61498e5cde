import Basics
import Options

/// One setting of `parley serve`: its declaration, and how its value changes the configuration.
///
/// ``all`` is the only place that knows the options: flags, environment variables, keys of the configuration file, the
/// help text, the reference, the manual and the completion of shells come from it.
struct ServerOption: Sendable {
  typealias Apply = @Sendable (inout ServerConfiguration, String) throws(ConfigurationError) -> Void

  /// The headings of the help text and the reference.
  enum Group: String, CaseIterable {
    case server = "Server"
    case media = "Media and network"
    case https = "HTTPS and proxies"
    case administration = "Administration"
    case meetings = "Meetings"
    case requests = "Requests and connections"
    case chat = "Chat and data"
  }

  var declaration: Option
  private let set: Apply

  var name: String { declaration.name }
  var variable: String { declaration.variable ?? "" }
  /// Whether a running server takes it over when it reads its settings again (SIGHUP).
  var isReread: Bool { declaration.isReloaded }

  /// An option of any kind; ``number(_:_:_:_:default:otherwise:_:details:set:)`` and
  /// ``truth(_:_:default:otherwise:isReloaded:_:details:set:)`` are shorter.
  ///
  /// - Parameters:
  ///   - fallback: The default in words, where no value says it.
  ///   - values: The values in words, for the reference.
  init(
    _ group: Group, _ name: String, _ kind: OptionKind, default value: String? = nil, otherwise fallback: String? = nil,
    values: String? = nil, isList: Bool = false, isReloaded: Bool = false, _ summary: String, details: String = "",
    set: @escaping Apply
  ) {
    var option = Option(name, kind, default: value, otherwise: fallback, summary)
    option.repetition = isList ? .adds : .replaces
    option.group = group.rawValue
    option.values = values
    option.details = details
    option.variable = Self.variable(name)
    option.isKey = true
    option.isReloaded = isReloaded
    declaration = option
    self.set = set
  }

  /// An option whose value is a whole number.
  static func number(
    _ group: Group, _ name: String, _ range: ClosedRange<Int>, _ placeholder: String = "N",
    default value: String? = nil, otherwise fallback: String? = nil, _ summary: String, details: String = "",
    set: @escaping @Sendable (inout ServerConfiguration, Int) -> Void
  ) -> ServerOption {
    ServerOption(
      group, name, .number(range, placeholder), default: value, otherwise: fallback, summary, details: details
    ) { configuration, text in set(&configuration, Int(text) ?? range.lowerBound) }
  }

  /// An option whose value is yes or no.
  static func truth(
    _ group: Group, _ name: String, default value: String? = nil, otherwise fallback: String? = nil,
    isReloaded: Bool = false, _ summary: String, details: String = "",
    set: @escaping @Sendable (inout ServerConfiguration, Bool) -> Void
  ) -> ServerOption {
    ServerOption(
      group, name, .truth, default: value, otherwise: fallback, isReloaded: isReloaded, summary, details: details
    ) { configuration, text in set(&configuration, OptionKind.truth(text) ?? false) }
  }

  /// Checks the value, and changes the configuration by it.
  func apply(_ configuration: inout ServerConfiguration, _ value: String) throws(ConfigurationError) {
    do throws(OptionError) {
      try declaration.check(value)
    } catch {
      throw .option(error)
    }
    try set(&configuration, value)
  }

  /// The environment variable: `PARLEY_MEDIA_PORT` for `--media-port`.
  static func variable(_ name: String) -> String { "PARLEY_" + name.uppercased().replacing("-", with: "_") }

  /// The same option with a change to its declaration.
  func with(_ change: (inout Option) -> Void) -> ServerOption {
    var option = self
    change(&option.declaration)
    return option
  }

  /// A secret, which no error repeats.
  var secret: ServerOption { with { $0.isSecret = true } }

  static let all: [ServerOption] = server + media + https + administration + meetings + requests + chat
}
