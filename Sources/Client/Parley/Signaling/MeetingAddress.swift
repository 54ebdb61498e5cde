import Basics
public import Encryption
import FoundationEssentials

/// The address of a meeting, taken apart:
/// `http(s)://host[:port]/<room>#jwt=<token>&config.…=…&userInfo.displayName="Ann"`. A token in the query
/// (`?jwt=<token>`, as Jitsi Meet has it) is understood as well.
///
/// The fragment's overrides are those of `docs/protocol.md`; unknown ones are kept in ``overrides`` and do no harm.
///
/// ```swift
/// let address = try MeetingAddress("https://meet.example/hello#userInfo.displayName=%22Ann%22")
/// print(address.origin, address.roomSegment, address.displayName ?? "")  // https://meet.example hello Ann
/// ```
public struct MeetingAddress: Hashable, Sendable {
  /// `http://host[:port]` or `https://…`, without a slash at the end.
  public let origin: String

  /// The first segment of the path as it was written, still percent-encoded.
  public let roomSegment: String

  /// The join token of `#jwt=` or of `?jwt=`. It goes to the server in a header and in `join`, never in an address, and
  /// is not printed: it lets anybody in who has it.
  public let token: Secret<String>?

  /// The secret of an encrypted meeting, `#e2ee=` in the fragment. It never goes to the server and is not printed: who
  /// has it can hear and see what is said.
  public let linkSecret: LinkSecret?

  /// The fragment's overrides, values decoded: JSON strings without their quotes, everything else as it was written.
  public let overrides: [String: String]

