/// A file that hangs on a chat message. It is fetched over HTTP, with the member's resume token (`docs/protocol.md`).
public struct ChatFile: Sendable, Hashable, Codable {
  /// Names it on the server, `f_…`; random.
  public var id: String
  /// What to call it, cleaned by the server: no folder, no control characters, no direction marks.
  public var name: String
  /// Its media type, judged by the server from the content and never from the name.
  public var type: String
  /// How many bytes it has.
  public var size: Int

  /// A file.
  public init(id: String, name: String, type: String, size: Int) {
    self.id = id
    self.name = name
    self.type = type
    self.size = size
  }

  /// The types of pictures that browsers show without running anything. Every other file is only ever saved.
  public static let pictures: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]

  /// Whether it may be shown in place.
  public var isPicture: Bool { Self.pictures.contains(type) }
}

/// Who took a chat message away.
public enum ChatDeletion: String, Sendable, Hashable, Codable, CaseIterable {
  /// Who wrote it.
  case author
  /// A host.
  case host
}

/// What holds for the chat of a meeting, as `welcome` says it.
public struct ChatRules: Sendable, Hashable, Codable {
  /// Whether who comes later is told what was written before.
  public var history: Bool
  /// The most bytes of one file; 0 where no files are taken.
  public var fileLimit: Int

  /// Rules.
  public init(history: Bool, fileLimit: Int) {
    self.history = history
    self.fileLimit = fileLimit
  }
}

/// What participants ask for in the chat besides writing.
public enum ChatRequest: Sendable, Hashable {
  /// Give an own message another text.
  case edit(Int, text: String)
  /// Take a message away: an own one, or as a host any that everybody sees.
  case delete(Int)
  /// Somebody types, or types no more; to everybody, or to one participant.
  case typing(Bool, to: String?)
}

extension ChatRequest: Encodable {
  private enum Kind: String {
    case editChat, deleteChat, typing
  }

  private enum Key: String, CodingKey { case type, message, text, active, to }

  /// Reads the request of a message of this type; nil when the type is none of its own.
  init?(type: String, from decoder: any Decoder) throws {
    guard let kind = Kind(rawValue: type) else { return nil }
    let container = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .editChat:
      self = .edit(
        try container.decode(Int.self, forKey: .message), text: try container.decode(String.self, forKey: .text))
    case .deleteChat: self = .delete(try container.decode(Int.self, forKey: .message))
    case .typing:
      self = .typing(
        try container.decode(Bool.self, forKey: .active), to: try container.decodeIfPresent(String.self, forKey: .to))
    }
  }

  /// Writes the keys of `docs/protocol.md`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .edit(let message, let text):
      try container.encode(Kind.editChat.rawValue, forKey: .type)
      try container.encode(message, forKey: .message)
      try container.encode(text, forKey: .text)
    case .delete(let message):
      try container.encode(Kind.deleteChat.rawValue, forKey: .type)
      try container.encode(message, forKey: .message)
    case .typing(let active, let to):
      try container.encode(Kind.typing.rawValue, forKey: .type)
      try container.encode(active, forKey: .active)
      try container.encodeIfPresent(to, forKey: .to)
    }
  }
}

/// What the server says of the chat besides new messages.
public enum ChatNotice: Sendable, Hashable {
  /// A message has another text, or was taken away; whole.
  case changed(ChatEntry)
  /// Somebody types, or types no more. `to` is the receiver where they write to it alone.
  case typing(participant: String, active: Bool, to: String?)
}

extension ChatNotice: Encodable {
  private enum Kind: String {
    case chatChanged, typing
  }

  private enum Key: String, CodingKey { case type, message, participant, active, to }

  /// Reads the notice of a message of this type; nil when the type is none of its own.
  init?(type: String, from decoder: any Decoder) throws {
    guard let kind = Kind(rawValue: type) else { return nil }
    let container = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .chatChanged: self = .changed(try container.decode(ChatEntry.self, forKey: .message))
    case .typing:
      self = .typing(
        participant: try container.decode(String.self, forKey: .participant),
        active: try container.decode(Bool.self, forKey: .active),
        to: try container.decodeIfPresent(String.self, forKey: .to))
    }
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .changed(let message):
      try container.encode(Kind.chatChanged.rawValue, forKey: .type)
      try container.encode(message, forKey: .message)
    case .typing(let participant, let active, let to):
      try container.encode(Kind.typing.rawValue, forKey: .type)
      try container.encode(participant, forKey: .participant)
      try container.encode(active, forKey: .active)
      try container.encode(to, forKey: .to)
    }
  }
}
