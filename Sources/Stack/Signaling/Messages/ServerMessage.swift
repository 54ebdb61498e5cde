public import Basics

/// A message of the server to a client; `docs/protocol.md` describes each message.
public enum ServerMessage: Sendable, Hashable {
  /// Joined: the answer and the whole state.
  case welcome(Welcome)
  /// Not in yet: what for, and how many seconds at most.
  case waiting(reason: WaitingReason, seconds: Int)
  /// To hosts: who waits and whether the meeting is locked, whole.
  case lobby(LobbyInfo)
  /// The place is held: the whole state, to compare with.
  case resumed(
    participants: [ParticipantInfo], slots: [SlotInfo], chat: [ChatEntry], state: RoomState? = nil,
    announcements: [ParticipantAnnouncement]? = nil)
  /// The answer to the offer with the same `id`, and what of the client's own is published now; nil from servers that
  /// do not say.
  case answer(id: Int, answer: String, slots: [SlotInfo], publications: [PublicationInfo]? = nil)
  case participantJoined(ParticipantInfo)
  /// A name or the state of a connection changed.
  case participantUpdated(ParticipantInfo)
  case participantLeft(id: String, reason: LeaveReason)
  /// A track became available.
  case published(participant: String, publication: PublicationInfo)
  /// A track was muted or unmuted.
  case publicationUpdated(participant: String, publication: PublicationInfo)
  /// A track is gone; `reason` is nil where its sender ended it.
  case unpublished(participant: String, publication: String, reason: UnpublishReason? = nil)
  /// The publication in each slot from now on; the whole list.
  case slots([SlotInfo])
  /// The paused video slots, as a whole list, and the reason; they go on by themselves.
  case paused(slots: [String], reason: PauseReason)
  /// The layers of the client's own video track in m-section `mid` somebody watches; the rest need not be sent.
  case wanted(WantedLayers)
  /// How many slots the client should have at least.
  case needSlots(audio: Int, video: Int)
  /// The participants who speak, loudest first.
  case speakers([SpeakerLevel])
  /// How well media flows, by participant id.
  case quality([String: ConnectionQuality])
  case chat(ChatEntry)
  /// A signal of a participant; of the tenant's own server when `from` is nil.
  case signal(Signal, from: String?)
  /// A participant has announced keys; what it announced before counts no more.
  case announcement(ParticipantAnnouncement)
  /// Envelopes for the receiver, in the order of each sender.
  case keyEnvelopes([ReceivedEnvelope])
  /// Something about hosts' decisions, hands, reactions or polls.
  case room(RoomNotice)
  /// Something about what can be decoded, and by whom.
  case codec(CodecNotice)
  /// A notice about this client's join token.
  case token(TokenNotice)
  /// Answers `ping`.
  case pong(time: Double?)
  /// Something was refused. When `fatal`, the socket closes.
  case error(code: SignalingErrorCode, message: String, fatal: Bool, id: Int?)
  /// The meeting is over for this client; the socket closes.
  case ended(reason: EndReason, message: String)

  /// The content of `welcome`.
  public struct Welcome: Sendable, Hashable, Codable {
    /// The client's own participant id.
    public var participant: String
    /// The token that `resume` needs. A secret: it stands for the place in the meeting.
    public var resumeToken: String
    /// How many seconds the place is held without a socket.
    public var resumeWindow: Int
    public var meeting: MeetingInfo
    public var answer: String
    /// Everybody in the meeting, the client itself included.
    public var participants: [ParticipantInfo]
    /// The publication in each slot.
    public var slots: [SlotInfo]
    /// The last messages of the chat.
    public var chat: [ChatEntry]
    /// The client's permissions, by name; nil from servers that don't say.
    public var permissions: [String]?
    /// The spotlight, what a host said of muting, and the polls; nil from servers that have none of these.
    public var state: RoomState?
    /// The STUN and TURN servers with credentials for the time in the meeting, for ICE restarts; nil where those of the
    /// discover document last.
    public var iceServers: [DiscoverDocument.IceServer]?
    /// Everybody's announcements; nil if the meeting isn't encrypted.
    public var announcements: [ParticipantAnnouncement]?

