public import FoundationEssentials

/// What a track shows or lets hear.
public enum TrackSource: String, Sendable, Hashable, Codable, CaseIterable {
  case microphone, camera, screen, screenAudio

  /// Sound or picture.
  public var kind: TrackKind { self == .microphone || self == .screenAudio ? .audio : .video }
}

/// Sound or picture.
public enum TrackKind: String, Sendable, Hashable, Codable {
  case audio, video
}

/// A track that a client sends: an entry of `tracks` in `join` and `offer`.
public struct TrackDescription: Sendable, Hashable, Codable {
  /// The `a=mid` of the m-section that carries it.
  public var mid: String
  /// What it shows or lets hear.
  public var source: TrackSource
  /// Whether it starts muted. `false` where the key is absent.
  public var muted: Bool
  /// What the others are to see as its name; nil for none of its own.
  public var name: String?

  /// Describes the track sent in m-section `mid`.
  public init(mid: String, source: TrackSource, muted: Bool = false, name: String? = nil) {
    self.mid = mid
    self.source = source
    self.muted = muted
    self.name = name
  }

  /// Reads an entry; `muted` and `name` may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    mid = try container.decode(String.self, forKey: .mid)
    source = try container.decode(TrackSource.self, forKey: .source)
    muted = try container.decodeIfPresent(Bool.self, forKey: .muted) ?? false
    name = try container.decodeIfPresent(String.self, forKey: .name)
  }

  private enum CodingKeys: String, CodingKey { case mid, source, muted, name }
}

/// A track that others may receive.
public struct PublicationInfo: Sendable, Hashable, Codable {
  /// The publication's id, `t_…`.
  public var id: String
  /// Sound or picture.
  public var kind: TrackKind
  /// What it shows or lets hear.
  public var source: TrackSource
  /// Whether it is muted: nobody receives anything of it.
  public var muted: Bool
  /// True when it was a host, not the sender, who muted it; nil otherwise.
  public var mutedByHost: Bool?
  /// The name that its sender gave it, a screen's title for instance; nil for none. Always show it as text, never as markup.
  public var name: String?
  private var moment: Moment?

  /// Describes publication `id`.
  public init(
    id: String, kind: TrackKind, source: TrackSource, muted: Bool, mutedByHost: Bool? = nil, name: String? = nil,
    created: Date? = nil
  ) {
    self.id = id
    self.kind = kind
    self.source = source
    self.muted = muted
    self.mutedByHost = mutedByHost
    self.name = name
    self.created = created
  }

  /// When the server took it, to the millisecond; nil from servers that do not say.
  public var created: Date? {
    get { moment?.date }
    set { moment = newValue.map { Moment($0) } }
  }

  private enum CodingKeys: String, CodingKey {
    case id, kind, source, muted, mutedByHost, name
    case moment = "created"
  }
}

/// Whether a participant's signalling is up.
public enum ConnectionState: String, Sendable, Hashable, Codable, CaseIterable {
  case connected, reconnecting
}

/// Someone in the meeting.
public struct ParticipantInfo: Sendable, Hashable, Codable {
  /// The participant's id in this meeting, `p_…`.
  public var id: String
  /// The display name. Always show it as text, never as markup.
  public var name: String
  /// The role that the join token or a host gave: `guest`, `presenter`, …
  public var role: String
  /// Whether the participant's signalling is up.
  public var connection: ConnectionState
  /// The participant's tracks.
  public var publications: [PublicationInfo]
  /// What the join token says about the participant, for the application; nil when it says nothing. Nobody but the token's issuer can set it.
  public var data: String?
  /// When the participant came (whole seconds); nil from servers that do not say.
  public var created: Date?
  /// Its place in the row of raised hands: who has the smallest number raised it first. Nil while it is down.
  public var hand: Int?
  /// What the participant may do, by name, where that is not just what its role brings.
  public var permissions: [String]?

  /// Describes participant `id`.
  public init(
    id: String, name: String, role: String, connection: ConnectionState = .connected,
    publications: [PublicationInfo] = [], hand: Int? = nil, permissions: [String]? = nil, data: String? = nil,
    created: Date? = nil
  ) {
    self.id = id
    self.name = name
    self.role = role
    self.connection = connection
    self.publications = publications
    self.data = data
    self.created = created
    self.hand = hand
    self.permissions = permissions
  }
}

/// What a receive slot carries.
public struct SlotInfo: Sendable, Hashable, Codable {
  /// The `a=mid` of the slot's m-section in the receiver's own offer.
  public var mid: String
  /// The publication it carries; nil while it carries nothing.
  public var publication: String?
  /// Whose publication that is; nil while it carries nothing.
  public var participant: String?

  /// Describes slot `mid`.
  public init(mid: String, publication: String? = nil, participant: String? = nil) {
    self.mid = mid
    self.publication = publication
    self.participant = participant
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    // The keys are part of the protocol even when null, which the synthesised form would leave out.
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(mid, forKey: .mid)
    try container.encode(publication, forKey: .publication)
    try container.encode(participant, forKey: .participant)
  }

  private enum CodingKeys: String, CodingKey { case mid, publication, participant }
}

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
  /// Who took it away; nil when it is still there. Its ``text`` is empty then.
  public var deleted: ChatDeletion?
  /// The file that hangs on it, whose name is the ``text`` then.
  public var file: ChatFile?

  /// A chat message.
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
  /// What holds for the chat; nil from servers that do not say.
  public var chat: ChatRules?

  /// Describes meeting `id`.
  public init(
    id: String, name: String, url: String, subject: String, expires: Date? = nil, announces: Bool? = nil,
    chat: ChatRules? = nil
  ) {
    self.id = id
    self.name = name
    self.url = url
    self.subject = subject
    self.expires = expires
    self.announces = announces
    self.chat = chat
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
  }

  private enum CodingKeys: String, CodingKey { case id, name, url, subject, expires, announces, chat }
}

/// How loud a participant speaks.
public struct SpeakerLevel: Sendable, Hashable, Codable {
  /// Who speaks.
  public var participant: String
  /// 0 (silence) to 1 (as loud as can be sent).
  public var level: Double

  /// A speaker's level.
  public init(participant: String, level: Double) {
    self.participant = participant
    self.level = level
  }
}

/// How well media flows between a participant and the server.
public enum ConnectionQuality: String, Sendable, Hashable, Codable, CaseIterable {
  case excellent, good, poor, lost
}

/// Why a client is not sent a picture that it wants.
public enum PauseReason: String, Sendable, Hashable, Codable {
  /// Its network has no room for it beside what matters more.
  case bandwidth
}

/// Why a participant is no longer in the meeting.
public enum LeaveReason: String, Sendable, Hashable, Codable {
  case left, timeout, removed, replaced
}

/// Why a track is gone that its sender did not end.
public enum UnpublishReason: String, Sendable, Hashable, Codable {
  /// A host ended it. It may be published again.
  case removed
  /// The right to send it was taken.
  case notAllowed
}

/// Why the meeting is over for a client.
public enum EndReason: String, Sendable, Hashable, Codable {
  case shutdown, expired, removed, replaced
  /// A host ended the meeting for everybody.
  case endedByHost
  /// The join token ended, was not renewed, and the server lets nobody stay without one.
  case tokenExpired
  /// The join token was revoked.
  case tokenRevoked
}
