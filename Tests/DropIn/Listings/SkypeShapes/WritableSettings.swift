// Settings that an app's own protocol asks to set, and delegates that are held weakly.
import SkypeForBusiness

protocol VideoSettings: AnyObject {
  var maxVideoChannels: UInt32 { get set }
  var requireWifiForAudio: Bool { get set }
  var requireWifiForVideo: Bool { get set }
  var enablePreviewFeatures: Bool { get set }
}

protocol AlertSource: AnyObject {
  var alertDelegate: SfBAlertDelegate? { get set }
}

extension SfBConfigurationManager: VideoSettings {}
extension SfBApplication: AlertSource {}
extension SfBConversation: AlertSource {}
