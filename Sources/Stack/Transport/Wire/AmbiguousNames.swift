import CWebSockets

/// Names of header fields that libwebsockets does not read as such: it misses the colon behind one that is the beginning of something it knows, and
/// takes what follows, up to the next colon, for more of the name.
enum AmbiguousNames {
  /// Beginnings of what the library knows by itself (names with their colon, methods with their space) that no colon may follow there.
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
