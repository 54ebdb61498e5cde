/// A message of an endpoint to the service: a JSON object with one key, the message's name.
/// `docs/protocol/messaging.md` describes each.
///
/// The first message is `hello` or `resume`. Requests are answered in any order, each once.
public enum EndpointMessage: Sendable, Hashable {
  /// Registers this installation, or an installation that lost its secret, with the identity of a token.
  case hello(Hello)
  /// Comes back with the secret of an earlier `welcome`.
  case resume(Resume)
  /// A request; `id` is the endpoint's number for it.
  case request(id: Int, MessagingRequest)
  /// All events through this one are kept by the endpoint.
  case acknowledge(EventNumber)
  /// Asks for a `pong`.
  case ping

  /// The content of `hello`.
  public struct Hello: Codable, Hashable, Sendable {
    public var domain: DomainID
    /// The identity provider's token.
    public var token: String
    /// The user that the app says it is. It has to be the token's.
    public var userId: String
    /// Whether the endpoint counts as persistent.
    public var isPersistent: Bool
    public var description: String
    public var nickname: String
    /// The endpoint's secret: 32 random bytes in base64url, kept before they are sent. A `hello` with the same secret
    /// is the same endpoint, so that a lost answer costs none. Without it, the service makes one.
    public var secret: String?
    /// The secret of this installation's endpoint from before it was reset, which goes when the new one is registered.
    public var replaces: String?

    /// The content of a `hello`.
    public init(
      domain: DomainID, token: String, userId: String, isPersistent: Bool = true, description: String = "",
      nickname: String = "", secret: String? = nil, replaces: String? = nil
    ) {
      self.domain = domain
      self.token = token
      self.userId = userId
      self.isPersistent = isPersistent
      self.description = description
      self.nickname = nickname
      self.secret = secret
      self.replaces = replaces
    }
  }

  /// The content of `resume`.
  public struct Resume: Codable, Hashable, Sendable {
    public var domain: DomainID
    public var endpoint: EndpointID
    /// The secret of the `welcome`.
    public var secret: String
    /// The last event that the endpoint keeps.
    public var acknowledged: EventNumber

    /// The content of a `resume`.
    public init(domain: DomainID, endpoint: EndpointID, secret: String, acknowledged: EventNumber) {
      self.domain = domain
      self.endpoint = endpoint
      self.secret = secret
      self.acknowledged = acknowledged
    }
  }
}

extension EndpointMessage: Codable {
  private enum Key: String, CodingKey {
    case hello, resume, request, acknowledge, ping
  }

  private enum IDKey: String, CodingKey {
    case id
  }

  private struct Acknowledgement: Codable {
    var through: EventNumber
  }

  private struct Nothing: Codable {}

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "It isn't an object with one known message name."))
    }
    switch key {
    case .hello: self = .hello(try container.decode(Hello.self, forKey: key))
    case .resume: self = .resume(try container.decode(Resume.self, forKey: key))
    case .request:
      let id = try container.nestedContainer(keyedBy: IDKey.self, forKey: key).decode(Int.self, forKey: .id)
      self = .request(id: id, try container.decode(MessagingRequest.self, forKey: key))
    case .acknowledge: self = .acknowledge(try container.decode(Acknowledgement.self, forKey: key).through)
    case .ping: self = .ping
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .hello(let hello): try container.encode(hello, forKey: .hello)
    case .resume(let resume): try container.encode(resume, forKey: .resume)
    case .request(let id, let request):
      try container.encode(Numbered(id: id, content: request), forKey: .request)
    case .acknowledge(let number): try container.encode(Acknowledgement(through: number), forKey: .acknowledge)
    case .ping: try container.encode(Nothing(), forKey: .ping)
    }
  }
}

/// An object with the `id` of a request next to its content's one key.
struct Numbered<Content: Encodable>: Encodable {
  var id: Int
  var content: Content

  private enum Key: String, CodingKey {
    case id
  }

  func encode(to encoder: any Encoder) throws {
    try content.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
  }
}
