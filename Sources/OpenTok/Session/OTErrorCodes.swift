/// What can go wrong with a session.
public enum OTSessionErrorCode: Int32, Sendable, CaseIterable {
  /// Nothing.
  case sessionSuccess = 0
  /// The API key or the token is not good, or the token's role does not allow what was asked for.
  case authorizationFailure = 1004
  /// There is no such session.
  case errorInvalidSession = 1005
  /// The server could not be reached, or no way for sound and pictures was found.
  case connectionFailed = 1006
  /// The session is not connected.
  case notConnected = 1010
  /// A parameter is nil or of no use.
  case nullOrInvalidParameter = 1011
  /// The call makes no sense now, such as connecting or publishing twice.
  case sessionIllegalState = 1015
  /// The session's state was lost.
  case sessionStateFailed = 1020
  /// The server did not answer in time.
  case sessionConnectionTimeout = 1021
  /// The connection was lost and could not be brought back.
  case connectionDropped = 1022
  /// The server refused the connection.
  case connectionRefused = 1023
  /// Never given: Parley does not look at countries.
  case sessionBlockedCountry = 1026
  /// The session is full.
  case sessionConnectionLimitExceeded = 1027
  /// The subscriber is not one of this session.
  case sessionSubscriberNotFound = 1112
  /// The publisher is not one of this session.
  case sessionPublisherNotFound = 1113
  /// Never given: media always goes through the server.
  case p2PSessionMaxParticipants = 1403
  /// The data of a signal has more than 8 KiB.
  case sessionSignalDataTooLong = 1413
  /// The type of a signal has more than 128 characters, or others than letters, digits, `-`, `_` and `~`.
  case sessionInvalidSignalType = 1461
  /// Something answers at the address, but no Parley server.
  case noMessagingServer = 1503
  /// The token's role is not that of a moderator.
  case sessionUnableToForceDisconnect = 1520
  /// The token's role is not that of a moderator.
  case sessionUnableToForceMute = 1540
  /// The token's role does not let send signals.
  case sessionUnableToSendSignal = 1550
  /// Something that is no fault of the app.
  case sessionInternalError = 2000
  /// Never given: see `docs/porting-opentok.md` about end-to-end encryption.
  case sessionEncryptionSecretMissing = 6000
  /// The secret cannot be used.
  case sessionInvalidEncryptionSecret = 6004
}

/// What can go wrong with a publisher.
public enum OTPublisherErrorCode: Int32, Sendable, CaseIterable {
  /// Nothing.
  case publisherSuccess = 0
  /// The session is not connected any more.
  case sessionDisconnected = 1010
  /// The session has as many streams as its ``OTStreamLimit`` allows.
  case publisherStreamLimitExceeded = 1605
  /// The server or the encoder did not take the media.
  case publisherWebRTCError = 1610
  /// Never given.
  case publisherInternalError = 2000
  /// There is no audio track to do this with.
  case publisherMissingAudioTrack = 4500
  /// Never given.
  case publisherEncryptionInternalError = 6001
  /// Never given.
  case encryptionUnsupportedCodec = 6005
  /// Never given.
  case publisherInvalidScalabilityMode = 6006
}

/// What can go wrong with a subscriber.
public enum OTSubscriberErrorCode: Int32, Sendable, CaseIterable {
  /// Nothing.
  case subscriberSuccess = 0
  /// The session is not connected any more.
  case subscriberSessionDisconnected = 1010
  /// The stream did not come in time.
  case connectionTimedOut = 1542
  /// The media could not be received.
  case subscriberWebRTCError = 1600
  /// The stream has ended, or never was.
  case subscriberServerCannotFindStream = 1604
  /// The session has as many streams as its ``OTStreamLimit`` allows.
  case subscriberStreamLimitExceeded = 1605
  /// Never given.
  case subsriberPeerConnectionNotConnected = 1606
  /// Never given.
  case subscriberInternalError = 2000
  /// Never given.
  case subscriberDecryptionInternalError = 6002
  /// Never given.
  case encryptionSecretMismatch = 6003
  /// Never given.
  case decryptionUnsupportedCodec = 6006
}

/// The numbers of version 1, which sessions that were made as in version 1 give.
public enum OTLegacyErrorCode {
  /// Those of a session.
  public enum Session: Int32, Sendable, CaseIterable {
    /// The names and numbers of version 1 and 2.1.
    case authorizationFailure, invalidSessionId, connectionFailed, noMessagingServer, sdkUpdateRequired,
      connectionRefused
    /// See above.
    case sessionStateFailed, p2PSessionUnsupported, unknownServerError, p2PSessionRequired, p2PSessionMaxParticipants
    /// See above.
    case sessionConnectionTimeout, sessionCompatibilityMismatch
  }

  /// Those of a publisher.
  public enum Publisher: Int32, Sendable, CaseIterable {
    /// The names and numbers of version 2.1.
    case noMediaPublished, userDeniedCameraAccess, sessionDisconnected
  }

  /// Those of a subscriber.
  public enum Subscriber: Int32, Sendable, CaseIterable {
    /// The names and numbers of version 2.1.
    case failedToConnect, connectionTimedOut, noStreamMedia, initializationFailure, invalidStreamType,
      selfSubscribeFailure
  }

  static func number(of code: Int, in domain: String) -> Int {
    switch domain {
    case OTSubscriberErrorDomain: Int(subscriber(OTSubscriberErrorCode(rawValue: Int32(clamping: code))).rawValue)
    case OTPublisherErrorDomain: Int(publisher(OTPublisherErrorCode(rawValue: Int32(clamping: code))).rawValue)
    default: Int(session(OTSessionErrorCode(rawValue: Int32(clamping: code))).rawValue)
    }
  }

  private static func session(_ code: OTSessionErrorCode?) -> Session {
    switch code {
    case .authorizationFailure: .authorizationFailure
    case .errorInvalidSession: .invalidSessionId
    case .connectionFailed, .connectionDropped, .notConnected: .connectionFailed
    case .noMessagingServer: .noMessagingServer
    case .connectionRefused, .sessionConnectionLimitExceeded: .connectionRefused
    case .sessionConnectionTimeout: .sessionConnectionTimeout
    case .sessionIllegalState, .sessionStateFailed, .nullOrInvalidParameter: .sessionStateFailed
    default: .unknownServerError
    }
  }

  private static func publisher(_ code: OTPublisherErrorCode?) -> Publisher {
    code == .sessionDisconnected ? .sessionDisconnected : .noMediaPublished
  }

  private static func subscriber(_ code: OTSubscriberErrorCode?) -> Subscriber {
    switch code {
    case .connectionTimedOut: .connectionTimedOut
    case .subscriberStreamLimitExceeded: .initializationFailure
    case .subscriberServerCannotFindStream: .noStreamMedia
    default: .failedToConnect
    }
  }
}
