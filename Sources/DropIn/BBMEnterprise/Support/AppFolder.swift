import Foundation

/// The folder in which the support library keeps what it has to remember.
@MainActor enum AppFolder {
  /// That of ``ParleyServer/dataFolder``, or one of this program in the user's data folder.
  static var url: URL {
    if let folder = ParleyServer.dataFolder { return folder }
    // Of the process as it is now: the app may have set it.
    let named = getenv("XDG_DATA_HOME").map { String(cString: $0) } ?? ""
    let data =
      named.hasPrefix("/")
      ? URL(fileURLWithPath: named)
      : URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(".local/share")
    return data.appendingPathComponent("parley-bbm").appendingPathComponent(ProcessInfo.processInfo.processName)
  }

  static func read(_ name: String) -> [String: String]? {
    guard let data = try? Data(contentsOf: url.appendingPathComponent(name)) else { return nil }
    return try? JSONDecoder().decode([String: String].self, from: data)
  }

  /// Writes a file that the user alone may read; without values it is removed.
  static func write(_ name: String, _ values: [String: String]?) {
    let file = url.appendingPathComponent(name)
    guard let values, let data = try? JSONEncoder().encode(values) else {
      try? FileManager.default.removeItem(at: file)
      return
    }
    try? FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    guard FileManager.default.createFile(atPath: file.path, contents: data, attributes: [.posixPermissions: 0o600])
    else { return }
    // The file may have been there, with other rights.
    try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }
}