    /// The content of a `welcome`.
    public init(
      participant: String, resumeToken: String, resumeWindow: Int, meeting: MeetingInfo, answer: String,
      participants: [ParticipantInfo], slots: [SlotInfo], chat: [ChatEntry], permissions: [String]? = nil,
      state: RoomState? = nil, iceServers: [DiscoverDocument.IceServer]? = nil,
      announcements: [ParticipantAnnouncement]? = nil
    ) {
      self.participant = participant
      self.resumeToken = resumeToken
      self.resumeWindow = resumeWindow
      self.meeting = meeting
      self.answer = answer
      self.participants = participants
      self.slots = slots
      self.chat = chat
      self.permissions = permissions
      self.state = state
      self.iceServers = iceServers
      self.announcements = announcements
    }

    /// Reads the content of a `welcome`.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      participant = try container.decode(String.self, forKey: .participant)
      resumeToken = try container.decode(String.self, forKey: .resumeToken)
      resumeWindow = try container.decode(Int.self, forKey: .resumeWindow)
      meeting = try container.decode(MeetingInfo.self, forKey: .meeting)
      answer = try container.decode(String.self, forKey: .answer)
      participants = try container.readable(.participants)
      slots = try container.decode([SlotInfo].self, forKey: .slots)
      chat = try container.readable(.chat)
      permissions = container.optional(.permissions)
      state = container.optional(.state)
      iceServers = container.optional(.iceServers)
      announcements = try? container.readable(.announcements)
    }
  }
}

extension ServerMessage: Codable {
  private enum Kind: String {
    case welcome, waiting, lobby, resumed, answer, participantJoined, participantUpdated, participantLeft, published
    case publicationUpdated, unpublished, slots, paused, wanted, needSlots, speakers, quality, chat, signal, pong,
      error, ended, announcement, keyEnvelopes
  }

  private enum Key: String, CodingKey {
    case type, participants, slots, chat, state, id, answer, participant, reason, publication, publications, audio,
      video
    case speakers, quality, message, from, time, code, fatal, seconds, announcements, envelopes
  }

