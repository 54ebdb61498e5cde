/// The errors of a session. Cases have the names of the SDK's header: their first words differ, so Swift shortens none.
public enum OTSessionErrorCode: Int32, Sendable, CaseIterable {
  case OTSessionSuccess = 0
  /// The API key or the token is not good, or the token's role does not allow what was asked for.
  case OTAuthorizationFailure = 1004
  /// There is no such session.
  case OTErrorInvalidSession = 1005
  /// The server could not be reached, or no path for audio and video was found.
  case OTConnectionFailed = 1006
  /// The session is not connected.
  case OTNotConnected = 1010
  /// A parameter is nil or of no use.
  case OTNullOrInvalidParameter = 1011
  /// The call makes no sense now, such as connecting or publishing twice.
  case OTSessionIllegalState = 1015
  /// The session's state was lost.
  case OTSessionStateFailed = 1020
  /// The server did not answer in time.
  case OTSessionConnectionTimeout = 1021
  /// The connection was lost and could not be brought back.
  case OTConnectionDropped = 1022
  /// The server refused the connection.
  case OTConnectionRefused = 1023
  /// Never given: Parley does not look at countries.
  case OTSessionBlockedCountry = 1026
  /// The session is full.
  case OTSessionConnectionLimitExceeded = 1027
  /// The subscriber is not one of this session.
  case OTSessionSubscriberNotFound = 1112
  /// The publisher is not one of this session.
  case OTSessionPublisherNotFound = 1113
  /// Never given: media always goes through the server.
  case OTP2PSessionMaxParticipants = 1403
  /// The data of a signal has more than 8 KiB.
  case OTSessionSignalDataTooLong = 1413
  /// The type of a signal has more than 128 characters, or others than letters, digits, `-`, `_` and `~`.
  case OTSessionInvalidSignalType = 1461
  /// Something answers at the address, but no Parley server.
  case OTNoMessagingServer = 1503
  /// The token's role is not that of a moderator.
  case OTSessionUnableToForceDisconnect = 1520
  /// The token's role is not that of a moderator.
  case OTSessionUnableToForceMute = 1540
  /// The token's role does not let send signals.
  case OTSessionUnableToSendSignal = 1550
  /// An error that isn't the app's fault.
  case OTSessionInternalError = 2000
  /// Never given: see `docs/porting-opentok.md` about end-to-end encryption.
  case OTSessionEncryptionSecretMissing = 6000
  /// The secret cannot be used.
  case OTSessionInvalidEncryptionSecret = 6004
}

/// The errors of a publisher.
public enum OTPublisherErrorCode: Int32, Sendable, CaseIterable {
  case OTPublisherSuccess = 0
  /// The session is not connected any more.
  case OTSessionDisconnected = 1010
  /// The server or the encoder did not take the media.
  case OTPublisherWebRTCError = 1610
  /// Never given by this module.
  case OTPublisherInternalError = 2000
  /// Never given by this module.
  case OTPublisherEncryptionInternalError = 6001
  /// Never given by this module.
  case EncryptionUnsupportedCodec = 6005
  /// Never given by this module.
  case OTPublisherInvalidScalabilityMode = 6006
}

// Neither is a case: a `switch` that is complete with the SDK's cases is so here.
extension OTPublisherErrorCode {
  /// The number of the error when a session has as many streams as its ``OTStreamLimit`` allows.
  public static let publisherStreamLimitExceeded: Int32 = 1605
  /// A code of older headers, with the number 4500 there. Never given; another name of ``OTPublisherInternalError``.
  public static var OTPublisherMissingAudioTrack: Self { .OTPublisherInternalError }
}

/// The errors of a subscriber.
public enum OTSubscriberErrorCode: Int32, Sendable, CaseIterable {
  case OTSubscriberSuccess = 0
  /// The session is not connected any more.
  case OTSubscriberSessionDisconnected = 1010
  /// The stream did not come in time.
  case OTConnectionTimedOut = 1542
  /// The media could not be received.
  case OTSubscriberWebRTCError = 1600
  /// The stream has ended, or never was.
  case OTSubscriberServerCannotFindStream = 1604
  /// The session has as many streams as its ``OTStreamLimit`` allows.
  case OTSubscriberStreamLimitExceeded = 1605
  /// Never given by this module.
  case OTSubsriberPeerConnectionNotConnected = 1606
  /// Never given by this module.
  case OTSubscriberInternalError = 2000
  /// Never given by this module.
  case OTSubscriberDecryptionInternalError = 6002
  /// Never given by this module.
  case EncryptionSecretMismatch = 6003
  /// Never given by this module.
  case DecryptionUnsupportedCodec = 6006
}

/// The numbers of version 1, which sessions that were made as in version 1 give.
public enum OTLegacyErrorCode {
  /// Those of a session.
  public enum Session: Int32, Sendable, CaseIterable {
    /// The names and numbers of version 1 and 2.1.
    case authorizationFailure, invalidSessionId, connectionFailed, noMessagingServer, sdkUpdateRequired,
      connectionRefused
    case sessionStateFailed, p2PSessionUnsupported, unknownServerError, p2PSessionRequired, p2PSessionMaxParticipants
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
    case .OTAuthorizationFailure: .authorizationFailure
    case .OTErrorInvalidSession: .invalidSessionId
    case .OTConnectionFailed, .OTConnectionDropped, .OTNotConnected: .connectionFailed
    case .OTNoMessagingServer: .noMessagingServer
    case .OTConnectionRefused, .OTSessionConnectionLimitExceeded: .connectionRefused
    case .OTSessionConnectionTimeout: .sessionConnectionTimeout
    case .OTSessionIllegalState, .OTSessionStateFailed, .OTNullOrInvalidParameter: .sessionStateFailed
    default: .unknownServerError
    }
  }

  private static func publisher(_ code: OTPublisherErrorCode?) -> Publisher {
    code == .sessionDisconnected ? .sessionDisconnected : .noMediaPublished
  }

  private static func subscriber(_ code: OTSubscriberErrorCode?) -> Subscriber {
    switch code {
    case .OTConnectionTimedOut: .connectionTimedOut
    case .OTSubscriberStreamLimitExceeded: .initializationFailure
    case .OTSubscriberServerCannotFindStream: .noStreamMedia
    default: .failedToConnect
    }
  }
}
