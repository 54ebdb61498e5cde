/// An option of a command, declared once.
///
/// Parsing, the help text, the environment variable, the key of the configuration file, the reference, the manual and
/// the completion of shells all follow from the declaration.
///
///     Option("workers", .number(1...256), otherwise: "one a core", "media workers")
public struct Option: Sendable, Equatable {
  /// The effect of a second value of the same option.
  public enum Repetition: Sendable, Equatable {
    case refused
    case replaces
    /// The values are a list.
    case adds
  }

  /// The name without its dashes.
  public var name: String
  public var kind: OptionKind
  /// The value of an option that isn't given.
  public var defaultValue: String?
  /// The default in words, where no value says it, such as `one a core`.
  public var fallback: String?
  public var repetition: Repetition
  /// The heading under which help and reference list it.
  public var group: String?
  /// The purpose, in one sentence that begins in lower case and has no full stop.
  public var summary: String
  /// Further sentences for the reference and the manual, in Markdown.
  public var details = ""
  /// The values, in words, for the reference; nil: those of the kind.
  public var values: String?
  /// Advice that ends an error about a wrong value.
  public var hint: String?
  /// Whether errors leave the value out.
  public var isSecret = false
  /// The environment variable that gives the value where no flag does.
  public var variable: String?
  /// Whether its name is a key of the configuration file.
  public var isKey = false
  /// Whether a running server takes over a new value.
  public var isReloaded = false

  public init(
    _ name: String, _ kind: OptionKind, default: String? = nil, otherwise: String? = nil, repeats: Bool = false,
    _ summary: String
  ) {
    self.name = name
    self.kind = kind
    defaultValue = `default`
    fallback = otherwise
    repetition = repeats ? .adds : .refused
    self.summary = summary
  }

  /// A switch: it is given or not.
  public init(_ name: String, _ summary: String) { self.init(name, .flag, summary) }

  /// The flag with what stands for its value: `--media-port N`.
  public var usage: String { "--\(name)" + (kind.placeholder.map { " \($0)" } ?? "") }

  /// The line of the help text.
  public var helpText: String {
    var notes: [String] = []
    if let fallback = fallback ?? defaultValue {
      // Each option of a configuration file has a variable, so the help of its command says that once.
      notes.append(variable.map { isKey ? fallback : "\($0), or else \(fallback)" } ?? fallback)
    }
    if let values = kind.valuesText { notes.append(values) }
    return summary + (repetition == .adds ? "; may be repeated" : "")
      + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
  }

  /// Throws when `value` isn't one that the option takes.
  public func check(_ value: String) throws(OptionError) {
    guard !kind.accepts(value) else { return }
    throw wrong(value, expected: kind.expectation + (hint.map { "; \($0)" } ?? ""))
  }

  /// The error about a value of this option.
  public func wrong(_ value: String, expected: String) -> OptionError {
    OptionError(.wrongValue(option: name, value: isSecret ? "…" : value, expected: expected))
  }
}

/// A value of an option, as it was given.
public struct GivenOption: Sendable, Equatable {
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
