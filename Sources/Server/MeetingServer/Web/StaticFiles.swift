import FoundationEssentials
import Synchronization

/// The browser client's files, read at the first request and kept in memory (they are small and few).
///
/// Only names that a folder listing at start-up found can be requested, so no path can leave the folder.
public final class StaticFiles: Sendable {
  /// A file as it is served.
  public struct File: Sendable {
    public let bytes: [UInt8]
    /// The media type with its character set.
    public let contentType: String
    /// A validator that changes with the content.
    public let entityTag: String
  }

  /// Why the browser client cannot be served.
  public struct NotFound: Error, CustomStringConvertible {
    /// The missing folder, and what to do about it.
    public let description: String
  }

  private struct Content {
    var paths: [String: String]
    var loaded: [String: File] = [:]
  }

  private let root: String
  private let content: Mutex<Content>

  /// Lists the files below `folder`, or below the first of the usual places that has an `index.html`: `Web` in the
  /// working folder, `Web` next to the program and in the folders above it, `/usr/share/parley/web`.
  public init(folder: String?, program: String) throws(NotFound) {
    let manager = FileManager.default
    var places = [folder].compactMap(\.self)
    if folder == nil {
      places = ["Web"]
      var above = program
      for _ in 0..<5 {
        guard let slash = above.lastIndex(of: "/") else { break }
        above = String(above[..<slash])
        places.append(above + "/Web")
      }
      places.append("/usr/share/parley/web")
    }
    guard let root = places.first(where: { manager.fileExists(atPath: $0 + "/index.html") }) else {
      throw NotFound(
        description:
          "the browser client was not found in \(places.joined(separator: ", ")); name its folder with --web DIR")
    }
    self.root = root
    content = Mutex(Content(paths: Self.list(root, manager)))
  }

  /// Lists the folder again, and reads each file again when it is next asked for.
  public func reload() {
    let paths = Self.list(root, FileManager.default)
    // A folder that is missing just now may be about to be replaced.
    guard paths["index.html"] != nil else { return }
    content.withLock { $0 = Content(paths: paths) }
  }

  /// The file at `path` below the folder (`sdk/parley.js`), or nil.
  public func file(_ path: String) -> File? {
    let (location, known) = content.withLock { ($0.paths[path], $0.loaded[path]) }
    if let known { return known }
    guard let location else { return nil }
    guard let data = try? Data(contentsOf: URL(filePath: location)) else { return nil }
    let bytes = [UInt8](data)
    let file = File(bytes: bytes, contentType: Self.contentType(of: path), entityTag: "\"\(Self.fingerprint(bytes))\"")
    content.withLock { $0.loaded[path] = file }
    return file
  }

  private static func list(_ root: String, _ manager: FileManager) -> [String: String] {
    var found: [String: String] = [:]
    var folders = [""]
    while let folder = folders.popLast(), found.count < 10_000 {
      let names = (try? manager.contentsOfDirectory(atPath: root + "/" + folder)) ?? []
      for name in names where !name.hasPrefix(".") {
        let path = folder + name
        var isFolder = false
        guard manager.fileExists(atPath: root + "/" + path, isDirectory: &isFolder) else { continue }
        if isFolder { folders.append(path + "/") } else { found[path] = root + "/" + path }
      }
    }
    return found
  }

  private static func contentType(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "json", "webmanifest": "application/json; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "ico": "image/x-icon"
    case "txt": "text/plain; charset=utf-8"
    default: "application/octet-stream"
    }
  }

  /// FNV-1a: a validator needs no secrecy, only that another content almost surely has another value.
  private static func fingerprint(_ bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return String(hash, radix: 16)
  }
}
