/// The server's notice about hosts' decisions, hands, reactions, polls and the meeting itself.
public enum RoomNotice: Sendable, Hashable {
  /// The request with this number was carried out.
  case done(id: Int)
  /// The receiver's role and permissions from now on, by name.
  case permissions(role: String, permissions: [String])
  /// A host asks the receiver to unmute; `by` is who, nil when nobody may know.
  case unmuteRequested(sources: [TrackSource], by: String?)
  /// The participant whom everybody is to show large; nil for nobody.
  case spotlight(String?)
  /// A host's muting that covers later tracks too; nil when it ended.
  case muteAll(MuteAllInfo?)
  /// Somebody shows a reaction.
  case reaction(participant: String, Reaction)
  /// A poll is new or has changed. ``PollInfo/mine`` is as it was.
  case poll(PollInfo)
  /// A poll is gone.
  case pollRemoved(Int)
  /// The whole state again: the receiver may see more or less than before.
  case state(RoomState)
  /// The meeting has another title, end or rules: as it is from now on.
  case meeting(MeetingInfo)
  /// Something in the chat besides a new message.
  case chat(ChatNotice)
}

extension RoomNotice: Encodable {
  private enum Kind: String {
    case done, permissions, unmuteRequested, spotlight, muteAll, reaction, poll, pollRemoved, state, meeting
  }

  private enum Key: String, CodingKey {
    case type, id, role, permissions, sources, by, participant, muteAll, reaction, poll, state, meeting
  }

  /// Reads the notice of a message of this type; nil when the type is none of its own.
  init?(type: String, from decoder: any Decoder) throws {
    if let chat = try ChatNotice(type: type, from: decoder) {
      self = .chat(chat)
      return
    }
    guard let kind = Kind(rawValue: type) else { return nil }
    let container = try decoder.container(keyedBy: Key.self)
    func get<T: Decodable>(_ key: Key) throws -> T { try container.decode(T.self, forKey: key) }
    switch kind {
    case .done: self = .done(id: try get(.id))
    case .permissions: self = .permissions(role: try get(.role), permissions: try get(.permissions))
    case .unmuteRequested:
      self = .unmuteRequested(
        sources: try container.readable(.sources), by: container.optional(.by))
    case .spotlight: self = .spotlight(container.optional(.participant))
    case .muteAll: self = .muteAll(container.optional(.muteAll))
    case .reaction: self = .reaction(participant: try get(.participant), try get(.reaction))
    case .poll: self = .poll(try get(.poll))
    case .pollRemoved: self = .pollRemoved(try get(.poll))
    case .state: self = .state(try get(.state))
    case .meeting: self = .meeting(try get(.meeting))
    }
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func put(_ kind: Kind) throws { try container.encode(kind.rawValue, forKey: .type) }
    switch self {
    case .done(let id):
      try put(.done)
      try container.encode(id, forKey: .id)
    case .permissions(let role, let permissions):
      try put(.permissions)
      try container.encode(role, forKey: .role)
      try container.encode(permissions, forKey: .permissions)
    case .unmuteRequested(let sources, let by):
      try put(.unmuteRequested)
      try container.encode(sources, forKey: .sources)
      try container.encode(by, forKey: .by)
    case .spotlight(let participant):
      try put(.spotlight)
      try container.encode(participant, forKey: .participant)
    case .muteAll(let info):
      try put(.muteAll)
      try container.encode(info, forKey: .muteAll)
    case .reaction(let participant, let reaction):
      try put(.reaction)
      try container.encode(participant, forKey: .participant)
      try container.encode(reaction, forKey: .reaction)
    case .poll(let poll):
      try put(.poll)
      try container.encode(poll, forKey: .poll)
    case .pollRemoved(let poll):
      try put(.pollRemoved)
      try container.encode(poll, forKey: .poll)
    case .state(let state):
      try put(.state)
      try container.encode(state, forKey: .state)
    case .meeting(let info):
      try put(.meeting)
      try container.encode(info, forKey: .meeting)
    case .chat(let notice): try notice.encode(to: encoder)
    }
  }
}
