import FoundationEssentials
import MeetingServer
import Meetings

/// `parley backup` and `parley restore`: a copy of a server's data, and back.
enum BackupCommand {
  /// Copies the database while a server uses it, with the certificate that the server has made itself.
  static func backUp(_ arguments: [String]) async -> Int32 {
    await run(
      arguments, name: "backup",
      help:
        "Copies the database of a data folder, and the certificate that the server has made itself, to a new file, also while a server runs."
    ) { options in
      let target = try options.operand("The file to write")
      try await DataFolder.with(options) { folder in
        try await folder.backUp(to: target, with: CopiedFiles(of: folder.path), folder.entry("data.backup", target))
      }
      CommandLineText.say("The data is copied to \(target). Keep it as you keep a key: it holds all of the server's.\n")
    }
  }

  private static let replace = CommandOptions.Option(
    "replace", nil, "put the copy in the place of what the folder has, also while a server runs on it")

  /// Makes a data folder from a copy, or puts the copy in the place of what a folder has.
  static func restore(_ arguments: [String]) async -> Int32 {
    await run(
      arguments, name: "restore",
      help:
        "Makes a data folder from a copy. With --replace the folder may have a database, and a server may run on it.",
      more: [replace]
    ) { options in
      let source = try options.operand("The file to read")
      let path = DataFolder.path(options)
      if DataFolder.isUsed(path) {
        guard options.has("replace") else {
          throw CommandGroup.Failure(
            description:
              "\(path) has a database already. With --replace the copy takes its place, also while a server runs on it."
          )
        }
        try await DataCopy.with(source, nextTo: path) { copy in
          try await DataFolder.with(options) { folder in
            try await copy.replace(folder, folder.entry("data.restore", source))
          }
        }
        CommandLineText.say("\(path) holds the data of \(source); a server that runs on it goes by them from now on.\n")
      } else {
        try await DataCopy.with(source, nextTo: path) { copy in
          try await copy.restore(
            to: path, AuditEntry(time: Date(), actor: DataFolder.user, action: "data.restore", target: source))
        }
        CommandLineText.say("\(path) holds the data of \(source). Start the server with --data \(path).\n")
      }
    }
  }

  private static func run(
    _ arguments: [String], name: String, help: String, more: [CommandOptions.Option] = [],
    _ body: (CommandOptions) async throws -> Void
  ) async -> Int32 {
    let table = [DataFolder.option] + more
    if arguments.contains("--help") || arguments.contains("-h") {
      CommandLineText.say(
        "\(help)\n\nUsage: parley \(name) FILE [options]\n\nOptions:\n\(CommandOptions.help(table))\n")
      return 0
    }
    do {
      try await body(try CommandOptions(arguments, table: table))
      return 0
    } catch let problem as CommandOptions.Problem {
      CommandLineText.complain(problem.description)
      return 2
    } catch {
      CommandLineText.complain("\(error)")
      return 1
    }
  }
}
