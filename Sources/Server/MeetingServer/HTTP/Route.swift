import Transport

/// A path of one of the server's ports, declared once. Dispatch, `405` with `Allow`, the answer to `OPTIONS`, the rate
/// limit, reserved room names and the table of paths in `docs/protocol.md` follow from it.
///
/// `Handler` answers the requests. It isn't a function that throws a type of its own: Swift 6.3 cannot compile one that
/// a generic type stores.
struct Route<Handler: Sendable>: Sendable {
  /// The pages that may read the answers.
  enum CrossOrigin: Sendable {
    case ownOrigin
    /// Pages of any origin, which may send any header: what depends on a cookie is never answered so.
    case anyOrigin
  }

  /// The limit that a request of one address counts for.
  enum Rate: Sendable {
    /// None: the answer costs no more than a file from memory.
    case free
    /// `--address-rate`.
    case work
  }

  /// The form of the route's refusals.
  enum Refusals: Sendable {
    /// JSON, or a page for a browser that asks for one.
    case parley
    /// The JSON that OpenTok's server SDKs read.
    case openTok
    /// The same, and XML unless the request asks for JSON.
    case openTokSession
  }

  /// A part of a path.
  enum Segment: Sendable, Equatable {
    case literal(Substring)
    /// Any one segment, written `<room>` or `*`.
    case any
    /// Any segments, written `…` at the end.
    case rest
  }

  /// The path, with `<name>` or `*` for a segment that varies and `…` for any segments at the end.
  let path: String
  let segments: [Segment]
  /// The methods; none where the handler decides.
  let methods: [String]
  let crossOrigin: CrossOrigin
  let rate: Rate
  /// Bytes of a body.
  let bodyLimit: Int
  let refusals: Refusals
  /// The answer, in a few words of Markdown for the table of addresses; nil leaves it out of the table.
  let summary: String?
  let handler: Handler

  /// - Parameter methods: With blanks between them; empty: any.
  init(
    _ methods: String, _ path: String, crossOrigin: CrossOrigin = .ownOrigin, rate: Rate = .free,
    bodyLimit: Int = 256 << 10, refusals: Refusals = .parley, _ summary: String? = nil, handler: Handler
  ) {
    self.path = path
    self.methods = methods.split(separator: " ").map(String.init)
    self.crossOrigin = crossOrigin
    self.rate = rate
    self.bodyLimit = bodyLimit
    self.refusals = refusals
    self.summary = summary
    self.handler = handler
    segments = path.split(separator: "/").map { part in
      part == "…" ? .rest : part == "*" || part.hasPrefix("<") ? .any : .literal(part)
    }
  }

  /// The segments that stand for the path's variable ones; nil when it is another path.
  func match(_ path: [Substring]) -> [String]? {
    guard segments.last == .rest ? path.count >= segments.count - 1 : path.count == segments.count else { return nil }
    var found: [String] = []
    for (segment, text) in zip(segments, path) {
      switch segment {
      case .literal(let word): if word != text { return nil }
      case .any: found.append(String(text))
      case .rest: return found
      }
    }
    return found
  }

  /// The path with `*` for each segment that varies.
  var pattern: String {
    segments.map { segment in
      switch segment {
      case .literal(let word): String(word)
      case .any: "*"
      case .rest: "…"
      }
    }.joined(separator: "/")
  }

  /// The methods that `Allow` names.
  var allowed: [String] { crossOrigin == .anyOrigin ? methods + ["OPTIONS"] : methods }
}

/// The addresses of a port. The first route that matches answers, so a special path stands before a general one.
struct RouteTable<Handler: Sendable>: Sendable {
  typealias Entry = Route<Handler>

  /// The route of a request.
  enum Match {
    case found(Entry, segments: [String])
    /// The first route of the path, and the methods of all of them.
    case wrongMethod(Entry, allowed: [String])
    case notFound

    var route: Entry? {
      switch self {
      case .found(let route, _), .wrongMethod(let route, _): route
      case .notFound: nil
      }
    }

    /// The route and the segments that it leaves open; throws when there is none for the path or the method.
    func get() throws(Refusal) -> (Entry, [String]) {
      switch self {
      case .found(let route, let segments): return (route, segments)
      case .wrongMethod(_, let allowed): throw .methodNotAllowed(allowed)
      case .notFound: throw .nothing
      }
    }
  }

  let all: [Entry]
  /// The first segments of the routes whose answers cost work: whatever is asked for below them counts as well.
  private let working: Set<Substring>

  init(_ all: [Entry]) {
    self.all = all
    working = Set(all.filter { $0.rate == .work }.compactMap { $0.firstWord })
  }

  /// The route of a request for `path`.
  func find(_ method: String, _ path: [Substring]) -> Match {
    var first: Entry?
    var allowed: [String] = []
    for route in all {
      guard let segments = route.match(path) else { continue }
      // A route of any method is a general one, which does not take what the special one refuses.
      if first != nil, route.methods.isEmpty { break }
      if route.methods.isEmpty || route.allowed.contains(method) { return .found(route, segments: segments) }
      first = first ?? route
      allowed += route.allowed.filter { !allowed.contains($0) }
    }
    return first.map { .wrongMethod($0, allowed: allowed) } ?? .notFound
  }

  /// Whether a request for `path` counts for the address's limit.
  func isWork(_ path: [Substring]) -> Bool { path.first.map(working.contains) ?? false }

  /// The first segments that are written out, in lower case: a room cannot bear such a name.
  var firstWords: Set<String> { Set(all.compactMap { $0.firstWord?.lowercased() }) }

  /// The largest body that a route takes.
  var bodyLimit: Int { all.map(\.bodyLimit).max() ?? 0 }

  /// A table of the requests and their answers, in Markdown.
  var markdown: String {
    let rows = all.compactMap { route in
      route.summary.map { summary in
        let methods = route.methods.filter { $0 != "HEAD" }
        let requests = (methods.isEmpty ? [""] : methods.map { "\($0) " }).map { "`\($0)\(route.path)`" }
        return "| \(requests.joined(separator: ", ")) | \(summary) |\n"
      }
    }
    return "| request | answer |\n|---|---|\n" + rows.joined()
  }
}

extension Route {
  /// The first segment, where it is written out.
  var firstWord: Substring? {
    guard case .literal(let word)? = segments.first else { return nil }
    return word
  }
}
