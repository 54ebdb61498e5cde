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

/// In which codecs a publisher would send its picture.
// unchecked: open to subclasses; it is filled when it is made.
open class OTVideoCodecPreference: NSObject, @unchecked Sendable {
  /// Whether the module chooses.
  open internal(set) var automatic = true
  /// The numbers of ``OTVideoCodecType``, the best one first; empty when the module chooses.
  open internal(set) var codecs: [NSNumber] = []

  /// The module chooses.
  public override init() { super.init() }

  /// The module chooses.
  open class func automatic() -> OTVideoCodecPreference { OTVideoCodecPreference() }

  /// These, the best one first.
  open class func manual(withCodecs codecs: [NSNumber]) -> OTVideoCodecPreference {
    let preference = OTVideoCodecPreference()
    (preference.automatic, preference.codecs) = (false, codecs)
    return preference
  }
}

/// What of a picture is given up first when there is no room.
public enum OTDegradationPreference: Int, Sendable {
  /// The module decides.
  case notSet = -1
  /// Neither, as far as that goes.
  case maintainFrameRateAndResolution = 0
  /// Its size.
  case maintainFrameRate = 1
  /// How many there are a second.
  case maintainResolution = 2
  /// Some of both.
  case balanced = 3
}
