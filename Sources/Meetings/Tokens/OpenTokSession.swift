public import FoundationEssentials

/// A session id of OpenTok: `1_` or `2_` and, as URL-safe Base64 without padding, `1~<API key>~…`.
///
/// The key in it says whose session it is, without asking a store; whether somebody may join is the token's business, which the owner of
/// the key has signed. The id itself is the room's name.
public struct OpenTokSession: Sendable, Hashable {
  /// The id as it travels.
  public let text: String
  /// The parts between the tildes.
  private let parts: [String]

  /// Takes an id apart; nil when it has another form.
  public init?(_ text: String) {
    guard (3...255).contains(text.utf8.count), text.hasPrefix("1_") || text.hasPrefix("2_") else { return nil }
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

  /// A new session of an API key.
  public static func make(apiKey: String, now: Date) -> OpenTokSession {
    let parts = ["1", apiKey, "", String(Int64(now.timeIntervalSince1970 * 1_000)), RandomID.text(characters: 26), ""]
    let text = Data(parts.joined(separator: "~").utf8).base64EncodedString()
    let name = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return OpenTokSession(text: "2_" + name, parts: parts)
  }

  private init(text: String, parts: [String]) {
    self.text = text
    self.parts = parts
  }

  /// Whether it is a session of that API key.
  public func belongs(to apiKey: String) -> Bool { parts[1] == apiKey }
}
