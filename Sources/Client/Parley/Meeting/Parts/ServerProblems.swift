import RTC

/// The STUN and TURN servers that could not be used for the connection under way, the newest ``limit``.
struct ServerProblems {
  private static let limit = 4
  private(set) var all: [ServerProblem] = []

  mutating func add(_ problem: ServerProblem) { all = (all + [problem]).suffix(Self.limit) }

  /// Whether media has no way left: asked again, the servers would say the same.
  var isWithoutRelay: Bool { all.contains(where: \.isLast) }

  /// The newest TURN server among them.
  var relay: ServerProblem? { all.last { ServerProblem.isRelay($0.url) } }

  /// All of them in words; nil when there is none.
  var text: String? { all.isEmpty ? nil : all.map(\.text).joined(separator: " ") }
}

/// A STUN or TURN server that could not be used, and why.
struct ServerProblem {
  var url: String
  var error: TurnError
  /// Whether media has no way left.
  var isLast: Bool

  var text: String { "The server \(url) cannot be used: \(error)" }

  /// Whether a URL is that of a TURN server. Schemes are the same in any case (RFC 3986 section 3.1, RFC 7065 section
  /// 3.1).
  static func isRelay(_ url: String) -> Bool {
    ["turn", "turns"].contains(url.prefix { $0 != ":" }.lowercased())
  }
}
