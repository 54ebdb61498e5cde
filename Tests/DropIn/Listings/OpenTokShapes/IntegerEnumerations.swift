// Five enumerations are of Int.
import OpenTok

enum RawValues {
  static let resolution: Int = OTCameraCaptureResolution.high1080p.rawValue
  static let rate: Int = OTCameraCaptureFrameRate.rate30FPS.rawValue
  static let preset: Int = OTVideoBitratePreset.extraBwSaver.rawValue
  static let scaling: Int = OTVideoViewScaleBehavior.fill.rawValue
  static let hint: Int = OTVideoContentHint.text.rawValue
  static let status: Int32 = OTSessionConnectionStatus.connected.rawValue
}
