import FoundationEssentials
import Glibc
import Meetings

/// The file of a data folder that says how commands reach the server that runs on it. The server keeps it locked for as long as it runs: what a
/// killed one has left says nothing, whatever stands in it.
struct ControlFile: Codable, Equatable {
  static let name = "server.control"
  /// More than a server writes.
  private static let maximumBytes = 512

  /// A port of 127.0.0.1.
  var port: UInt16
  /// What the server asks for there. Whoever can read the file can change the database beside it as well.
  var secret: String

  /// The file, locked by this process; nil when another server holds it, or it cannot be made. It is only ever readable by this user.
  static func lock(folder: String) -> Int32? {
    let descriptor = open(folder + "/" + name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    // A command that looks whether it is locked holds it for a moment.
    for _ in 0..<20 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, fchmod(descriptor, 0o600) == 0 { return descriptor }
      usleep(5_000)
    }
    close(descriptor)
    return nil
  }

  /// Writes it; false when that is not possible.
  func write(to descriptor: Int32) -> Bool {
    guard let data = try? JSONEncoder().encode(self), ftruncate(descriptor, 0) == 0 else { return false }
    let bytes = [UInt8](data)
    return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
  }

  /// Empties it and lets it go. It stays where it is, since a server that starts this moment may have opened it.
  static func release(_ descriptor: Int32) {
    _ = ftruncate(descriptor, 0)
    close(descriptor)
  }

  /// What the server that runs on a folder has written; nil when none does.
  static func read(folder: String) -> ControlFile? {
    let descriptor = open(folder + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // Nobody holds it: the server has ended.
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    var bytes = [UInt8](repeating: 0, count: maximumBytes)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return try? JSONDecoder().decode(ControlFile.self, from: Data(bytes.prefix(count)))
  }
}
