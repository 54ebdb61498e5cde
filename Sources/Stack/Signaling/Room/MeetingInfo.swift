public import FoundationEssentials

/// The meeting, as `welcome` describes it.
public struct MeetingInfo: Sendable, Hashable, Codable {
  /// The meeting's id, `m_…`.
  public var id: String
  /// The room name as it was first written.
  public var name: String
  /// The address to invite others with.
  public var url: String
  /// The title to show.
  public var subject: String
  /// When the meeting ends by itself; nil when it does not.
  public var expires: Date?
  /// Whether who comes and who goes is to be announced to people. `true` where the key is absent.
  public var announces: Bool?
  /// The rules of the chat; nil from servers that don't say.
  public var chat: ChatRules?
  /// Whether the meeting is end-to-end encrypted; nil where it is not.
  public var e2ee: Bool?

  /// Describes meeting `id`.
  public init(
    id: String, name: String, url: String, subject: String, expires: Date? = nil, announces: Bool? = nil,
    chat: ChatRules? = nil, e2ee: Bool? = nil
  ) {
    self.id = id
    self.name = name
    self.url = url
    self.subject = subject
    self.expires = expires
    self.announces = announces
    self.chat = chat
    self.e2ee = e2ee
  }

  /// Reads the meeting; optional parts of an odd type count as absent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    url = try container.decode(String.self, forKey: .url)
    subject = try container.decode(String.self, forKey: .subject)
    expires = container.optional(.expires)
    announces = container.optional(.announces)
    chat = container.optional(.chat)
    e2ee = container.optional(.e2ee)
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(url, forKey: .url)
    try container.encode(subject, forKey: .subject)
    try container.encode(expires, forKey: .expires)
    try container.encodeIfPresent(announces, forKey: .announces)
    try container.encodeIfPresent(chat, forKey: .chat)
    try container.encodeIfPresent(e2ee, forKey: .e2ee)
  }

  private enum CodingKeys: String, CodingKey { case id, name, url, subject, expires, announces, chat, e2ee }
}
