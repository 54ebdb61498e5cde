/// A message of a client to the server; `docs/protocol.md` describes each message.
public enum ClientMessage: Sendable, Hashable {
  /// Enter the meeting of a token. The first message of a new place.
  case join(Join)
  /// Take the place back after a lost socket.
  case resume(token: String)
  /// A new offer: tracks added or removed, more slots, or an ICE restart.
  case offer(Offer)
  /// The track sent in m-section `mid` is muted or not. `id` as with a room request.
  case mute(mid: String, muted: Bool, id: Int? = nil)
  /// The sizes at which the videos of slots are shown. Slots that are not named keep what was said of them before.
  case view([SlotView])
  /// A new display name.
  case rename(name: String)
  /// A chat message to everybody, or to one participant. `id` is the client's number for it, not that of one of its
  /// offers: a refusal carries the same.
  case chat(text: String, to: String?, id: Int? = nil)
  /// A host lets people in who wait in the lobby. `id` as with a room request.
  case admit(WaitingSelection, id: Int? = nil)
  /// A host sends people away who wait in the lobby. `id` as with a room request.
  case deny(WaitingSelection, id: Int? = nil)
  /// A host locks the meeting, or unlocks it. `id` as with a room request.
  case lock(Bool, id: Int? = nil)
  /// A signal to everybody, the sender included, or to one participant. `id` as with a room request.
  case signal(Signal, to: String?, id: Int? = nil)
  /// Something about others, hands, reactions or polls. `id` is the client's number for it, not that of one of its
  /// offers or chat messages: the server answers `done` or a refusal with the same.
  case room(RoomRequest, id: Int? = nil)
  /// Another join token for this session, before the present one ends. `id` as with a room request.
  case renewToken(String, id: Int? = nil)
  /// The announcement of the client's keys, in base64url. The room keeps the latest. Only in an encrypted meeting.
  case announce(String)
  /// Envelopes for others, passed on to those who are in the meeting. Only in an encrypted meeting.
  case keyEnvelopes([AddressedEnvelope])
  case leave
  /// Asks for a `pong` with the same number.
  case ping(time: Double?)

  /// The content of `join`.
  public struct Join: Sendable, Hashable, Codable {
    /// The join token; `docs/protocol.md` lists the forms.
    public var token: String
    /// The room to enter, which must be the token's; needed when the token opens every room.
    public var room: String?
    public var name: String
    /// The first SDP offer.
    public var offer: String
    /// The tracks that the client sends.
    public var tracks: [TrackDescription]
    /// The client's name and version, for logs.
    public var client: String?
    /// The meeting's passcode, where it has one.
    public var passcode: String?
    /// Whether the client takes part only encrypted. The first join of a meeting decides for it; nil counts as false.
    public var e2ee: Bool?

    /// The content of a `join`.
    public init(
      token: String, room: String? = nil, name: String, offer: String, tracks: [TrackDescription],
      client: String? = nil, passcode: String? = nil, e2ee: Bool? = nil
    ) {
      self.token = token
      self.room = room
      self.name = name
      self.offer = offer
      self.tracks = tracks
      self.client = client
      self.passcode = passcode
      self.e2ee = e2ee
    }
  }

  /// The content of `offer`.
  public struct Offer: Sendable, Hashable, Codable {
    /// The client's number for it; the answer carries the same.
    public var id: Int
    public var offer: String
    /// The tracks that the client sends, whole.
    public var tracks: [TrackDescription]

    /// The content of an `offer`.
    public init(id: Int, offer: String, tracks: [TrackDescription]) {
      self.id = id
      self.offer = offer
      self.tracks = tracks
    }
  }
}

extension ClientMessage: Codable {
  private enum Kind: String {
    case join, resume, offer, mute, view, rename, chat, admit, deny, lock, signal, leave, ping, renewToken,
      announce, keyEnvelopes
  }

  private enum Key: String, CodingKey {
    case type, resumeToken, mid, muted, slots, name, text, to, id, time, locked, token, announcement,
      envelopes
  }

