/// The reference of a configuration file's keys, in Markdown.
public enum OptionReference {
  /// A table for each group of options.
  public static func markdown(_ options: [Option]) -> String {
    Command.OptionGroup.all(of: options.filter(\.isKey)).map { group in
      let rows = group.options.map { option in
        "| `\(option.name)` | \(values(of: option)) | \(fallback(of: option)) | \(meaning(of: option)) |"
      }
      let heading = group.name.map { "### \($0)\n\n" } ?? ""
      return heading + "| key | value | default | meaning |\n|---|---|---|---|\n" + rows.joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  private static func values(of option: Option) -> String {
    let values = (option.values ?? option.kind.markdown).replacing("|", with: "\\|")
    return values + (option.repetition == .adds ? "; may be repeated" : "")
  }

  private static func fallback(of option: Option) -> String {
    option.fallback ?? option.defaultValue.map { "`\($0)`" } ?? "none"
  }

  private static func meaning(of option: Option) -> String {
    option.details.isEmpty ? option.summary : "\(option.summary). \(option.details)"
  }

  /// Markdown as plain text: without the marks of code, and of links only their text.
  static func plain(_ markdown: String) -> String {
    var out = ""
    var rest = markdown[...]
    while let character = rest.popFirst() {
      switch character {
      case "`", "[": continue
      case "]":
        if rest.first == "(", let end = rest.firstIndex(of: ")") { rest = rest[rest.index(after: end)...] }
      default: out.append(character)
      }
    }
    return out
  }
}
