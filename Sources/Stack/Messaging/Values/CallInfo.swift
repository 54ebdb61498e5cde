/// What a call carries.
public enum CallMedium: String, Codable, Sendable {
  case voice, video, data
}

/// A step of a call. The server reads it to know who still rings; what belongs to it is sealed.
public enum CallStep: String, Codable, Sendable {
  case ringing, answer, decline, busy, hangUp
  /// Anything that changes nothing about who is in the call.
  case update
}

/// Why a call is over for an endpoint.
public enum CallEnd: String, Codable, Sendable {
  case answeredElsewhere, declinedElsewhere, declined, busy, hungUp
  /// Nobody answered within ``MessagingLimits/ringSeconds``.
  case unanswered
  /// The other side has no connection any more.
  case lost
}

/// Where the media of a call flows: a meeting of two, end-to-end encrypted like every other.
public struct MeetingGrant: Codable, Hashable, Sendable {
  /// The meeting's room.
  public var room: String
  /// A join token for one participant.
  public var token: String

  /// A grant.
  public init(room: String, token: String) {
    self.room = room
    self.token = token
  }
}
