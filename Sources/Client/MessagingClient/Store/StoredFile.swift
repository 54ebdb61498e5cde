import Glibc

/// Files that survive the sudden end of the process, whole.
enum StoredFile {
  /// The bytes of a file; nil when there is none.
  static func read(_ path: String) throws(FileStore.Failure) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw .system(call: "open", code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      // The system writes within the buffer's count.
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(call: "read", code: errno) }
      if count == 0 { return bytes }
      bytes += buffer.prefix(count)
    }
  }

  /// The next bytes of an open file; fewer than `count` at its end.
  static func read(_ descriptor: Int32, count: Int) throws(FileStore.Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var offset = 0
    while offset < count {
      // The system writes within the array's count.
      let length = unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress?.advanced(by: offset), count - offset)
      }
      if length < 0, errno == EINTR { continue }
      guard length >= 0 else { throw .system(call: "read", code: errno) }
      if length == 0 { break }
      offset += length
    }
    return Array(bytes.prefix(offset))
  }

  /// Puts a file in the place of another, in one step.
  static func replace(_ path: String, with bytes: [UInt8]) throws(FileStore.Failure) {
    try write(bytes, to: path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
    guard unsafe rename(path + ".new", path) == 0 else { throw .system(call: "rename", code: errno) }
  }

  static func append(_ bytes: [UInt8], to path: String) throws(FileStore.Failure) {
    try write(bytes, to: path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC)
  }

  private static func write(_ bytes: [UInt8], to path: String, _ flags: Int32) throws(FileStore.Failure) {
    let descriptor = unsafe open(path, flags, 0o600)
    guard descriptor >= 0 else { throw .system(call: "open", code: errno) }
    defer { close(descriptor) }
    try write(bytes, to: descriptor)
    guard fsync(descriptor) == 0 else { throw .system(call: "fsync", code: errno) }
  }

  /// Writes at the place of an open file.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileStore.Failure) {
    var offset = 0
    while offset < bytes.count {
      // The system reads within the array's count.
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(call: "write", code: errno) }
      offset += count
    }
  }

  /// Has the names in a folder written to the disk.
  static func synchronise(folder: String) throws(FileStore.Failure) {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(call: "open", code: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(call: "fsync", code: errno) }
  }

  /// The names of the files in a folder.
  static func names(in folder: String) throws(FileStore.Failure) -> [String] {
    guard let directory = unsafe opendir(folder) else { throw .system(call: "opendir", code: errno) }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      // The name ends with a zero byte within its field.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
