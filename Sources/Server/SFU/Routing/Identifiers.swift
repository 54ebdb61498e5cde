/// Names a participant across the whole service, as signalling spells it (`p_5f0c`).
public struct ParticipantID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let rawValue: String
  /// An id of the given text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The text.
  public var description: String { rawValue }
}

/// Names a publication across the whole service, as signalling spells it (`t_91`).
public struct PublicationID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let rawValue: String
  /// An id of the given text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The text.
  public var description: String { rawValue }
}

/// Names a meeting across the whole service.
public struct MeetingID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let rawValue: String
  /// An id of the given text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The text.
  public var description: String { rawValue }
}
