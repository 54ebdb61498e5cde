/// The manual of a program, for `man` (groff_man(7)).
public struct ManualPage {
  private let root: Command
  private let version: String
  private var lines: [String] = []

  private init(_ root: Command, version: String) {
    self.root = root
    self.version = version
  }

  /// The page.
  ///
  /// - Parameters:
  ///   - about: Paragraphs for its description, in Markdown.
  ///   - seeAlso: The text of its last section.
  public static func text(for root: Command, version: String, about: [String], seeAlso: String) -> String {
    var page = ManualPage(root, version: version)
    page.write(about: about, seeAlso: seeAlso)
    return page.lines.joined(separator: "\n") + "\n"
  }

  private mutating func write(about: [String], seeAlso: String) {
    let name = root.name
    lines.append(".TH \(name.uppercased()) 1 \"\" \"\(Self.escaped(version))\" \"User Commands\"")
    section("NAME")
    lines.append("\(Self.escaped(name)) \\- \(Self.escaped(root.summary))")
    section("SYNOPSIS")
    lines.append(".B \(Self.escaped(name))")
    lines.append("\\fIcommand\\fR [\\fIoptions\\fR]")
    section("DESCRIPTION")
    for (index, text) in about.enumerated() {
      if index > 0 { lines.append(".PP") }
      line(OptionReference.plain(text))
    }
    section("COMMANDS")
    for located in root.all(name).dropFirst() where located.command.listed.isEmpty { describe(located) }
    let variables = Self.variables(of: root)
    if !variables.isEmpty {
      section("ENVIRONMENT")
      for option in variables { entry("\\fB\(option.variable ?? "")\\fR", "the value of --\(option.name)") }
    }
    section("EXIT STATUS")
    entry("\\fB0\\fR", "all went well")
    entry("\\fB1\\fR", "what was asked for could not be done; standard error says why")
    entry("\\fB2\\fR", "command or options are wrong")
    section("SEE ALSO")
    line(seeAlso)
  }

  private mutating func describe(_ located: Command.Located) {
    let command = located.command
    lines.append(".SS \"\(Self.escaped(command.usage(located.path)[0]))\"")
    for usage in command.usage(located.path).dropFirst() {
      lines.append("\\fB\(Self.escaped(usage))\\fR")
      lines.append(".br")
    }
    if command.usages.count > 1 { lines[lines.count - 1] = ".PP" }
    line(OptionReference.plain(command.opening))
    for group in command.groups {
      if let name = group.name {
        lines.append(".PP")
        lines.append("\\fI\(Self.escaped(name))\\fR")
      }
      for option in group.options {
        let placeholder = option.kind.placeholder.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
        let details = option.details.isEmpty ? "" : ". " + OptionReference.plain(option.details)
        entry("\\fB\(Self.escaped("--\(option.name)"))\\fR\(placeholder)", option.helpText + details)
      }
    }
    for paragraph in command.discussion.split(separator: "\n\n") {
      lines.append(".PP")
      line(paragraph.replacing("\n", with: " "))
    }
  }

  private mutating func section(_ name: String) { lines.append(".SH \(name.contains(" ") ? "\"\(name)\"" : name)") }

  private mutating func entry(_ head: String, _ text: String) {
    lines.append(".TP")
    lines.append(head)
    line(text)
  }

  /// Text that begins no request of roff.
  private mutating func line(_ text: some StringProtocol) {
    let escaped = Self.escaped(text)
    lines.append(escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped)
  }

  /// The options with a variable, one for each variable.
  private static func variables(of command: Command) -> [Option] {
    var found: [Option] = []
    for located in command.all(command.name) {
      for option in located.command.options where option.variable != nil {
        if !found.contains(where: { $0.variable == option.variable }) { found.append(option) }
      }
    }
    return found
  }

  private static func escaped(_ text: some StringProtocol) -> String {
    text.reduce(into: "") { out, character in
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "\"": out += "\\(dq"
      case "'": out += "\\(aq"
      case "~": out += "\\(ti"
      case "^": out += "\\(ha"
      case "`": out += "\\(ga"
      case "…": out += "..."
      default:
        for scalar in character.unicodeScalars {
          if scalar.isASCII {
            out.unicodeScalars.append(scalar)
          } else {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            out += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
          }
        }
      }
    }
  }
}