  /// Takes an address apart.
  ///
  /// ```swift
  /// do { _ = try MeetingAddress(text) } catch { print(error) }  // says what is missing, while somebody types
  /// ```
  ///
  /// - Throws: ``JoinError/badAddress(_:)`` saying what is missing.
  public init(_ text: String) throws(JoinError) {
    guard text.utf8.count <= 16_384 else { throw .badAddress("The address is longer than 16,384 bytes.") }
    var rest = Substring(text)
    var fragment = Substring()
    if let mark = rest.firstIndex(of: "#") {
      fragment = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    var query = Substring()
    if let mark = rest.firstIndex(of: "?") {
      query = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    guard let scheme = ["http://", "https://"].first(where: { rest.lowercased().hasPrefix($0) }) else {
      throw .badAddress("The address of a meeting begins with http:// or https://, like http://localhost:8080/hello.")
    }
    rest = rest.dropFirst(scheme.count)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = rest[..<slash]
    guard !authority.isEmpty, !authority.contains("@") else {
      throw .badAddress("The address names no server: http://<server>/<room> is expected.")
    }
    let path = rest[slash...].split(separator: "/", omittingEmptySubsequences: true)
    guard let segment = path.first else {
      throw .badAddress("The address names no meeting: \(scheme)\(authority)/<room> is expected.")
    }
    if segment.lowercased() == "discover" {
      throw .badAddress(
        "This is the address of a discover document, which leads to a meeting but is none. Join by it as such (Meeting(discover:), parley join --discover), or use the meeting's own address, \(scheme)\(authority)/<room>."
      )
    }
    // Joining what the first part names would be a meeting that nobody asked for.
    guard path.count == 1 else {
      throw .badAddress(
        "The address has more than the name of one meeting behind the server: \(rest[slash...]). \(scheme)\(authority)/<room> is expected."
      )
    }
    origin = scheme + authority
    // A room may be typed as people write it; what a URL cannot hold is encoded here.
    roomSegment = Self.encoded(segment)
    var token: Secret<String>?
    let given = Self.pairs(query, valueIfNone: nil) + Self.pairs(fragment, valueIfNone: nil)
    for (key, value) in given where key == "jwt" && !value.isEmpty { token = Secret(value) }
    self.token = token
    let settings = Self.pairs(fragment, valueIfNone: "true").filter { $0.0 != "jwt" && $0.0 != "e2ee" }
    linkSecret = try Self.linkSecret(in: fragment, query)
    overrides = Dictionary(settings.map { ($0, Self.unquoted($1)) }, uniquingKeysWith: { $1 })
  }

  /// The secret of a link. A damaged one is an error: without it the meeting would be joined in clear.
  private static func linkSecret(in fragment: Substring, _ query: Substring) throws(JoinError) -> LinkSecret? {
    guard !pairs(query, valueIfNone: "").contains(where: { $0.0 == "e2ee" }) else {
      throw .badAddress(
        "The key of an encrypted meeting belongs behind # (#e2ee=…), and this address has it behind ?, where servers read it."
      )
    }
    let given = pairs(fragment, valueIfNone: "").filter { $0.0 == "e2ee" }.map { LinkSecret(text: $0.1) }
    guard let first = given.first else { return nil }
    guard let secret = first, given.allSatisfy({ $0 == secret }) else {
      throw .badAddress("The key of this link (#e2ee=) is cut or damaged. Copy the whole link again.")
    }
    return secret
  }

  /// The name that the fragment gives, if it does. One that draws nothing is as absent: nobody gets in with it.
  public var displayName: String? {
    overrides["userInfo.displayName"].flatMap { DisplayName.clean($0) == nil ? nil : $0 }
  }

  /// Whether the fragment asks to start with the microphone muted.
  public var startsWithAudioMuted: Bool { turnsOff("config.startWithAudioMuted") }

  /// Whether the fragment asks to start with the camera muted.
  public var startsWithVideoMuted: Bool { turnsOff("config.startWithVideoMuted") }

  /// A value that turns something off counts in every spelling.
  private func turnsOff(_ key: String) -> Bool { ["true", "1"].contains(overrides[key]?.lowercased()) }

  /// The address of the discover document. With a token the room is named all the same, so that the server refuses the
  /// token of another.
  var discover: String { "\(origin)/discover/\(roomSegment)" }

  /// The address of the discover document of a token's meeting, whichever that is.
  static func discover(server: String) throws(JoinError) -> String {
    // Any room will do: of this address only the server is used.
    "\(try MeetingAddress("\(server)/-").origin)/discover"
  }

  private static let contextNames: Set<String> = ["anonymousMeetingJoinContext", "anonymousContext"]

  /// The token in the address of a discover document, as `POST /GetAnonTokenJob` puts it there.
  static func joinContext(in discover: String) -> Secret<String>? {
    guard let mark = discover.firstIndex(of: "?") else { return nil }
    let query = discover[discover.index(after: mark)...].prefix { $0 != "#" }
    let context = pairs(query, valueIfNone: nil).last {
      contextNames.contains($0.0) && !$0.1.isEmpty
    }
    // Apps encode it once more on the way; no token has a percent sign of its own.
    return context.map { Secret(decoded(Substring($0.1))) }
  }

  /// The address of a discover document without the token in it.
  static func withoutJoinContext(_ discover: String) -> String {
    guard let mark = discover.firstIndex(of: "?") else { return discover }
    let query = discover[discover.index(after: mark)...].prefix { $0 != "#" }
    let rest = query.split(separator: "&").filter { pair in
      !contextNames.contains(decoded(pair.prefix { $0 != "=" }))
    }
    return discover[..<mark] + (rest.isEmpty ? "" : "?\(rest.joined(separator: "&"))")
  }

  static func pairs(_ text: Substring, valueIfNone: String?) -> [(String, String)] {
    text.split(separator: "&").prefix(64).compactMap { pair in
      guard let equals = pair.firstIndex(of: "=") else {
        return valueIfNone.map { (decoded(pair), $0) }
      }
      return (decoded(pair[..<equals]), decoded(pair[pair.index(after: equals)...]))
    }
  }

  private static func unquoted(_ text: String) -> String {
    guard text.hasPrefix("\""), let value = try? JSONDecoder().decode(String.self, from: Data(text.utf8)) else {
      return text
    }
    return value
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = iterator.next(), let low = iterator.next() else { break }
      let digits = [high, low].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      guard digits.count == 2 else { continue }
      bytes.append(UInt8(truncatingIfNeeded: digits[0] << 4 | digits[1]))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func encoded(_ text: Substring, keepingPercent: Bool = true) -> String {
    let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if kept.contains(byte) || keepingPercent && byte == UInt8(ascii: "%") {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