  /// Throws ``SignalingError/unknownType(_:)`` for a type it does not know.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let type = try container.decode(String.self, forKey: .type)
    switch Kind(rawValue: type) {
    case .join: self = .join(try Join(from: decoder))
    case .resume: self = .resume(token: try container.decode(String.self, forKey: .resumeToken))
    case .offer: self = .offer(try Offer(from: decoder))
    case .mute:
      self = .mute(
        mid: try container.decode(String.self, forKey: .mid),
        muted: try container.decode(Bool.self, forKey: .muted),
        id: try container.decodeIfPresent(Int.self, forKey: .id))
    case .view:
      let slots = try container.decode([SlotView].self, forKey: .slots)
      guard slots.count <= SlotView.maximumCount else {
        throw SignalingError.badMessage("it names \(slots.count) slots, and at most \(SlotView.maximumCount) are taken")
      }
      for rate in slots.compactMap(\.maxFrameRate) where !SlotView.frameRates.contains(rate) {
        let range = SlotView.frameRates
        throw SignalingError.badMessage(
          "maxFrameRate is \(rate), and \(range.lowerBound) to \(range.upperBound) pictures a second can be asked for; "
            + "leave it out for as many as there are")
      }
      self = .view(slots)
    case .rename: self = .rename(name: try container.decode(String.self, forKey: .name))
    case .chat:
      self = .chat(
        text: try container.decode(String.self, forKey: .text),
        to: try container.decodeIfPresent(String.self, forKey: .to),
        id: try container.decodeIfPresent(Int.self, forKey: .id))
    case .admit:
      self = .admit(
        try WaitingSelection(from: decoder), id: try container.decodeIfPresent(Int.self, forKey: .id))
    case .deny:
      self = .deny(
        try WaitingSelection(from: decoder), id: try container.decodeIfPresent(Int.self, forKey: .id))
    case .lock:
      self = .lock(
        try container.decode(Bool.self, forKey: .locked), id: try container.decodeIfPresent(Int.self, forKey: .id))
    case .signal:
      self = .signal(
        try Signal(from: decoder), to: try container.decodeIfPresent(String.self, forKey: .to),
        id: try container.decodeIfPresent(Int.self, forKey: .id))
    case .renewToken:
      let token = try container.decode(String.self, forKey: .token)
      guard SignalingLimits.takes(token: token) else {
        throw SignalingError.badMessage("the token has more than \(SignalingLimits.tokenBytes) bytes")
      }
      self = .renewToken(token, id: try container.decodeIfPresent(Int.self, forKey: .id))
    case .announce: self = .announce(try Self.announcement(in: container, .announcement))
    case .keyEnvelopes: self = .keyEnvelopes(try Self.envelopes(in: container, .envelopes))
    case .leave: self = .leave
    case .ping: self = .ping(time: try container.decodeIfPresent(Double.self, forKey: .time))
    case nil:
      guard let request = try RoomRequest(type: type, from: decoder) else {
        throw SignalingError.unknownType(String(type.prefix(40)))
      }
      self = .room(request, id: try container.decodeIfPresent(Int.self, forKey: .id))
    }
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func type(_ kind: Kind) throws { try container.encode(kind.rawValue, forKey: .type) }
    switch self {
    case .join(let join):
      try type(.join)
      try join.encode(to: encoder)
    case .resume(let token):
      try type(.resume)
      try container.encode(token, forKey: .resumeToken)
    case .offer(let offer):
      try type(.offer)
      try offer.encode(to: encoder)
    case .mute(let mid, let muted, let id):
      try type(.mute)
      try container.encode(mid, forKey: .mid)
      try container.encode(muted, forKey: .muted)
      try container.encodeIfPresent(id, forKey: .id)
    case .view(let slots):
      try type(.view)
      try container.encode(slots, forKey: .slots)
    case .rename(let name):
      try type(.rename)
      try container.encode(name, forKey: .name)
    case .chat(let text, let to, let id):
      try type(.chat)
      try container.encode(text, forKey: .text)
      try container.encodeIfPresent(to, forKey: .to)
      try container.encodeIfPresent(id, forKey: .id)
    case .admit(let who, let id):
      try type(.admit)
      try who.encode(to: encoder)
      try container.encodeIfPresent(id, forKey: .id)
    case .deny(let who, let id):
      try type(.deny)
      try who.encode(to: encoder)
      try container.encodeIfPresent(id, forKey: .id)
    case .lock(let locked, let id):
      try type(.lock)
      try container.encode(locked, forKey: .locked)
      try container.encodeIfPresent(id, forKey: .id)
    case .signal(let signal, let to, let id):
      try type(.signal)
      try signal.encode(to: encoder)
      try container.encodeIfPresent(to, forKey: .to)
      try container.encodeIfPresent(id, forKey: .id)
    case .room(let request, let id):
      try request.encode(to: encoder)
      try container.encodeIfPresent(id, forKey: .id)
    case .renewToken(let token, let id):
      try type(.renewToken)
      try container.encode(token, forKey: .token)
      try container.encodeIfPresent(id, forKey: .id)
    case .announce(let announcement):
      try type(.announce)
      try container.encode(announcement, forKey: .announcement)
    case .keyEnvelopes(let envelopes):
      try type(.keyEnvelopes)
      try container.encode(envelopes, forKey: .envelopes)
    case .leave: try type(.leave)
    case .ping(let time):
      try type(.ping)
      try container.encodeIfPresent(time, forKey: .time)
    }
  }
}
