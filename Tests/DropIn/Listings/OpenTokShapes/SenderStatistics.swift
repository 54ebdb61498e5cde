// A sender's measurements come with a subscriber's statistics.
import OpenTok

protocol SenderMeasured: AnyObject {
  var senderStats: OTSenderStats? { get }
}

extension OTSubscriberKitVideoNetworkStats: SenderMeasured {}
extension OTSubscriberKitAudioNetworkStats: SenderMeasured {}

class SenderWatcher: NSObject, OTSubscriberKitNetworkStatsDelegate {
  var limit: Int64?
  func subscriber(_ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats) {
    guard let sender: OTSenderStats = stats.senderStats else { return }
    limit = min(sender.connectionMaxAllocatedBitrate, sender.connectionEstimatedBandwidth)
  }
  static func settings() -> OTPublisherSettings {
    let settings = OTPublisherSettings()
    settings.senderStatsTrack = true
    return settings
  }
}
