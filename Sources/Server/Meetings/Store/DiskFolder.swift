import Glibc

/// Folders as the disk has them.
enum DiskFolder {
  /// Has the names in a folder written to the disk: a file that is synchronised can still be lost with its name. False
  /// when that does not work.
  static func synchronise(_ folder: String) -> Bool {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }

  /// The folder that a file is in.
  static func containing(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
