import Glibc

/// Shows to other processes on the data folder which servers live. Each holds the lock on one byte of a file, at a
/// random place: the system lets go of it however the process ends, and nothing is left that had to be removed.
final class LivenessLock {
  /// The file in the data folder.
  static let fileName = "running.lock"

  /// `F_OFD_GETLK` and `F_OFD_SETLK` of Linux's fcntl(2), which are not imported: locks of the opened file, which
  /// closing another one of the same path does not let go of.
  private static let (getLock, setLock): (Int32, Int32) = (36, 37)

  /// The position of this lock in the file: the server's number.
  let number = Int64.random(in: 1...Int64.max / 2)
  private let descriptor: Int32

  /// Takes a lock of its own in the file at `path`, until it is let go of.
  init(path: String) throws(MeetingStoreError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == ENOSPC || errno == EDQUOT { throw .diskFull(path: path) }
      throw .notWritable(path: path, reason: String(cString: strerror(errno)))
    }
    guard Self.ask(Self.setLock, number, descriptor) != nil else {
      throw .notWritable(path: path, reason: "locking failed: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// Whether another server of that number lives.
  func isAlive(_ number: Int64) -> Bool {
    Self.ask(Self.getLock, number, descriptor).map { $0.l_type != Int16(F_UNLCK) } ?? false
  }

  private static func ask(_ command: Int32, _ number: Int64, _ descriptor: Int32) -> flock? {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = Int(number)
    lock.l_len = 1
    return fcntl(descriptor, command, &lock) == 0 ? lock : nil
  }
}
