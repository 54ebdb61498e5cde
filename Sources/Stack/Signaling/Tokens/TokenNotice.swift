public import FoundationEssentials

/// The server's notice about the join token that a client came with.
public enum TokenNotice: Sendable, Hashable {
  /// It ends in so many seconds. With `leaves` the client's place ends then, unless it is renewed; without, nobody is
  /// sent away.
  case expiring(seconds: Int, leaves: Bool)
  /// Another one for the same place, with which to come back where a rejoin is needed: a secret.
  case refreshed(token: String, expires: Date)
}

extension TokenNotice: Encodable {
  private enum Kind: String { case tokenExpiring, refreshToken }

  private enum Key: String, CodingKey { case type, seconds, leaves, token, expires }

  /// Reads the notice of a message of this type; nil when the type is none of its own.
  init?(type: String, from decoder: any Decoder) throws {
    guard let kind = Kind(rawValue: type) else { return nil }
    let container = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .tokenExpiring:
      self = .expiring(
        seconds: try container.decode(Int.self, forKey: .seconds),
        leaves: try container.decode(Bool.self, forKey: .leaves))
    case .refreshToken:
      self = .refreshed(
        token: try container.decode(String.self, forKey: .token),
        expires: try container.decode(Date.self, forKey: .expires))
    }
  }

  /// Writes the keys of `docs/protocol.md`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .expiring(let seconds, let leaves):
      try container.encode(Kind.tokenExpiring.rawValue, forKey: .type)
      try container.encode(seconds, forKey: .seconds)
      try container.encode(leaves, forKey: .leaves)
    case .refreshed(let token, let expires):
      try container.encode(Kind.refreshToken.rawValue, forKey: .type)
      try container.encode(token, forKey: .token)
      try container.encode(expires, forKey: .expires)
    }
  }
}
