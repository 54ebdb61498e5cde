public import Foundation

/// A codec of video.
public enum OTVideoCodecType: Int, Sendable {
  /// VP8.
  case VP8 = 1
  /// H.264.
  case H264 = 2
  /// VP9.
  case VP9 = 3
}

/// The codecs in which a publisher would send its video.
open class OTVideoCodecPreference: NSObject {
  /// Whether the module chooses.
  open internal(set) var automatic = true
  /// The numbers of ``OTVideoCodecType``, the best one first; empty when the module chooses.
  open internal(set) var codecs: [NSNumber] = []

  public override init() { super.init() }

  open class func automatic() -> OTVideoCodecPreference { OTVideoCodecPreference() }

  /// These, the best one first.
  open class func manual(withCodecs codecs: [NSNumber]) -> OTVideoCodecPreference {
    let preference = OTVideoCodecPreference()
    (preference.automatic, preference.codecs) = (false, codecs)
    return preference
  }
}

/// The property of video that suffers first when bandwidth is short.
public enum OTDegradationPreference: Int, Sendable {
  case notSet = -1
  /// Neither suffers, as far as that goes.
  case maintainFrameRateAndResolution = 0
  /// The frames' size suffers first.
  case maintainFrameRate = 1
  /// The frame rate suffers first.
  case maintainResolution = 2
  /// Both suffer in part.
  case balanced = 3
}
