import Glibc

/// Distinguishes one state of a file from another, links followed: its name may lead to another file, or the file may
/// be written again.
struct FileStamp: Equatable, Sendable {
  var device: UInt64
  var inode: UInt64
  var size: Int64
  var modified: Int64
  var changed: Int64

  /// A stamp of one's own, for tests.
  init(device: UInt64 = 0, inode: UInt64 = 0, size: Int64 = 0, modified: Int64 = 0, changed: Int64 = 0) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  /// The file's stamp now; nil when it is not there or cannot be reached.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let nanoseconds = { (time: timespec) in Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
  }
}

/// Decides when files that belong together are read again. They aren't all written at the same moment, so that is after
/// they have changed and then rested from one look to the next.
struct FileWatch: Sendable {
  private var read: [FileStamp?]
  private var seen: [FileStamp?]

  /// Files that were just read, as they were then.
  init(_ stamps: [FileStamp?]) {
    read = stamps
    seen = stamps
  }

  /// Takes a look; whether the files are to be read now.
  mutating func isDue(_ stamps: [FileStamp?]) -> Bool {
    defer { seen = stamps }
    return stamps != read && stamps == seen
  }

  /// The files were read, to whatever end, as they were at these stamps.
  mutating func noteRead(_ stamps: [FileStamp?]) { read = stamps }
}
