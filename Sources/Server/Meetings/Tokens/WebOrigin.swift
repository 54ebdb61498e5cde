/// The origin of a web page: scheme, host and port (RFC 6454 section 4), in lower case, the scheme's own port left out.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
  /// The serialised form, e.g. `https://app.example.com:8443`.
  public let description: String
  /// `http` or `https`.
  public let scheme: String
  /// The host, in brackets when it is an IPv6 address.
  public let host: String
  /// The port; nil for the scheme's own.
  public let port: UInt16?

  /// The origin of an address; a path, query or fragment behind it is cut off. Nil when it isn't an http(s) address.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 2_048 else { return nil }
    var rest = Substring(text)
    let scheme: String
    if rest.lowercased().hasPrefix("https://") {
      scheme = "https"
    } else if rest.lowercased().hasPrefix("http://") {
      scheme = "http"
    } else {
      return nil
    }
    rest = rest.dropFirst(scheme.count + 3)
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !rest.utf8.contains(UInt8(ascii: "@")) else { return nil }
    var host = rest
    var port: UInt16?
    if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
      host = rest[..<colon]
      let digits = rest[rest.index(after: colon)...]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits), number > 0 else {
          return nil
        }
        port = number
      }
    }
    guard Self.isHost(host) else { return nil }
    if port == (scheme == "https" ? 443 : 80) { port = nil }
    self.scheme = scheme
    self.host = host.lowercased()
    self.port = port
    description = "\(scheme)://\(self.host)" + (port.map { ":\($0)" } ?? "")
  }

  private static func isHost(_ host: Substring) -> Bool {
    guard (1...253).contains(host.utf8.count) else { return false }
    if host.hasPrefix("["), host.hasSuffix("]") {
      return host.dropFirst().dropLast().utf8.allSatisfy { byte in
        (48...57).contains(byte) || (97...102).contains(byte | 32) || byte == 58 || byte == 46
      }
    }
    return host.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 32) || byte == 45 || byte == 46 || byte == 95
    }
  }

  /// Reads a list of origins separated by semicolons (blanks and empty entries are skipped).
  ///
  /// Returns nil when an entry isn't an origin, or there are none or more than 32.
  public static func list(_ text: String) -> [WebOrigin]? {
    var out: [WebOrigin] = []
    for part in text.split(separator: ";") {
      let trimmed = part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
      if trimmed.isEmpty { continue }
      guard let origin = WebOrigin(String(trimmed)), out.count < 32 else { return nil }
      if !out.contains(origin) { out.append(origin) }
    }
    return out.isEmpty ? nil : out
  }
}
