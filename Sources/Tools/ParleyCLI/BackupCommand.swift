import FoundationEssentials
import Glibc
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
        // First, so that no copy is made of which nobody knows; it stands in the copy too.
        try await folder.store.append(folder.entry("data.backup", target))
        try await folder.store.backUp(to: target, with: CopiedFiles(of: folder.path))
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
      let path = options["data"] ?? ProcessInfo.processInfo.environment["PARLEY_DATA"] ?? "data"
      if SQLiteMeetingStore.exists(folder: path) {
        guard options.has("replace") else {
          throw CommandGroup.Failure(
            description:
              "\(path) has a database already. With --replace the copy takes its place, also while a server runs on it."
          )
        }
        try await checked(source, beside: path) { _, trial, files in
          try await DataFolder.with(options) { folder in
            try await folder.store.replace(byStoreIn: trial, folder.entry("data.restore", source))
          }
          try files.write(to: path)
        }
        CommandLineText.say("\(path) holds the data of \(source); a server that runs on it goes by them from now on.\n")
      } else {
        try await checked(source, beside: path) { store, _, files in
          try await store.append(
            AuditEntry(time: Date(), actor: DataFolder.user, action: "data.restore", target: source))
          mkdir(path, 0o700)
          // First: a folder with a database counts as restored.
          try files.write(to: path)
          try await store.backUp(to: path + "/" + SQLiteMeetingStore.fileName)
        }
        CommandLineText.say("\(path) holds the data of \(source). Start the server with --data \(path).\n")
      }
    }
  }

  /// Copies into a folder beside the target, so that what is no database of ours, or is damaged, never gets into place, and brings the copy's format up to date.
  /// `body` is given its store, that folder, and the files that the copy has with it.
  static func checked(
    _ source: String, beside path: String, _ body: (SQLiteMeetingStore, String, CopiedFiles) async throws -> Void
  ) async throws {
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
    try FileManager.default.copyItem(atPath: source, toPath: trial + "/" + SQLiteMeetingStore.fileName)
    let store: SQLiteMeetingStore
    do {
      store = try await SQLiteMeetingStore.open(folder: trial, mustExist: true)
    } catch {
      throw named(source, error)
    }
    do {
      guard try await store.isIntact() else {
        throw CommandGroup.Failure(description: "\(source) is damaged. Take another copy.")
      }
      try await body(store, trial, try await store.takeCopiedFiles())
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  /// What is wrong with a copy, said of the file that was given: the one beside the target is gone when it is read.
  private static func named(_ source: String, _ error: any Error) -> any Error {
    switch error {
    case MeetingStoreError.damaged(_, let reason):
      CommandGroup.Failure(
        description: "\(source) is no copy of a server's data, or is damaged (\(reason)). "
          + "Name a file that `parley backup` has written.")
    case MeetingStoreError.newerVersion(_, let found, let known):
      CommandGroup.Failure(
        description: "\(source) was written by a newer version (format \(found), this one knows \(known)). "
          + "Restore it with that version.")
    default: error
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