  /// Throws ``SignalingError/unknownType(_:)`` for a type it does not know.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func get<Value: Decodable>(_ key: Key) throws -> Value { try container.decode(Value.self, forKey: key) }
    let type: String = try get(.type)
    switch Kind(rawValue: type) {
    case .welcome: self = .welcome(try Welcome(from: decoder))
    case .waiting: self = .waiting(reason: container.optional(.reason) ?? .lobby, seconds: try get(.seconds))
    case .lobby: self = .lobby(try LobbyInfo(from: decoder))
    case .resumed:
      self = .resumed(
        participants: try container.readable(.participants), slots: try get(.slots),
        chat: try container.readable(.chat), state: container.optional(.state),
        announcements: try? container.readable(.announcements))
    case .answer:
      self = .answer(
        id: try get(.id), answer: try get(.answer), slots: try get(.slots),
        publications: try? container.readable(.publications))
    case .participantJoined: self = .participantJoined(try get(.participant))
    case .participantUpdated: self = .participantUpdated(try get(.participant))
    case .participantLeft: self = .participantLeft(id: try get(.id), reason: container.optional(.reason) ?? .left)
    case .published: self = .published(participant: try get(.participant), publication: try get(.publication))
    case .publicationUpdated:
      self = .publicationUpdated(participant: try get(.participant), publication: try get(.publication))
    case .unpublished:
      self = .unpublished(
        participant: try get(.participant), publication: try get(.publication),
        reason: container.optional(.reason))
    case .slots: self = .slots(try get(.slots))
    case .paused: self = .paused(slots: try get(.slots), reason: container.optional(.reason) ?? .bandwidth)
    case .wanted: self = .wanted(try WantedLayers(from: decoder))
    case .needSlots: self = .needSlots(audio: try get(.audio), video: try get(.video))
    case .speakers: self = .speakers(try container.readable(.speakers))
    case .quality:
      let qualities: [String: Readable<ConnectionQuality>] = try get(.quality)
      self = .quality(qualities.compactMapValues(\.value))
    case .chat: self = .chat(try get(.message))
    case .signal:
      self = .signal(try Signal(from: decoder), from: container.optional(.from))
    case .announcement: self = .announcement(try ParticipantAnnouncement(from: decoder))
    case .keyEnvelopes: self = .keyEnvelopes(try container.readable(.envelopes))
    case .pong: self = .pong(time: try container.decodeIfPresent(Double.self, forKey: .time))
    case .error:
      self = .error(
        code: try get(.code), message: try get(.message), fatal: try get(.fatal),
        id: try container.decodeIfPresent(Int.self, forKey: .id))
    case .ended: self = .ended(reason: try get(.reason), message: try get(.message))
    case nil:
      if let notice = try CodecNotice(type: type, from: decoder) {
        self = .codec(notice)
        return
      }
      if let notice = try TokenNotice(type: type, from: decoder) {
        self = .token(notice)
        return
      }
      guard let notice = try RoomNotice(type: type, from: decoder) else {
        throw SignalingError.unknownType(String(type.prefix(40)))
      }
      self = .room(notice)
    }
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func put(_ value: some Encodable, _ key: Key) throws { try container.encode(value, forKey: key) }
    if let kind { try put(kind.rawValue, .type) }
    switch self {
    case .welcome(let welcome): try welcome.encode(to: encoder)
    case .waiting(let reason, let seconds):
      try put(reason, .reason)
      try put(seconds, .seconds)
    case .lobby(let lobby): try lobby.encode(to: encoder)
    case .resumed(let participants, let slots, let chat, let state, let announcements):
      try put(participants, .participants)
      try put(slots, .slots)
      try put(chat, .chat)
      try container.encodeIfPresent(state, forKey: .state)
      try container.encodeIfPresent(announcements, forKey: .announcements)
    case .answer(let id, let answer, let slots, let publications):
      try put(id, .id)
      try put(answer, .answer)
      try put(slots, .slots)
      try container.encodeIfPresent(publications, forKey: .publications)
    case .participantJoined(let participant), .participantUpdated(let participant):
      try put(participant, .participant)
    case .participantLeft(let id, let reason):
      try put(id, .id)
      try put(reason, .reason)
    case .published(let participant, let publication), .publicationUpdated(let participant, let publication):
      try put(participant, .participant)
      try put(publication, .publication)
    case .unpublished(let participant, let publication, let reason):
      try put(participant, .participant)
      try put(publication, .publication)
      try container.encodeIfPresent(reason, forKey: .reason)
    case .slots(let slots): try put(slots, .slots)
    case .paused(let slots, let reason):
      try put(slots, .slots)
      try put(reason, .reason)
    case .wanted(let wanted): try wanted.encode(to: encoder)
    case .needSlots(let audio, let video):
      try put(audio, .audio)
      try put(video, .video)
    case .speakers(let speakers): try put(speakers, .speakers)
    case .quality(let quality): try put(quality, .quality)
    case .chat(let message): try put(message, .message)
    case .signal(let signal, let from):
      try signal.encode(to: encoder)
      try put(from, .from)
    case .announcement(let announcement): try announcement.encode(to: encoder)
    case .keyEnvelopes(let envelopes): try put(envelopes, .envelopes)
    case .room(let notice): try notice.encode(to: encoder)
    case .codec(let notice): try notice.encode(to: encoder)
    case .token(let notice): try notice.encode(to: encoder)
    case .pong(let time): try container.encodeIfPresent(time, forKey: .time)
    case .error(let code, let message, let fatal, let id):
      try put(code, .code)
      try put(message, .message)
      try put(fatal, .fatal)
      try container.encodeIfPresent(id, forKey: .id)
    case .ended(let reason, let message):
      try put(reason, .reason)
      try put(message, .message)
    }
  }

  /// Nil for a notice, which writes its own.
  private var kind: Kind? {
    switch self {
    case .welcome: .welcome
    case .waiting: .waiting
    case .lobby: .lobby
    case .resumed: .resumed
    case .answer: .answer
    case .participantJoined: .participantJoined
    case .participantUpdated: .participantUpdated
    case .participantLeft: .participantLeft
    case .published: .published
    case .publicationUpdated: .publicationUpdated
    case .unpublished: .unpublished
    case .slots: .slots
    case .paused: .paused
    case .wanted: .wanted
    case .needSlots: .needSlots
    case .speakers: .speakers
    case .quality: .quality
    case .chat: .chat
    case .signal: .signal
    case .announcement: .announcement
    case .keyEnvelopes: .keyEnvelopes
    case .room, .codec, .token: nil
    case .pong: .pong
    case .error: .error
    case .ended: .ended
    }
  }
}
