// Preferences of codecs and of what is given up.
import OpenTok

protocol PreferredVideo: AnyObject {
  var videoCodecPreference: OTVideoCodecPreference? { get set }
}

protocol Degrading: AnyObject {
  var degradationPreference: OTDegradationPreference { get set }
}

protocol CodecChoice: AnyObject {
  var automatic: Bool { get }
  var codecs: [NSNumber] { get }
}

extension OTPublisherKitSettings: PreferredVideo {}
extension OTPublisherKit: Degrading {}
extension OTVideoCodecPreference: CodecChoice {}

enum Preferences {
  static let codec: Int = OTVideoCodecType.VP9.rawValue
  static let unset: Int = OTDegradationPreference.notSet.rawValue
  static func codecs(_ names: [OTVideoCodecType]) -> OTVideoCodecPreference {
    names.isEmpty ? .automatic() : .manual(withCodecs: names.map { NSNumber(value: $0.rawValue) })
  }
  static func settings() -> OTPublisherSettings {
    let settings = OTPublisherSettings()
    settings.videoCodecPreference = codecs([.H264])
    return settings
  }
}
