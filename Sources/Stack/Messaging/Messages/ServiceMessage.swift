public import Signaling

/// A message of the service to an endpoint: a JSON object with one key, the message's name.
public enum ServiceMessage: Sendable, Hashable {
  /// The endpoint is registered, or back.
  case welcome(Welcome)
  /// The identity has all the endpoints of this kind that it may have: free one, then `setupRetry`.
  case full(endpoints: [EndpointInfo], maximumPersistent: Int, maximumEphemeral: Int)
  /// `hello` or `resume` failed. The socket is closed.
  case refused(MessagingFailure)
  case answer(id: Int, MessagingAnswer)
  case failed(id: Int?, MessagingFailure)
  case event(number: EventNumber, time: MessageTime, MessagingEvent)
  case passing(PassingEvent)
  /// The endpoint was removed, by another or by a forgotten passcode. It wipes what it holds. The socket is closed.
  case endpointDeregistered
  case pong

  /// The content of `welcome`.
  public struct Welcome: Codable, Hashable, Sendable {
    public var regId: RegID
    public var appUserId: String
    public var pin: String
    public var endpoint: EndpointID
    /// With it, the endpoint comes back. Only in the answer to `hello`.
    public var secret: String?
    /// A signed statement that the user id belongs to the number; `/messaging/v1/keys/<domain>` has the keys.
    public var registrationToken: String
    /// Whether the identity was made by this `hello`.
    public var isNewIdentity: Bool
    /// The public keys that others get.
    public var keys: PublicKeys?
    /// Whether the domain keeps keys in vaults.
    public var hasKeyManagement: Bool
    /// The state of the vault; nil where the domain has no key management.
    public var vault: VaultStatus?
    /// Seconds for which another endpoint may still make the vault again, after a forgotten passcode. During
    /// that, ``vault`` is nil, and requests about it fail with ``MessagingFailure/Code/vaultReserved``.
    public var vaultReservedFor: Int?
    /// When the endpoint has to send another token.
    public var tokenExpires: MessageTime
    /// The newest event of the mailbox. A new endpoint gets those after it.
    public var lastEvent: EventNumber
    public var time: MessageTime

    /// The content of a `welcome`.
    public init(
      regId: RegID, appUserId: String, pin: String, endpoint: EndpointID, secret: String? = nil,
      registrationToken: String, isNewIdentity: Bool, keys: PublicKeys? = nil, hasKeyManagement: Bool,
      vault: VaultStatus? = nil, vaultReservedFor: Int? = nil, tokenExpires: MessageTime, lastEvent: EventNumber,
      time: MessageTime
    ) {
      self.regId = regId
      self.appUserId = appUserId
      self.pin = pin
      self.endpoint = endpoint
      self.secret = secret
      self.registrationToken = registrationToken
      self.isNewIdentity = isNewIdentity
      self.keys = keys
      self.hasKeyManagement = hasKeyManagement
      self.vault = vault
      self.vaultReservedFor = vaultReservedFor
      self.tokenExpires = tokenExpires
      self.lastEvent = lastEvent
      self.time = time
    }
  }
}

extension ServiceMessage: Codable {
  private enum Key: String, CodingKey {
    case welcome, full, refused, answer, failed, event, passing, endpointDeregistered, pong
  }

  private enum InnerKey: String, CodingKey {
    case id, number, time
  }

  private struct Full: Codable {
    var endpoints: [EndpointInfo]
    var maximumPersistent: Int
    var maximumEphemeral: Int
  }

  private struct NumberedFailure: Encodable {
    var id: Int?
    var failure: MessagingFailure

    func encode(to encoder: any Encoder) throws {
      try failure.encode(to: encoder)
      var container = encoder.container(keyedBy: InnerKey.self)
      try container.encodeIfPresent(id, forKey: .id)
    }
  }

  private struct NumberedEvent: Encodable {
    var number: EventNumber
    var time: MessageTime
    var event: MessagingEvent

    func encode(to encoder: any Encoder) throws {
      try event.encode(to: encoder)
      var container = encoder.container(keyedBy: InnerKey.self)
      try container.encode(number, forKey: .number)
      try container.encode(time, forKey: .time)
    }
  }

  private struct Nothing: Codable {}

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "It isn't an object with one known message name."))
    }
    func inner() throws -> KeyedDecodingContainer<InnerKey> {
      try container.nestedContainer(keyedBy: InnerKey.self, forKey: key)
    }
    switch key {
    case .welcome: self = .welcome(try container.decode(Welcome.self, forKey: key))
    case .full:
      let full = try container.decode(Full.self, forKey: key)
      self = .full(
        endpoints: full.endpoints, maximumPersistent: full.maximumPersistent, maximumEphemeral: full.maximumEphemeral)
    case .refused: self = .refused(try container.decode(MessagingFailure.self, forKey: key))
    case .answer:
      self = .answer(
        id: try inner().decode(Int.self, forKey: .id), try container.decode(MessagingAnswer.self, forKey: key))
    case .failed:
      self = .failed(
        id: try inner().decodeIfPresent(Int.self, forKey: .id),
        try container.decode(MessagingFailure.self, forKey: key))
    case .event:
      self = .event(
        number: try inner().decode(EventNumber.self, forKey: .number),
        time: try inner().decode(MessageTime.self, forKey: .time),
        try container.decode(MessagingEvent.self, forKey: key))
    case .passing: self = .passing(try container.decode(PassingEvent.self, forKey: key))
    case .endpointDeregistered: self = .endpointDeregistered
    case .pong: self = .pong
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .welcome(let welcome): try container.encode(welcome, forKey: .welcome)
    case .full(let endpoints, let persistent, let ephemeral):
      try container.encode(
        Full(endpoints: endpoints, maximumPersistent: persistent, maximumEphemeral: ephemeral), forKey: .full)
    case .refused(let failure): try container.encode(failure, forKey: .refused)
    case .answer(let id, let answer): try container.encode(Numbered(id: id, content: answer), forKey: .answer)
    case .failed(let id, let failure):
      try container.encode(NumberedFailure(id: id, failure: failure), forKey: .failed)
    case .event(let number, let time, let event):
      try container.encode(NumberedEvent(number: number, time: time, event: event), forKey: .event)
    case .passing(let event): try container.encode(event, forKey: .passing)
    case .endpointDeregistered: try container.encode(Nothing(), forKey: .endpointDeregistered)
    case .pong: try container.encode(Nothing(), forKey: .pong)
    }
  }
}
