// Names of the cases without `OT`, and with a small letter: what other versions of the SDK import them as.

extension OTSessionErrorCode {
  /// As ``OTSessionSuccess``.
  public static var sessionSuccess: Self { .OTSessionSuccess }
  /// As ``OTAuthorizationFailure``.
  public static var authorizationFailure: Self { .OTAuthorizationFailure }
  /// As ``OTErrorInvalidSession``.
  public static var errorInvalidSession: Self { .OTErrorInvalidSession }
  /// As ``OTConnectionFailed``.
  public static var connectionFailed: Self { .OTConnectionFailed }
  /// As ``OTNotConnected``.
  public static var notConnected: Self { .OTNotConnected }
  /// As ``OTNullOrInvalidParameter``.
  public static var nullOrInvalidParameter: Self { .OTNullOrInvalidParameter }
  /// As ``OTSessionIllegalState``.
  public static var sessionIllegalState: Self { .OTSessionIllegalState }
  /// As ``OTSessionStateFailed``.
  public static var sessionStateFailed: Self { .OTSessionStateFailed }
  /// As ``OTSessionConnectionTimeout``.
  public static var sessionConnectionTimeout: Self { .OTSessionConnectionTimeout }
  /// As ``OTConnectionDropped``.
  public static var connectionDropped: Self { .OTConnectionDropped }
  /// As ``OTConnectionRefused``.
  public static var connectionRefused: Self { .OTConnectionRefused }
  /// As ``OTSessionBlockedCountry``.
  public static var sessionBlockedCountry: Self { .OTSessionBlockedCountry }
  /// As ``OTSessionConnectionLimitExceeded``.
  public static var sessionConnectionLimitExceeded: Self { .OTSessionConnectionLimitExceeded }
  /// As ``OTSessionSubscriberNotFound``.
  public static var sessionSubscriberNotFound: Self { .OTSessionSubscriberNotFound }
  /// As ``OTSessionPublisherNotFound``.
  public static var sessionPublisherNotFound: Self { .OTSessionPublisherNotFound }
  /// As ``OTP2PSessionMaxParticipants``.
  public static var p2PSessionMaxParticipants: Self { .OTP2PSessionMaxParticipants }
  /// As ``OTSessionSignalDataTooLong``.
  public static var sessionSignalDataTooLong: Self { .OTSessionSignalDataTooLong }
  /// As ``OTSessionInvalidSignalType``.
  public static var sessionInvalidSignalType: Self { .OTSessionInvalidSignalType }
  /// As ``OTNoMessagingServer``.
  public static var noMessagingServer: Self { .OTNoMessagingServer }
  /// As ``OTSessionUnableToForceDisconnect``.
  public static var sessionUnableToForceDisconnect: Self { .OTSessionUnableToForceDisconnect }
  /// As ``OTSessionUnableToForceMute``.
  public static var sessionUnableToForceMute: Self { .OTSessionUnableToForceMute }
  /// As ``OTSessionUnableToSendSignal``.
  public static var sessionUnableToSendSignal: Self { .OTSessionUnableToSendSignal }
  /// As ``OTSessionInternalError``.
  public static var sessionInternalError: Self { .OTSessionInternalError }
  /// As ``OTSessionEncryptionSecretMissing``.
  public static var sessionEncryptionSecretMissing: Self { .OTSessionEncryptionSecretMissing }
  /// As ``OTSessionInvalidEncryptionSecret``.
  public static var sessionInvalidEncryptionSecret: Self { .OTSessionInvalidEncryptionSecret }
}

extension OTPublisherErrorCode {
  /// As ``OTPublisherSuccess``.
  public static var publisherSuccess: Self { .OTPublisherSuccess }
  /// As ``OTSessionDisconnected``.
  public static var sessionDisconnected: Self { .OTSessionDisconnected }
  /// As ``OTPublisherWebRTCError``.
  public static var publisherWebRTCError: Self { .OTPublisherWebRTCError }
  /// As ``OTPublisherInternalError``.
  public static var publisherInternalError: Self { .OTPublisherInternalError }
  /// As ``OTPublisherMissingAudioTrack``.
  public static var publisherMissingAudioTrack: Self { .OTPublisherMissingAudioTrack }
  /// As ``OTPublisherEncryptionInternalError``.
  public static var publisherEncryptionInternalError: Self { .OTPublisherEncryptionInternalError }
  /// As ``EncryptionUnsupportedCodec``.
  public static var encryptionUnsupportedCodec: Self { .EncryptionUnsupportedCodec }
  /// As ``OTPublisherInvalidScalabilityMode``.
  public static var publisherInvalidScalabilityMode: Self { .OTPublisherInvalidScalabilityMode }
}

extension OTSubscriberErrorCode {
  /// As ``OTSubscriberSuccess``.
  public static var subscriberSuccess: Self { .OTSubscriberSuccess }
  /// As ``OTSubscriberSessionDisconnected``.
  public static var subscriberSessionDisconnected: Self { .OTSubscriberSessionDisconnected }
  /// As ``OTConnectionTimedOut``.
  public static var connectionTimedOut: Self { .OTConnectionTimedOut }
  /// As ``OTSubscriberWebRTCError``.
  public static var subscriberWebRTCError: Self { .OTSubscriberWebRTCError }
  /// As ``OTSubscriberServerCannotFindStream``.
  public static var subscriberServerCannotFindStream: Self { .OTSubscriberServerCannotFindStream }
  /// As ``OTSubscriberStreamLimitExceeded``.
  public static var subscriberStreamLimitExceeded: Self { .OTSubscriberStreamLimitExceeded }
  /// As ``OTSubsriberPeerConnectionNotConnected``.
  public static var subsriberPeerConnectionNotConnected: Self { .OTSubsriberPeerConnectionNotConnected }
  /// As ``OTSubscriberInternalError``.
  public static var subscriberInternalError: Self { .OTSubscriberInternalError }
  /// As ``OTSubscriberDecryptionInternalError``.
  public static var subscriberDecryptionInternalError: Self { .OTSubscriberDecryptionInternalError }
  /// As ``EncryptionSecretMismatch``.
  public static var encryptionSecretMismatch: Self { .EncryptionSecretMismatch }
  /// As ``DecryptionUnsupportedCodec``.
  public static var decryptionUnsupportedCodec: Self { .DecryptionUnsupportedCodec }
}
