import Parley

extension JoinError {
  /// The number that OpenTok gives a session that cannot be connected.
  var sessionCode: OTSessionErrorCode {
    switch self {
    // An app gives a server and a session: an invalid address counts as an absent server. See `SessionEngine.connect`.
    case .badAddress, .unreachable, .untrustedCertificate, .mediaFailed, .relayFailed, .cancelled, .ended:
      .connectionFailed
    case .signInRequired: .authorizationFailure
    case .encryptionRequired: .sessionEncryptionSecretMissing
    case .notEncrypted, .wrongSecret: .sessionInvalidEncryptionSecret
    case .timedOut: .sessionConnectionTimeout
    case .notParley: .noMessagingServer
    case .refused(let code, _): Self.codes[code] ?? .connectionRefused
    }
  }

  private static let codes: [String: OTSessionErrorCode] = [
    "badToken": .authorizationFailure, "tokenExpired": .authorizationFailure, "tokenRequired": .authorizationFailure,
    "wrongOrigin": .authorizationFailure, "banned": .authorizationFailure, "notAllowed": .authorizationFailure,
    "passcodeRequired": .authorizationFailure, "wrongPasscode": .authorizationFailure,
    "wrongMeeting": .errorInvalidSession, "noSuchMeeting": .errorInvalidSession, "badRoomName": .errorInvalidSession,
    "reservedName": .errorInvalidSession, "meetingExpired": .errorInvalidSession,
    // Nobody has let it in, as the browser's script says it: no reason to try another token.
    "entryDenied": .connectionFailed, "lobbyTimeout": .connectionFailed,
    "meetingFull": .sessionConnectionLimitExceeded, "quotaReached": .sessionConnectionLimitExceeded,
  ]
}
