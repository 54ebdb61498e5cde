// Domains and codes as the header spells them.
import OpenTok

enum Problems {
  static func text(_ error: OTError) -> String {
    switch (error.domain, error.code) {
    case (OT_SESSION_ERROR_DOMAIN, Int(OTSessionErrorCode.OTAuthorizationFailure.rawValue)): return "token"
    case (OT_PUBLISHER_ERROR_DOMAIN, Int(OTPublisherErrorCode.OTPublisherWebRTCError.rawValue)): return "sending"
    case (OT_SUBSCRIBER_ERROR_DOMAIN, Int(OTSubscriberErrorCode.EncryptionSecretMismatch.rawValue)): return "secret"
    case (OT_VIDEOKIT_ERROR_DOMAIN, _): return "frame"
    default: return "other"
    }
  }
  static func known(_ code: OTSessionErrorCode) -> Bool { code == .OTConnectionFailed || code == .connectionFailed }
}
