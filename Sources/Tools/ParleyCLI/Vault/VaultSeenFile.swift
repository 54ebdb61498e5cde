import FoundationEssentials
import Glibc
import Parley

/// The file in which this device keeps which records of vaults it has seen.
struct VaultSeenFile {
  let path: String

  static let option = CommandOptions.Option(
    "state", .file, otherwise: "parley/vaults.json in $XDG_STATE_HOME or ~/.local/state",
    "the file that remembers which vaults this device has seen")

  init(_ options: CommandOptions) {
    if let given = options["state"] {
      path = given
      return
    }
    let environment = ProcessInfo.processInfo.environment
    let base = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    path = (base ?? (environment["HOME"] ?? ".") + "/.local/state") + "/parley/vaults.json"
  }

  /// The records that were seen. A file that can't be read is an error: without it an old record would go unnoticed.
  func read() throws(CommandGroup.Failure) -> Vault.Seen {
    guard access(path, F_OK) == 0 else { return Vault.Seen() }
    do {
      return try JSONDecoder().decode(Vault.Seen.self, from: Data(contentsOf: URL(filePath: path)))
    } catch {
      throw CommandGroup.Failure(description: "\(path) cannot be read: \(error). Move it away to begin with nothing.")
    }
  }

  /// Replaces the file, whole or not at all.
  func write(_ seen: Vault.Seen) throws(CommandGroup.Failure) {
    do {
      let folder = URL(filePath: path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try JSONEncoder().encode(seen).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw CommandGroup.Failure(description: "\(path) cannot be written: \(error).")
    }
  }
}
