/// Scripts that complete commands, options and values in a shell.
public enum ShellCompletion: String, Sendable, CaseIterable {
  case bash, zsh, fish

  /// The script for the program that `root` declares.
  public func script(for root: Command) -> String {
    switch self {
    case .bash: BashCompletion.script(for: root)
    case .zsh: ZshCompletion.script(for: root)
    case .fish: FishCompletion.script(for: root)
    }
  }
}

extension OptionKind {
  /// The words that a shell offers for a value.
  var words: [String] {
    switch self {
    case .flag, .number, .time, .file, .folder, .text: []
    case .toggle, .truth: ["yes", "no"]
    case .choice(let words, _, _): words
    case .either(let kind, let word): kind.words + [word]
    }
  }

  enum Paths { case files, folders }

  /// Whether a shell offers files or folders for a value.
  var paths: Paths? {
    switch self {
    case .file: .files
    case .folder: .folders
    case .either(let kind, _): kind.paths
    case .flag, .toggle, .truth, .number, .time, .choice, .text: nil
    }
  }
}

extension Command {
  /// Whether an operand is a file.
  var takesFile: Bool { operands.contains("FILE") }

  /// The option that every command has.
  static let helpOption = Option("help", "show the help")
}

enum BashCompletion {
  static func script(for root: Command) -> String {
    let all = root.all(root.name)
    let function = "_\(root.name)"
    let paths = all.dropFirst().map { quoted($0.path) }.joined(separator: "|")
    return """
      # Completion of \(root.name) for bash; `\(root.name) completion bash` writes it.
      \(function)() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} line=\(root.name) words="" paths="" path i
        # Bash cuts --name=value at the sign.
        if [[ $word == = ]]; then word=""
        elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}
        fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          case "$line ${COMP_WORDS[i]}" in
            \(paths)) line="$line ${COMP_WORDS[i]}" ;;
          esac
        done
        case "$line $before" in
      \(all.flatMap(values).joined(separator: "\n"))
          *) case "$line" in
      \(all.map(names).joined(separator: "\n"))
          esac ;;
        esac
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        if [[ -n $paths ]]; then
          compopt -o filenames 2>/dev/null
          while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$paths" -- "$word")
        fi
      }
      complete -F \(function) \(root.name)

      """
  }

  /// The case of each option that takes a value.
  private static func values(of located: Command.Located) -> [String] {
    located.command.options.compactMap { option in
      guard option.kind != .flag else { return nil }
      let words = option.kind.words.isEmpty ? "" : " words=\(quoted(option.kind.words.joined(separator: " ")))"
      let paths = option.kind.paths.map { $0 == .files ? " paths=-f" : " paths=-d" } ?? ""
      return "    \(quoted("\(located.path) --\(option.name)")))\(words)\(paths) ;;"
    }
  }

  /// The case of a command: its commands or its options.
  private static func names(of located: Command.Located) -> String {
    let command = located.command
    let words = command.listed.map(\.name) + (command.options + [Command.helpOption]).map { "--\($0.name)" }
    let paths = command.takesFile ? " paths=-f" : ""
    return "      \(quoted(located.path))) words=\(quoted(words.joined(separator: " ")))\(paths) ;;"
  }

  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

enum ZshCompletion {
  static func script(for root: Command) -> String {
    let all = root.all(root.name)
    let function = "_\(root.name)"
    let paths = all.dropFirst().map { BashCompletion.quoted($0.path) }.joined(separator: "|")
    return """
      #compdef \(root.name)
      # Completion of \(root.name) for zsh; `\(root.name) completion zsh` writes it.
      \(function)() {
        local line=\(root.name)
        local -a commands
        integer i depth=1
        for (( i = 2; i < CURRENT; i++ )); do
          case "$line ${words[i]}" in
            (\(paths)) line="$line ${words[i]}"; depth=i ;;
          esac
        done
        words=("${(@)words[depth,-1]}")
        (( CURRENT -= depth - 1 ))
        case $line in
      \(all.map(arguments).joined(separator: "\n"))
        esac
      }
      if [[ ${funcstack[1]} == \(function) ]]; then \(function) "$@"; else compdef \(function) \(root.name); fi

      """
  }

  private static func arguments(of located: Command.Located) -> String {
    let command = located.command
    var lines = ["    (\(BashCompletion.quoted(located.path)))"]
    if command.listed.isEmpty {
      let specifications = (command.options + [Command.helpOption]).map(specification)
      let operands = command.operands.isEmpty ? [] : ["'*:operand:\(command.takesFile ? "_files" : " ")'"]
      lines.append("      _arguments -s \((specifications + operands).joined(separator: " \\\n        ")) ;;")
    } else {
      let words = command.listed.map { BashCompletion.quoted("\(escaped($0.name)):\($0.summary)") }
      lines.append("      commands=(\(words.joined(separator: " ")))")
      lines.append("      _describe -t commands command commands ;;")
    }
    return lines.joined(separator: "\n")
  }

  private static func specification(of option: Option) -> String {
    let repeats = option.repetition == .adds ? "*" : ""
    var text = "\(repeats)--\(option.name)"
    if option.kind != .flag { text += "=" }
    text += "[\(escaped(option.summary))]"
    guard option.kind != .flag else { return BashCompletion.quoted(text) }
    let words = option.kind.words.map(escaped).joined(separator: " ")
    let action =
      switch option.kind.paths {
      case .files: "_files"
      case .folders: "_files -/"
      case nil: words.isEmpty ? " " : "(\(words))"
      }
    text += "\(option.kind == .toggle ? "::" : ":")\(escaped(option.kind.placeholder ?? "")):\(action)"
    return BashCompletion.quoted(text)
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { out, character in
      if "[]:\\".contains(character) { out.append("\\") }
      out.append(character)
    }
  }
}

enum FishCompletion {
  static func script(for root: Command) -> String {
    let all = root.all(root.name)
    let function = "__\(root.name)_line_is"
    let paths = all.dropFirst().map { quoted($0.path) }.joined(separator: " ")
    let lines = all.flatMap { rules(of: $0, root.name, function) }.joined(separator: "\n")
    return """
      # Completion of \(root.name) for fish; `\(root.name) completion fish` writes it.
      function \(function)
        set -l line \(root.name)
        for word in (commandline -opc)[2..-1]
          if contains -- "$line $word" \(paths)
            set line "$line $word"
          end
        end
        test "$line" = "$argv[1]"
      end
      complete -c \(root.name) -f
      \(lines)

      """
  }

  private static func rules(of located: Command.Located, _ program: String, _ function: String) -> [String] {
    let start = "complete -c \(program) -n \(quoted("\(function) '\(located.path)'"))"
    let command = located.command
    return command.listed.map { "\(start) -a \(quoted($0.name)) -d \(quoted($0.summary))" }
      + (command.options + [Command.helpOption]).map { option in
        "\(start) -l \(option.name)\(value(of: option)) -d \(quoted(option.summary))"
      }
      + (command.takesFile ? ["\(start) -F"] : [])
  }

  private static func value(of option: Option) -> String {
    guard option.kind != .flag else { return "" }
    let words = option.kind.words.joined(separator: " ")
    let offered = words.isEmpty ? "" : " -a \(quoted(words))"
    switch option.kind.paths {
    case .files: return " -r -F\(offered)"
    case .folders: return " -x -a \(quoted("(__fish_complete_directories)\(words.isEmpty ? "" : " \(words)")"))"
    case nil: return option.kind == .toggle ? offered : " -x\(offered)"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
