/// A client's request to a meeting, beyond its own tracks and chat. The server decides by what the sender may do now;
/// the type of message decides nothing.
public enum RoomRequest: Sendable, Hashable {
  /// Mute what somebody sends of these sources; a share is ended.
  case muteParticipant(String, sources: [TrackSource])
  /// End what somebody sends of these sources. It may be published again, as a new track.
  case stopTracks(String, sources: [TrackSource])
  /// Mute everybody but some, and some tracks; the sender only when it says so.
  case muteAll(
    sources: [TrackSource], except: [String], exceptTracks: [TrackReference] = [], includingLater: Bool,
    includingSelf: Bool = false, mayUnmute: Bool)
  /// Later tracks start as their senders want, and everybody may unmute themselves.
  case liftMuteAll
  /// Ask somebody to unmute, and allow it where nobody else may.
  case askToUnmute(String, sources: [TrackSource])
  /// Take somebody out of the meeting, with `ban` permanently.
  case removeParticipant(String, ban: Bool)
  /// Give somebody another role, by its name.
  case setRole(String, role: String)
  /// Give somebody exactly these permissions, by name.
  case setPermissions(String, permissions: [String])
  /// Give somebody some permissions and take others, by name. The rest stay.
  case changePermissions(String, adding: [String], removing: [String])
  /// Everybody is to show this participant large; nil for nobody.
  case spotlight(String?)
  /// End the meeting for everybody.
  case endMeeting
  /// Raise this client's hand or lower it; hosts may lower another's.
  case raiseHand(Bool, participant: String?)
  case lowerHands
  /// Show everybody a reaction.
  case react(Reaction)
  /// Make a poll, which is open at once.
  case createPoll(PollDraft)
  /// Close a poll, or open it again.
  case setPoll(Int, isOpen: Bool)
  /// Take a poll away.
  case removePoll(Int)
  /// Choose answers of a poll by their places; none takes the vote back.
  case vote(poll: Int, options: [Int])
  /// Something in the chat besides writing.
  case chat(ChatRequest)

  /// The most entries of a list in one request.
  public static let maximumList = 500
}

extension RoomRequest: Encodable {
  private enum Kind: String {
    case muteParticipant, stopTracks, muteAll, liftMuteAll, askToUnmute, removeParticipant, setRole, setPermissions,
      changePermissions, spotlight
    case endMeeting, raiseHand, lowerHands, react, createPoll, setPoll, removePoll, vote
  }

  private enum Key: String, CodingKey {
    case type, participant, sources, except, exceptTracks, includingLater, includingSelf, mayUnmute, ban, role
    case permissions, add, remove, raised, reaction, poll, open, options
  }

  /// Reads the request of a message of this type; nil when the type is none of its own.
  init?(type: String, from decoder: any Decoder) throws {
    if let chat = try ChatRequest(type: type, from: decoder) {
      self = .chat(chat)
      return
    }
    guard let kind = Kind(rawValue: type) else { return nil }
    let container = try decoder.container(keyedBy: Key.self)
    func get<T: Decodable>(_ key: Key) throws -> T { try container.decode(T.self, forKey: key) }
    func flag(_ key: Key, else value: Bool) throws -> Bool {
      try container.decodeIfPresent(Bool.self, forKey: key) ?? value
    }
    func list<T: Decodable>(_ key: Key, atMost count: Int = Self.maximumList) throws -> [T] {
      let values = try container.decode([T].self, forKey: key)
      guard values.count <= count else {
        throw SignalingError.badMessage("\"\(key.rawValue)\" has \(values.count) entries, at most \(count) are taken")
      }
      return values
    }
    func sources() throws -> [TrackSource] {
      let all: [TrackSource] = try list(.sources, atMost: TrackSource.allCases.count)
      guard !all.isEmpty else { throw SignalingError.badMessage("\"sources\" is empty") }
      return all
    }
    switch kind {
    case .muteParticipant: self = .muteParticipant(try get(.participant), sources: try sources())
    case .stopTracks: self = .stopTracks(try get(.participant), sources: try sources())
    case .muteAll:
      self = .muteAll(
        sources: try sources(), except: container.contains(.except) ? try list(.except) : [],
        exceptTracks: container.contains(.exceptTracks) ? try list(.exceptTracks) : [],
        includingLater: try flag(.includingLater, else: false), includingSelf: try flag(.includingSelf, else: false),
        mayUnmute: try flag(.mayUnmute, else: true))
    case .liftMuteAll: self = .liftMuteAll
    case .askToUnmute: self = .askToUnmute(try get(.participant), sources: try sources())
    case .removeParticipant: self = .removeParticipant(try get(.participant), ban: try flag(.ban, else: false))
    case .setRole: self = .setRole(try get(.participant), role: try get(.role))
    case .setPermissions:
      self = .setPermissions(try get(.participant), permissions: try list(.permissions, atMost: 32))
    case .changePermissions:
      self = .changePermissions(
        try get(.participant), adding: container.contains(.add) ? try list(.add, atMost: 32) : [],
        removing: container.contains(.remove) ? try list(.remove, atMost: 32) : [])
    case .spotlight: self = .spotlight(try container.decodeIfPresent(String.self, forKey: .participant))
    case .endMeeting: self = .endMeeting
    case .raiseHand:
      self = .raiseHand(
        try get(.raised), participant: try container.decodeIfPresent(String.self, forKey: .participant))
    case .lowerHands: self = .lowerHands
    case .react: self = .react(try get(.reaction))
    case .createPoll: self = .createPoll(try get(.poll))
    case .setPoll: self = .setPoll(try get(.poll), isOpen: try get(.open))
    case .removePoll: self = .removePoll(try get(.poll))
    case .vote:
      self = .vote(poll: try get(.poll), options: try list(.options, atMost: PollDraft.optionCount.upperBound))
    }
  }

