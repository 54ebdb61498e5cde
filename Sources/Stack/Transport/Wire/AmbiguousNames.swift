import CWebSockets

/// Names of header fields that libwebsockets misreads. It misses the colon behind a name that is the beginning of one
/// that it knows, and takes the following bytes, up to the next colon, for more of the name.
enum AmbiguousNames {
  /// Beginnings of what the library knows by itself (names with their colon, methods with their space) that no colon
  /// may follow there.
  private static let all: Set<String> = {
    let known = (0..<parley_ws_token_count()).compactMap { token in
      // A constant of the library.
      unsafe parley_ws_token_name(token).map { unsafe String(cString: $0) }
    }
    let beginnings = Set(known.flatMap { name in name.indices.dropFirst().map { String(name[..<$0]) } })
    return beginnings.filter { !beginnings.contains($0 + ":") && !known.contains($0 + ":") }
  }()

  /// Whether a name, in lower case, is one.
  static func contains(_ name: String) -> Bool { all.contains(name) }
}
