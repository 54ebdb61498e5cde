import Glibc

/// Files and folders as the system has them.
extension ChatFileStore {
  static let write: Write = { descriptor, bytes in
    bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  static func failure(_ code: Int32) -> ChatFileRefusal {
    code == ENOSPC || code == EDQUOT ? .diskFull : .failed(String(cString: strerror(code)))
  }

  static func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  static func removeFolder(_ folder: String) {
    for name in names(in: folder) { unlink(folder + "/" + name) }
    rmdir(folder)
  }
}
