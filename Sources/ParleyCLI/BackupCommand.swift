import FoundationEssentials
import Glibc
import Meetings

/// `parley backup` and `parley restore`: a copy of a server's data, and back.
enum BackupCommand {
  /// Copies the database while a server uses it.
  static func backUp(_ arguments: [String]) async -> Int32 {
    await run(
      arguments, name: "backup", help: "Copies the database of a data folder to a new file, also while a server runs."
    ) { options in
      let target = try options.operand("The file to write")
      try await DataFolder.with(options) { folder in
        // First, so that no copy is made of which nobody knows; it stands in the copy too.
        try await folder.store.append(folder.entry("data.backup", target))
        try await folder.store.backUp(to: target)
      }
      CommandLineText.say("The data is copied to \(target). Keep it as you keep a key: it holds all of the server's.\n")
    }
  }

  /// Makes a data folder from a copy.
  static func restore(_ arguments: [String]) async -> Int32 {
    await run(
      arguments, name: "restore", help: "Makes a data folder from a copy. The folder must not have a database yet."
    ) { options in
      let source = try options.operand("The file to read")
      let path = options["data"] ?? ProcessInfo.processInfo.environment["PARLEY_DATA"] ?? "data"
      guard !SQLiteMeetingStore.exists(folder: path) else {
        throw CommandGroup.Failure(
          description:
            "\(path) has a database already. Stop its server and move \(path)/\(SQLiteMeetingStore.fileName)* away first."
        )
      }
      try await restore(source, into: path)
      CommandLineText.say("\(path) holds the data of \(source). Start the server with --data \(path).\n")
    }
  }

  /// Copies by way of a folder beside the target, so that what is no database of ours never gets into place.
  private static func restore(_ source: String, into path: String) async throws {
    guard access(source, R_OK) == 0 else {
      throw CommandGroup.Failure(description: "\(source) cannot be read: \(String(cString: strerror(errno))).")
    }
    let trial = path + ".restoring"
    guard mkdir(trial, 0o700) == 0 else {
      throw CommandGroup.Failure(
        description: errno == EEXIST
          ? "\(trial) is there already, perhaps of a restore that was broken off. Look what is in it, and remove or move it."
          : "\(trial) cannot be made: \(String(cString: strerror(errno))).")
    }
    defer { try? FileManager.default.removeItem(atPath: trial) }
    let file = trial + "/" + SQLiteMeetingStore.fileName
    try FileManager.default.copyItem(atPath: source, toPath: file)
    let store = try await SQLiteMeetingStore.open(folder: trial)
    guard try await store.isIntact() else {
      await store.close()
      throw CommandGroup.Failure(description: "\(source) is damaged. Take another copy.")
    }
    mkdir(path, 0o700)
    try await store.backUp(to: path + "/" + SQLiteMeetingStore.fileName)
    await store.close()
  }

  private static func run(
    _ arguments: [String], name: String, help: String, _ body: (CommandOptions) async throws -> Void
  ) async -> Int32 {
    let table = [DataFolder.option]
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
