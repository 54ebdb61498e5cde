import Glibc

/// The folder in a data folder through which commands reach its server. It has the server's socket, and a lock that the
/// server holds while it runs. The system releases the lock of a killed server, so leftovers mean nothing.
///
/// Only this user can enter it, whatever the mode of the data folder.
struct ControlFolder: Sendable {
  /// Why the lock was not got.
  enum Problem: Error, Equatable {
    /// A server holds it, or for a moment a command that looks whether one does.
    case held
    /// The system refuses it, for the reason that it gives.
    case refused(String)
  }

  private let path: String

  /// The folder in that data folder, whether it is there or not.
  init(data: String) { path = data + "/control" }

  /// The path of the server's socket.
  var socket: String { path + "/socket" }
  private var lockFile: String { path + "/lock" }

  /// Makes the folder where it is missing, and has this process hold its lock until ``release(_:)``.
  func lock() throws(Problem) -> Int32 {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.refused("making \(path)") }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folder >= 0 else { throw Self.refused("opening \(path)") }
    defer { close(folder) }
    guard fchmod(folder, 0o700) == 0 else { throw Self.refused("closing \(path) to others") }
    let descriptor = openat(folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.refused("opening \(lockFile)") }
    if let problem = Self.take(LOCK_EX, descriptor, lockFile) {
      close(descriptor)
      throw problem
    }
    return descriptor
  }

  /// Lets the lock go. The file stays where it is, since a server that starts this moment may have opened it.
  func release(_ descriptor: Int32) { close(descriptor) }

  /// Whether a server holds the lock.
  var isHeld: Bool {
    let descriptor = open(lockFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return Self.take(LOCK_SH, descriptor, lockFile) == .held
  }

  private static func take(_ kind: Int32, _ descriptor: Int32, _ path: String) -> Problem? {
    if flock(descriptor, kind | LOCK_NB) == 0 { return nil }
    return errno == EWOULDBLOCK ? .held : refused("locking \(path)")
  }

  private static func refused(_ what: String) -> Problem {
    .refused("\(what) failed: \(String(cString: strerror(errno)))")
  }
}
