/// Names a tenant: one customer of a server, with keys and meetings of its own (`n_…`).
public struct TenantID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
  public let rawValue: String
  @inlinable public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}

/// Names a meeting permanently, also after its room name is used again (`m_…`).
public struct MeetingID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
  public let rawValue: String
  @inlinable public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}

/// Names a participant across the whole service (`p_5f0c`). Another join of the same person has another id.
public struct ParticipantID: RawRepresentable, Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
  public let rawValue: String
  @inlinable public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// Orders by bytes, so that Swift and JavaScript sort alike.
  public static func < (a: ParticipantID, b: ParticipantID) -> Bool {
    a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8)
  }
}

/// Names a publication across the whole service (`t_91`).
public struct PublicationID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
  public let rawValue: String
  @inlinable public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}

/// A media identification (RFC 9143): names an m-section of a session description, and the stream or slot in it.
public struct MID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
  /// The token, 1 to 16 characters.
  public let rawValue: String
  @inlinable public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }
}
