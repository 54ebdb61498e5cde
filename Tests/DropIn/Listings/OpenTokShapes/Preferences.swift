// Preferences of codecs and of what is given up.
import OpenTok

enum Preferences {
  static func codecs(_ names: [OTVideoCodecType]) -> OTVideoCodecPreference {
    names.isEmpty ? .automatic() : .manual(withCodecs: names.map { NSNumber(value: $0.rawValue) })
  }
  static func settings() -> OTPublisherSettings {
    let settings = OTPublisherSettings()
    settings.degradationPreference = OTDegradationPreference.balanced
    settings.allowAudioCaptureWhileMuted = true
    return settings
  }
}