  /// Writes the keys of `docs/protocol.md`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func put(_ kind: Kind) throws { try container.encode(kind.rawValue, forKey: .type) }
    switch self {
    case .muteParticipant(let participant, let sources):
      try put(.muteParticipant)
      try container.encode(participant, forKey: .participant)
      try container.encode(sources, forKey: .sources)
    case .stopTracks(let participant, let sources):
      try put(.stopTracks)
      try container.encode(participant, forKey: .participant)
      try container.encode(sources, forKey: .sources)
    case .muteAll(let sources, let except, let exceptTracks, let includingLater, let includingSelf, let mayUnmute):
      try put(.muteAll)
      try container.encode(sources, forKey: .sources)
      try container.encode(except, forKey: .except)
      if !exceptTracks.isEmpty { try container.encode(exceptTracks, forKey: .exceptTracks) }
      try container.encode(includingLater, forKey: .includingLater)
      if includingSelf { try container.encode(true, forKey: .includingSelf) }
      try container.encode(mayUnmute, forKey: .mayUnmute)
    case .liftMuteAll: try put(.liftMuteAll)
    case .askToUnmute(let participant, let sources):
      try put(.askToUnmute)
      try container.encode(participant, forKey: .participant)
      try container.encode(sources, forKey: .sources)
    case .removeParticipant(let participant, let ban):
      try put(.removeParticipant)
      try container.encode(participant, forKey: .participant)
      try container.encode(ban, forKey: .ban)
    case .setRole(let participant, let role):
      try put(.setRole)
      try container.encode(participant, forKey: .participant)
      try container.encode(role, forKey: .role)
    case .setPermissions(let participant, let permissions):
      try put(.setPermissions)
      try container.encode(participant, forKey: .participant)
      try container.encode(permissions, forKey: .permissions)
    case .changePermissions(let participant, let adding, let removing):
      try put(.changePermissions)
      try container.encode(participant, forKey: .participant)
      try container.encode(adding, forKey: .add)
      try container.encode(removing, forKey: .remove)
    case .spotlight(let participant):
      try put(.spotlight)
      try container.encode(participant, forKey: .participant)
    case .endMeeting: try put(.endMeeting)
    case .raiseHand(let raised, let participant):
      try put(.raiseHand)
      try container.encode(raised, forKey: .raised)
      try container.encodeIfPresent(participant, forKey: .participant)
    case .lowerHands: try put(.lowerHands)
    case .react(let reaction):
      try put(.react)
      try container.encode(reaction, forKey: .reaction)
    case .createPoll(let draft):
      try put(.createPoll)
      try container.encode(draft, forKey: .poll)
    case .setPoll(let poll, let isOpen):
      try put(.setPoll)
      try container.encode(poll, forKey: .poll)
      try container.encode(isOpen, forKey: .open)
    case .removePoll(let poll):
      try put(.removePoll)
      try container.encode(poll, forKey: .poll)
    case .vote(let poll, let options):
      try put(.vote)
      try container.encode(poll, forKey: .poll)
      try container.encode(options, forKey: .options)
    case .chat(let request): try request.encode(to: encoder)
    }
  }
}
