/// A participant's request in the chat besides writing.
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
