public import Basics
internal import Crypto
internal import FoundationEssentials
internal import RTC
internal import Signaling

/// The STUN and TURN servers for clients, and how credentials for them are made.
public struct IceServerSettings: Sendable, Equatable {
  /// How clients authenticate to the TURN servers.
  public enum Credentials: Sendable, Equatable {
    /// None are known; then no TURN server may be listed.
    case none
    /// One user name and password for everybody.
    case fixed(username: String, password: Secret<String>)
    /// A secret shared with the TURN server, from which passwords that expire are made: coturn's `use-auth-secret`
    /// (draft-uberti-behave-turn-rest).
    case shared(Secret<String>)
  }

  /// How long credentials made from a shared secret last that somebody gets who is in a meeting: a relayed address is
  /// refreshed with them for its length. In seconds.
  public static let lifetime: Int64 = 12 * 3_600
  /// How long those last that somebody gets who wants to come in, and may be sent away or never come. In seconds.
  public static let lifetimeAtTheDoor: Int64 = 600

  /// `stun:`, `turn:` and `turns:` URLs, as clients get them.
  public var urls: [String] = []
  public var credentials = Credentials.none

  public init() {}

  /// Whether a TURN server is listed.
  var hasTURN: Bool { urls.contains { !$0.lowercased().hasPrefix("stun:") } }

  /// The list for one participant, in the form of the W3C's `RTCIceServer`.
  /// - Parameters:
  ///   - user: The part of user names behind the expiry; the TURN server counts its quota by it.
  ///   - now: Seconds since 1970.
  ///   - lifetime: How many seconds credentials last that are made from a shared secret.
  func servers(
    user: String = String(UInt64.random(in: 0...UInt64.max), radix: 36), now: Int64, lifetime: Int64
  ) -> [DiscoverDocument.IceServer] {
    let stun = urls.filter { $0.lowercased().hasPrefix("stun:") }
    let turn = urls.filter { !$0.lowercased().hasPrefix("stun:") }
    var servers: [DiscoverDocument.IceServer] = []
    if !stun.isEmpty { servers.append(.init(urls: stun)) }
    guard !turn.isEmpty else { return servers }
    switch credentials {
    case .none: break
    case .fixed(let username, let password):
      servers.append(.init(urls: turn, username: username, credential: password.value))
    case .shared(let secret):
      let username = "\(now &+ lifetime):\(user)"
      if let password = Self.password(of: username, secret: secret.value) {
        servers.append(.init(urls: turn, username: username, credential: password))
      }
    }
    return servers
  }

  /// The list for a participant who has joined; nil where the one in the discover document is as good.
  func serversInside(now: Int64) -> [DiscoverDocument.IceServer]? {
    guard hasTURN, case .shared = credentials else { return nil }
    return servers(now: now, lifetime: Self.lifetime)
  }

  /// The Base64 form of the HMAC-SHA1 of the user name; nil when OpenSSL fails.
  static func password(of username: String, secret: String) -> String? {
    let (key, text) = (Array(secret.utf8), Array(username.utf8))
    guard let code = try? HMAC.code(of: text.span, key: key.span, using: .sha1) else { return nil }
    return Data(code).base64EncodedString()
  }

  /// Reads the value of `--ice-server`: URLs separated by commas.
  static func urls(_ text: String) throws(ConfigurationError) -> [String] {
    var out: [String] = []
    for part in text.split(separator: ",") {
      let url = part.filter { !$0.isWhitespace }
      do throws(IceServerURLError) {
        _ = try IceServerURL(parsing: url)
      } catch {
        throw .wrongValue(
          option: "ice-server", value: url,
          expected: "a URL such as stun:host:3478, turn:host:3478?transport=udp or turns:host:5349. \(error)")
      }
      if !out.contains(url) { out.append(url) }
    }
    guard out.count <= IceServer.maximumURLs else {
      throw .wrongValue(option: "ice-server", value: text, expected: "at most \(IceServer.maximumURLs) URLs")
    }
    return out
  }
}
