import Options

/// The commands of `parley`, each declared once: dispatch, help, completion and manual come from this list.
enum Program {
  /// The arguments and the signals of a command that is started.
  struct Invocation: Sendable {
    /// The words after its name.
    var arguments: [String]
    var signals: AsyncStream<Int32>
    /// Wishes to read files again, for servers.
    var reloads: AsyncStream<Void>?
  }

  /// A command and what it does; the exit status is returned.
  struct Entry: Sendable {
    var declaration: Command
    /// Whether it serves until a signal stops it. Only such a command reads its files again on SIGHUP, and lost output
    /// leaves its exit status as it is.
    var isServer = false
    var run: @Sendable (Invocation) async -> Int32

    init(_ declaration: Command, isServer: Bool = false, run: @escaping @Sendable (Invocation) async -> Int32) {
      self.declaration = declaration
      self.isServer = isServer
      self.run = run
    }

    init(_ group: CommandGroup) { self.init(group.declaration) { await group.run($0.arguments) } }
  }

  static let entries: [Entry] = [
    Entry(ServeCommand.declaration, isServer: true) {
      await ServeCommand.run($0.arguments, signals: $0.signals, reloads: $0.reloads)
    },
    Entry(DemoCommand.declaration, isServer: true) {
      await DemoCommand.run($0.arguments, signals: $0.signals, reloads: $0.reloads)
    },
    Entry(JoinCommand.declaration) { await JoinCommand.run($0.arguments, signals: $0.signals) },
    Entry(LoadCommand.declaration) { await LoadCommand.run($0.arguments, signals: $0.signals) },
    Entry(TenantCommand.group), Entry(TokenCommand.group), Entry(MeetingCommand.group), Entry(UserCommand.group),
    Entry(VaultCommand.group),
    Entry(WebhookCommand.group), Entry(AuditCommand.group),
    Entry(DomainCommand.group), Entry(IdentityCommand.group), Entry(IdentityCommand.endpoints),
    Entry(BackupCommand.backup) { await BackupCommand.backUp($0.arguments) },
    Entry(BackupCommand.restoration) { await BackupCommand.restore($0.arguments) },
    Entry(CompletionCommand.group), Entry(ManualCommand.declaration) { await ManualCommand.run($0.arguments) },
    Entry(GenerateCommand.group),
  ]

  /// The program with its commands. `version` and `help` take no options.
  static let root = Command(
    "parley", "meetings on your own server", overview: "Parley: meetings on your own server.",
    commands: entries.map(\.declaration) + [
      Command("version", "print the version"), Command("help", operands: "[COMMAND]", "print this text"),
    ],
    discussion: "parley <command> --help, or parley help <command>, lists the options of a command.")

  /// The entry of that name.
  static func entry(_ name: String) -> Entry? { entries.first { $0.declaration.name == name } }

  /// The error about a command that isn't there, with the nearest of `names`; `group` is the command above them.
  static func noCommand(_ words: String, of names: [String], _ group: String? = nil) -> String {
    let nearest = NearestName.find(words, among: names)
    return "There is no command \"\(words)\"." + (nearest.map { " Did you mean '\($0)'?" } ?? "")
      + " `parley \(group.map { "\($0) " } ?? "")--help` lists them all."
  }

  /// Prints the help of a command where the arguments ask for it.
  static func showsHelp(_ command: Command, _ path: String, _ arguments: [String]) -> Bool {
    guard arguments.contains("--help") || arguments.contains("-h") else { return false }
    CommandLineText.say(command.help(path) + "\n")
    return true
  }

  /// Reads the arguments of a command and runs `body`, or prints the help. Returns the exit status.
  static func run(
    _ command: Command, _ path: String, _ arguments: [String], _ body: (CommandOptions) async throws -> Int32
  ) async -> Int32 {
    if showsHelp(command, path, arguments) { return 0 }
    do {
      return try await body(try CommandOptions(arguments, table: command.options, command: path))
    } catch let problem as CommandOptions.Problem {
      CommandLineText.complain(problem.description)
      return 2
    } catch {
      CommandLineText.complain("\(error)")
      return 1
    }
  }
}
