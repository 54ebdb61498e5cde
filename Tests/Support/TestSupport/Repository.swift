public import Foundation

/// The checkout that the tests were built from.
public enum Repository {
  /// Its folder, the nearest above this file that has a `Package.swift`.
  public static let root: URL = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    while folder.pathComponents.count > 1,
      !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    {
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// A file or folder in it, such as `docs/protocol.md`.
  public static func file(_ path: String) -> URL { root.appending(path: path) }

  /// The text of a file in it.
  public static func text(of path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }
}
