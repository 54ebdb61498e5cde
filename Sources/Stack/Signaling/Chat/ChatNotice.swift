/// The server's notice about the chat besides new messages.
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
