// Changes of a stream's quality and of the network's condition, with the numbers of their reasons.
import OpenTok

class QualityWatcher: NSObject, OTPublisherKitNetworkStatsDelegate, OTSubscriberKitNetworkStatsDelegate {
  private(set) var numbers: [Int32] = []
  func publisher(
    _ publisher: OTPublisherKit, videoQualityChanged stats: OTPublisherKitVideoNetworkStats,
    reason: OTPublisherVideoEventReason
  ) { numbers.append(reason.rawValue) }
  func publisher(
    _ publisher: OTPublisherKit, networkConditionChanged stats: OTPublisherKitMediaLinkStats, reason: OTNetworkReason
  ) { numbers.append(stats.transport.networkCondition.rawValue) }
  func subscriber(
    _ subscriber: OTSubscriberKit, videoQualityChanged stats: OTSubscriberKitVideoNetworkStats,
    reason: OTSubscriberVideoEventReason
  ) {
    switch reason {
    case .videoInterruption, .codecChange, .resolutionChange: numbers.append(reason.rawValue)
    case .none, .publisherPropertyChanged, .subscriberPropertyChanged, .qualityChanged, .codecNotSupported: break
    }
  }
  func subscriber(
    _ subscriber: OTSubscriberKit, networkConditionChanged stats: OTSubscriberKitMediaLinkStats, reason: OTNetworkReason
  ) { numbers.append(stats.networkDegradationSource.rawValue) }
}

protocol Transported: AnyObject {
  var transport: OTTransportStats? { get }
}

extension OTPublisherKitVideoNetworkStats: Transported {}
