/// The authority's no. The codes are those of the signalling protocol.
public enum JoinRefusal: Error, Sendable, Equatable {
  case badToken, tokenExpired, tokenRequired, signInRequired, wrongOrigin, roomNeeded, noSuchMeeting, meetingExpired
  /// The token has more bytes than are looked at.
  case tokenTooLarge
  /// Its holder was removed from the meeting permanently, or somebody whom nobody knows from the same network.
  case banned
  /// The token is good, and for another room than the one that was asked for.
  case wrongMeeting(token: String, address: String)
  /// A limit of the tenant or of the token is reached.
  case limit(LimitReached)
  /// The store failed; the text is for the log, not for the client.
  case unavailable(String)

  public var code: String {
    switch self {
    case .badToken, .tokenTooLarge: "badToken"
    case .tokenExpired: "tokenExpired"
    case .tokenRequired: "tokenRequired"
    case .signInRequired: "signInRequired"
    case .wrongOrigin: "wrongOrigin"
    case .roomNeeded, .noSuchMeeting: "noSuchMeeting"
    case .meetingExpired: "meetingExpired"
    case .banned: "banned"
    case .wrongMeeting: "wrongMeeting"
    case .limit: "quotaReached"
    case .unavailable: "internal"
    }
  }
}

extension JoinRefusal: CustomStringConvertible {
  /// The error and its remedy, as a sentence. Says nothing that helps to forge a token.
  public var description: String {
    switch self {
    case .badToken: "The join token is not valid for this server. Ask for a new one."
    case .tokenTooLarge:
      "The join token has more than \(JoinToken.maximumLength) bytes, which is what this server takes. Ask for one with shorter data."
    case .tokenExpired: "The join token has expired. Ask for a new one."
    case .tokenRequired:
      "A join token is needed to get into this server's meetings. Ask whoever runs the meeting for one."
    case .signInRequired: "This server's meetings are for people who sign in. Sign in, or ask for an invitation."
    case .wrongOrigin: "The join token may not be used from this web page's origin."
    case .roomNeeded: "The join token opens every room: use the address of one."
    case .noSuchMeeting: "There is no such meeting."
    case .meetingExpired: "The meeting is over."
    case .banned:
      "A host has removed you from this meeting for good, or somebody from your network. "
        + "If it was not you, ask the host for an invitation of your own."
    case .wrongMeeting(let token, let address):
      "The join token is for the meeting \(token), and the address names \(address). "
        + "Use the address that the token was given for, or ask for a token for \(address)."
    case .limit(let reached): reached.text
    case .unavailable: "The server cannot check the token just now. Try again in a moment."
    }
  }
}
