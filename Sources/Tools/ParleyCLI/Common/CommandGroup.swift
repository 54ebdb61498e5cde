import Options

/// A command with commands of its own, such as `parley tenant create`.
struct CommandGroup: Sendable {
  struct Member: Sendable {
    /// The word after the group's name.
    var name: String
    /// The value after it, for the help text.
    var operands: String
    /// Its purpose, in one sentence.
    var help: String
    var table: [Option]
    var run: @Sendable (CommandOptions) async throws -> Void

    var declaration: Command { Command(name, operands: operands, help, options: table) }
  }

  /// The failure, in a sentence. The exit status is 1; that of a ``CommandOptions/Problem`` is 2.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  var name: String
  /// The purpose, in one sentence, for the list of commands.
  var summary: String
  /// The first paragraph of its help; the summary unless set.
  var help: String?
  var members: [Member]
  /// Whether it is left out of lists.
  var isHidden = false

  var declaration: Command {
    Command(
      name, summary, overview: help, commands: members.map(\.declaration),
      discussion: "parley \(name) <command> --help lists the options of a command.", isHidden: isHidden)
  }

  /// Runs the command and returns the exit status.
  func run(_ arguments: [String]) async -> Int32 {
    guard let word = arguments.first, !["--help", "-h", "help"].contains(word) else {
      CommandLineText.say(declaration.help("parley \(name)") + "\n")
      return arguments.isEmpty ? 2 : 0
    }
    guard let member = members.first(where: { $0.name == word }) else {
      CommandLineText.complain(Program.noCommand("\(name) \(word)", of: members.map { "\(name) \($0.name)" }, name))
      return 2
    }
    let rest = Array(arguments.dropFirst())
    return await Program.run(member.declaration, "parley \(name) \(member.name)", rest) { options in
      try await member.run(options)
      return 0
    }
  }
}
