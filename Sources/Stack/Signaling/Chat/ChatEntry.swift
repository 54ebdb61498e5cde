public import FoundationEssentials

/// A chat message as everybody sees it.
public struct ChatEntry: Sendable, Hashable, Codable {
  /// Its number in the meeting, rising.
  public var id: Int
  /// The sender's participant id, set by the server from the session.
  public var from: String
  /// The sender's name when it was sent.
  public var name: String
  /// The text. Always show it as text, never as markup.
  public var text: String
  /// When the server received it (whole seconds).
  public var time: Date
  /// The one recipient of a private message; nil when it is for everybody.
  public var to: String?
  /// When its text was last changed; nil when it never was.
  public var edited: Date?
  /// The kind of participant who deleted it; nil when it is still there. Its ``text`` is empty then.
  public var deleted: ChatDeletion?
  /// The file that hangs on it, whose name is the ``text`` then.
  public var file: ChatFile?

  public init(
    id: Int, from: String, name: String, text: String, time: Date, to: String? = nil, file: ChatFile? = nil
  ) {
    self.id = id
    self.from = from
    self.name = name
    self.text = text
    self.time = time
    self.to = to
    self.file = file
  }

  /// Reads a message; optional parts of an odd type count as absent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    from = try container.decode(String.self, forKey: .from)
    name = try container.decode(String.self, forKey: .name)
    text = try container.decode(String.self, forKey: .text)
    time = try container.decode(Date.self, forKey: .time)
    to = container.optional(.to)
    edited = container.optional(.edited)
    deleted = container.optional(.deleted)
    file = container.optional(.file)
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(from, forKey: .from)
    try container.encode(name, forKey: .name)
    try container.encode(text, forKey: .text)
    try container.encode(time, forKey: .time)
    try container.encode(to, forKey: .to)
    try container.encodeIfPresent(edited, forKey: .edited)
    try container.encodeIfPresent(deleted, forKey: .deleted)
    try container.encodeIfPresent(file, forKey: .file)
  }

  private enum CodingKeys: String, CodingKey { case id, from, name, text, time, to, edited, deleted, file }
}
