// Switches over the codes of errors that are complete by the SDK's headers.
import OpenTok

enum Switches {
  static func isOurs(_ code: OTPublisherErrorCode) -> Bool {
    switch code {
    case .OTPublisherSuccess: return false
    case .OTSessionDisconnected, .OTPublisherInternalError, .OTPublisherWebRTCError: return true
    case .OTPublisherEncryptionInternalError, .EncryptionUnsupportedCodec, .OTPublisherInvalidScalabilityMode:
      return false
    }
  }
  static func name(_ status: OTSessionConnectionStatus) -> String {
    switch status {
    case .notConnected: return "off"
    case .connected: return "on"
    case .connecting, .reconnecting, .disconnecting: return "between"
    case .failed: return "lost"
    }
  }
  static func isShown(_ reason: OTPublisherVideoEventReason) -> Bool {
    switch reason {
    case .publisherPropertyChanged, .qualityChanged: return true
    default: return false
    }
  }
}
