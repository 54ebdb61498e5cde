// Whether the microphone goes on while a publisher is muted.
import OpenTok

protocol MutedCapture: AnyObject {
  var allowAudioCaptureWhileMuted: Bool { get set }
}

extension OTPublisherKitSettings: MutedCapture {}

enum MutedMicrophones {
  static func settings() -> OTPublisherSettings {
    let settings = OTPublisherSettings()
    settings.allowAudioCaptureWhileMuted = true
    return settings
  }
}
