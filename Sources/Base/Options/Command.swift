/// A command of a program, declared once: the help text, the manual and the completion of shells follow from it.
public struct Command: Sendable {
  public var name: String
  /// The operands after the name: `ROOM|ID PERSON`.
  public var operands: String
  /// The purpose, in one sentence that begins in lower case and has no full stop.
  public var summary: String
  /// The first paragraph of its help; the summary unless set.
  public var overview: String?
  public var options: [Option]
  public var commands: [Command]
  /// Further ways to write it, after the program's name.
  public var usages: [String] = []
  /// Paragraphs after the options, each in lines that fit a terminal.
  public var discussion = ""
  /// Whether lists, manual and completion leave it out.
  public var isHidden = false

  public init(
    _ name: String, operands: String = "", _ summary: String, overview: String? = nil, options: [Option] = [],
    commands: [Command] = [], usages: [String] = [], discussion: String = "", isHidden: Bool = false
  ) {
    self.name = name
    self.operands = operands
    self.summary = summary
    self.overview = overview
    self.options = options
    self.commands = commands
    self.usages = usages
    self.discussion = discussion
    self.isHidden = isHidden
  }

  /// The commands that lists show.
  public var listed: [Command] { commands.filter { !$0.isHidden } }

  /// A command with its names from the program on.
  struct Located {
    var path: String
    var command: Command
  }

  /// This command, named `path`, and every listed one below it.
  func all(_ path: String) -> [Located] {
    [Located(path: path, command: self)] + listed.flatMap { $0.all("\(path) \($0.name)") }
  }

  /// The options of one heading, in their order.
  struct OptionGroup {
    var name: String?
    var options: [Option]
  }

  var groups: [OptionGroup] { OptionGroup.all(of: options) }

  /// The first paragraph of the help.
  var opening: String {
    guard overview == nil else { return overview ?? "" }
    return summary.prefix(1).uppercased() + summary.dropFirst() + (summary.hasSuffix(".") ? "" : ".")
  }

  /// Each way to write it.
  func usage(_ path: String) -> [String] {
    let rest = commands.isEmpty ? operands : "<command>"
    return usages.isEmpty ? ["\(path) \(rest)\(rest.isEmpty ? "" : " ")[options]"] : usages.map { "\(path) \($0)" }
  }

  /// The text of `--help`; `path` has the command's names, such as `parley token create`.
  public func help(_ path: String) -> String {
    var parts = [opening]
    parts.append(
      usage(path).enumerated().map { ($0.offset == 0 ? "Usage: " : "       ") + $0.element }.joined(separator: "\n"))
    if commands.isEmpty {
      let width = (options.map { $0.usage.count } + ["--help, -h".count]).max() ?? 0
      for group in groups {
        let lines = group.options.map { Self.line($0.usage, $0.helpText, width) }
        parts.append(([(group.name ?? "Options") + ":"] + lines).joined(separator: "\n"))
      }
      if groups.isEmpty { parts.append("Options:") }
      parts[parts.count - 1] += "\n" + Self.line("--help, -h", "this text", width)
    } else {
      let heads = listed.map { $0.operands.isEmpty ? $0.name : "\($0.name) \($0.operands)" }
      let width = heads.map(\.count).max() ?? 0
      let lines = zip(heads, listed).map { Self.line($0, $1.summary, width) }
      parts.append((["Commands:"] + lines).joined(separator: "\n"))
    }
    if !discussion.isEmpty { parts.append(discussion) }
    return parts.joined(separator: "\n\n")
  }

  private static func line(_ head: String, _ text: String, _ width: Int) -> String {
    "  " + head + String(repeating: " ", count: max(0, width - head.count) + 2) + text
  }
}

extension Command.OptionGroup {
  /// The options by heading, the headings in the order in which they first occur.
  static func all(of options: [Option]) -> [Self] {
    var groups: [Self] = []
    for option in options {
      if let index = groups.firstIndex(where: { $0.name == option.group }) {
        groups[index].options.append(option)
      } else {
        groups.append(Self(name: option.group, options: [option]))
      }
    }
    return groups
  }
}
