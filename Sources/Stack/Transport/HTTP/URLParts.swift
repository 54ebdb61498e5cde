/// The parts of an `http`, `https`, `ws` or `wss` URL that a client needs (RFC 3986).
struct URLParts {
  var isSecure: Bool
  var isWebSocket: Bool
  /// The host without brackets.
  var host: String
  var port: Int
  /// Path and query, starting with `/`.
  var target: String

  /// The `Host` header's value.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  init(_ url: String) throws(TransportError) {
    guard url.utf8.count <= 8_192, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .badURL(url) }
    guard let colon = url.firstIndex(of: ":") else { throw .badURL(url) }
    switch url[..<colon].lowercased() {
    case "http": (isSecure, isWebSocket) = (false, false)
    case "https": (isSecure, isWebSocket) = (true, false)
    case "ws": (isSecure, isWebSocket) = (false, true)
    case "wss": (isSecure, isWebSocket) = (true, true)
    default: throw .badURL(url)
    }
    var rest = url[url.index(after: colon)...]
    guard rest.hasPrefix("//") else { throw .badURL(url) }
    rest = rest.dropFirst(2)
    if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    var authority = rest[..<end]
    target = String(rest[end...])
    if !target.hasPrefix("/") { target = "/" + target }
    guard !authority.contains("@") else { throw .badURL(url) }
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { throw .badURL(url) }
      host = String(authority[authority.index(after: authority.startIndex)..<close])
      authority = authority[authority.index(after: close)...]
    } else {
      let stop = authority.firstIndex(of: ":") ?? authority.endIndex
      host = String(authority[..<stop])
      authority = authority[stop...]
    }
    port = isSecure ? 443 : 80
    if authority.hasPrefix(":") {
      guard let given = Int(authority.dropFirst()), (1...65_535).contains(given) else { throw .badURL(url) }
      port = given
    } else if !authority.isEmpty {
      throw .badURL(url)
    }
    guard !host.isEmpty, host.utf8.count <= 253 else { throw .badURL(url) }
  }
}
