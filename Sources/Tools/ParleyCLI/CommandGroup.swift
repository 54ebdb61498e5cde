/// A command with commands of its own, such as `parley tenant create`.
struct CommandGroup: Sendable {
  /// One of them.
  struct Member: Sendable {
    /// The word after the group's name.
    var name: String
    /// What stands after it, for the help text.
    var operands: String
    /// What it does, in one sentence.
    var help: String
    var table: [CommandOptions.Option]
    var run: @Sendable (CommandOptions) async throws -> Void
  }

  /// What could not be done, in a sentence. The exit status is 1; that of a ``CommandOptions/Problem`` is 2.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  var name: String
  var help: String
  var members: [Member]

  /// Runs the command and returns the exit status.
  func run(_ arguments: [String]) async -> Int32 {
    guard let word = arguments.first, !["--help", "-h", "help"].contains(word) else {
      CommandLineText.say(overview + "\n")
      return arguments.isEmpty ? 2 : 0
    }
    guard let member = members.first(where: { $0.name == word }) else {
      CommandLineText.complain("There is no command \"\(name) \(word)\". `parley \(name) --help` lists them all.")
      return 2
    }
    if arguments.contains("--help") || arguments.contains("-h") {
      CommandLineText.say(text(of: member) + "\n")
      return 0
    }
    do {
      try await member.run(try CommandOptions(Array(arguments.dropFirst()), table: member.table))
      return 0
    } catch let problem as CommandOptions.Problem {
      CommandLineText.complain(problem.description)
      return 2
    } catch {
      CommandLineText.complain("\(error)")
      return 1
    }
  }

  private var overview: String {
    let width = (members.map { ($0.name + " " + $0.operands).count }.max() ?? 0) + 2
    let lines = members.map { member in
      let head = member.name + " " + member.operands
      return "  " + head + String(repeating: " ", count: width - head.count) + member.help
    }
    return """
      \(help)

      Usage: parley \(name) <command> [options]

      Commands:
      \(lines.joined(separator: "\n"))

      parley \(name) <command> --help lists the options of a command.
      """
  }

  private func text(of member: Member) -> String {
    """
    \(member.help)

    Usage: parley \(name) \(member.name) \(member.operands)\(member.operands.isEmpty ? "" : " ")[options]

    Options:
    \(CommandOptions.help(member.table))
    """
  }
}
