public import Basics
import Signaling

/// The join token while one is in the meeting.
extension Meeting {
  /// Puts another join token in the place of the one that this client came with: before that one ends
  /// (``MeetingEvent/tokenExpiring(in:leaves:)``), or to be given other rights, which hold at once. It has to be for
  /// the same meeting and the same holder. A rejoin after a lost connection uses it too.
  ///
  /// ```swift
  /// let newToken = Secret("psat=…")  // from the app's own server
  /// for await case .tokenExpiring in meeting.events { try await meeting.renew(token: newToken) }
  /// ```
  ///
  /// - Throws: ``JoinError/refused(code:message:)`` with `badToken`, `tokenExpired`, `wrongMeeting`, or with
  ///   `notAllowed` for a token of somebody else; everything stays as it was then.
  public func renew(token: Secret<String>) async throws(JoinError) {
    try MeetingLocation.check(token)
    try await request { .renewToken(token.value, id: $0) }
    location = location.with(token)
  }

  func take(_ notice: TokenNotice) {
    switch notice {
    case .expiring(let seconds, let leaves):
      emit(.tokenExpiring(in: .seconds(Int64(clamping: seconds)).bounded, leaves: leaves))
    case .refreshed(let token, _):
      // The discover document gives clients without a token a new one.
      if location.hasToken { location = location.with(Secret(token)) }
    }
  }
}

extension MeetingLocation {
  /// Whether it has a token of its own.
  var hasToken: Bool {
    switch self {
    case .address(let address, let token): (token ?? address.token) != nil
    case .discover(let url, let token): (token ?? MeetingAddress.joinContext(in: url)) != nil
    case .token: true
    }
  }

  /// The same meeting with another token.
  func with(_ token: Secret<String>) -> MeetingLocation {
    switch self {
    case .address(let address, _): .address(address, token: token)
    case .token(_, let server): .token(token, server: server)
    // Its address may have the old token in it. The server is what comes before the path.
    case .discover(let url, _):
      .token(token, server: url.split(separator: "/", maxSplits: 2).prefix(2).joined(separator: "//"))
    }
  }
}
