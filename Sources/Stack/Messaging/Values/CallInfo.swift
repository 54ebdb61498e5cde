/// The media of a call.
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

/// Admission to the meeting of a call, in which its media flow end-to-end encrypted.
public struct MeetingGrant: Codable, Hashable, Sendable {
  public var room: String
  /// A join token for one participant.
  public var token: String

  public init(room: String, token: String) {
    self.room = room
    self.token = token
  }
}
