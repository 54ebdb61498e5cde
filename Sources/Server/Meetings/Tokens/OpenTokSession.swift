public import FoundationEssentials

/// A session id of OpenTok: `1_` or `2_` and, as URL-safe Base64 without padding, `1~<API key>~…`.
///
/// The key in it says whose session it is, without asking a store; whether somebody may join is the token's business,
/// which the owner of the key has signed. The id itself is the room's name, and each letter of it counts as it is.
public struct OpenTokSession: Sendable, Hashable {
  /// The most characters of an id, as the server SDKs say it.
  public static let maximumLength = 255

  /// The id as it travels.
  public let text: String
  /// The parts between the tildes.
  private let parts: [String]

  /// Takes an id apart; nil when it has another form.
  public init?(_ text: String) {
    guard (3...Self.maximumLength).contains(text.utf8.count), text.hasPrefix("1_") || text.hasPrefix("2_") else {
      return nil
    }
    // In another alphabet of Base64 the same bytes would be another name.
    guard text.utf8.allSatisfy(Self.isURLSafe) else { return nil }
    var base = text.dropFirst(2).replacing("-", with: "+").replacing("_", with: "/")
    guard base.utf8.count % 4 != 1 else { return nil }
    while base.utf8.count % 4 != 0 { base += "=" }
    guard let data = Data(base64Encoded: String(base)), let inner = String(validating: data, as: UTF8.self) else {
      return nil
    }
    parts = inner.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3, parts[0] == "1", !parts[1].isEmpty else { return nil }
    self.text = text
  }

  private static func isURLSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// How a session was asked for. All of it stands in the id, so that nothing has to be kept of a session that nobody
  /// joins.
  public struct Options: Sendable, Hashable {
    /// The IPv4 address near which its clients are; empty when that was not said.
    public var location = ""
    /// Whether clients were to exchange media without a server. Parley routes media all the same.
    public var isRelayed = false
    /// Whether it was to be recorded from the beginning.
    public var isArchived = false
    /// Whether its clients encrypt media end to end.
    public var isEncrypted = false

    public init() {}

    fileprivate static let flags: [(String, any WritableKeyPath<Options, Bool> & Sendable)] = [
      ("P", \.isRelayed), ("A", \.isArchived), ("E", \.isEncrypted),
    ]
  }

  /// What the id says of how the session was asked for.
  public var options: Options {
    var options = Options()
    options.location = parts[2]
    for part in parts.dropFirst(5) {
      for (flag, path) in Options.flags where flag == part { options[keyPath: path] = true }
    }
    return options
  }

  /// A new session of an API key.
  public static func make(apiKey: String, options: Options = Options(), now: Date) -> OpenTokSession {
    let time = String(Int64(now.timeIntervalSince1970 * 1_000))
    let flags = Options.flags.filter { options[keyPath: $0.1] }.map(\.0)
    let parts = ["1", apiKey, options.location, time, RandomID.text(characters: 26)] + flags + [""]
    let text = Data(parts.joined(separator: "~").utf8).base64EncodedString()
    let name = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return OpenTokSession(text: "2_" + name, parts: parts)
  }

  private init(text: String, parts: [String]) {
    self.text = text
    self.parts = parts
  }

  /// Whether a room's name is, or without regard to case could be, that of a session. Only tokens open such rooms, as
  /// with OpenTok: the id of a session isn't a secret there.
  public static func isSession(_ room: RoomName) -> Bool {
    // The Base64 form of `1~` and a digit.
    let name = room.display.lowercased()
    return name.hasPrefix("1_mx4") || name.hasPrefix("2_mx4")
  }

  /// The API key that it names.
  public var apiKey: String { parts[1] }

  /// Whether it is a session of that API key.
  public func belongs(to apiKey: String) -> Bool { parts[1] == apiKey }
}
