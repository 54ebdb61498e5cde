import FoundationEssentials
import MeetingServer
import Meetings
import Options

/// `parley backup` and `parley restore`: a copy of a server's data, and back.
enum BackupCommand {
  static let backup = Command(
    "backup", operands: "FILE", "copy the data of a running server",
    overview:
      "Copies the database of a data folder, and the certificate that the server has made itself, to a new file, also while a server runs.",
    options: [DataFolder.option])
  static let restoration = Command(
    "restore", operands: "FILE", "start anew from a copy",
    overview:
      "Makes a data folder from a copy. With --replace the folder may have a database, and a server may run on it.",
    options: [
      DataFolder.option,
      Option("replace", "put the copy in the place of what the folder has, also while a server runs on it"),
    ])

  /// Copies the database while a server uses it, with the certificate that the server has made itself.
  static func backUp(_ arguments: [String]) async -> Int32 {
    await Program.run(backup, "parley backup", arguments) { options in
      let target = try options.operand("The file to write")
      try await DataFolder.with(options) { folder in
        try await folder.backUp(to: target, with: CopiedFiles(of: folder.path), folder.entry("data.backup", target))
      }
      CommandLineText.say("The data is copied to \(target). Keep it as you keep a key: it holds all of the server's.\n")
      return 0
    }
  }

  /// Makes a data folder from a copy, or puts the copy in the place of what a folder has.
  static func restore(_ arguments: [String]) async -> Int32 {
    await Program.run(restoration, "parley restore", arguments) { options in
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
      return 0
    }
  }
}
