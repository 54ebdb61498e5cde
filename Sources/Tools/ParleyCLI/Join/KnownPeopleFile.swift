import FoundationEssentials
import Glibc
import Parley

/// The file in which this device keeps whom it has seen in encrypted meetings with a key of a vault.
struct KnownPeopleFile {
  let path: String

  init(beside vaults: VaultSeenFile) {
    path = URL(filePath: vaults.path).deletingLastPathComponent().appending(path: "known-people.json").path
  }

  /// The people that were seen; nobody where there is no file yet.
  func read() throws(CommandGroup.Failure) -> KnownIdentities {
    guard access(path, F_OK) == 0 else { return KnownIdentities() }
    do {
      return try JSONDecoder().decode(KnownIdentities.self, from: Data(contentsOf: URL(filePath: path)))
    } catch {
      throw CommandGroup.Failure(description: "\(path) cannot be read: \(error). Move it away to begin with nobody.")
    }
  }

  /// Replaces the file, whole or not at all, with the people that another program has written into it since. Only this
  /// user can read it: it says who met whom.
  func write(_ known: KnownIdentities) throws(CommandGroup.Failure) {
    do {
      let folder = URL(filePath: path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var known = known
      if let present = try? read() { known.merge(present) }
      let part = "\(path).\(UUID().uuidString).part"
      let isWritten = FileManager.default.createFile(
        atPath: part, contents: try JSONEncoder().encode(known), attributes: [.posixPermissions: 0o600])
      guard isWritten, rename(part, path) == 0 else {
        let reason = String(cString: strerror(errno))
        unlink(part)
        throw CommandGroup.Failure(description: reason)
      }
    } catch {
      throw CommandGroup.Failure(description: "\(path) cannot be written: \(error).")
    }
  }
}
