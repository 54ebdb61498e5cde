// Statistics of the link, of each layer of the picture, and of the network's condition.
import OpenTok

class LinkWatcher: NSObject, OTPublisherKitNetworkStatsDelegate, OTSubscriberKitNetworkStatsDelegate {
  var lines: [String] = []
  func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats]) {
    for layer in stats.first?.videoLayers ?? [] {
      let (width, height, rate): (Int32, Int32, Double) = (layer.width, layer.height, layer.encodedFrameRate)
      let (bits, all): (Int64, Int64) = (layer.bitrate, layer.totalBitrate)
      lines.append("\(width)x\(height) \(rate) \(bits) \(all) \(layer.codec ?? "") \(layer.scalabilityMode ?? "")")
      switch layer.qualityLimitationReason {
      case .qualityDegradationBandwidth, .qualityDegradationCPU, .qualityDegradationOther: lines.append("held back")
      case .none, .publisherPropertyChanged, .qualityChanged, .codecChange, .resolutionChange: break
      }
    }
  }
  func publisher(_ publisher: OTPublisherKit, mediaLinkStatsUpdated stats: [OTPublisherKitMediaLinkStats]) {
    if let link = stats.first { lines.append(describe(link.transport)) }
  }
  func subscriber(_ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats) {
    let (freezes, pauses): (Int64, Int64) = (stats.freezeCount, stats.pauseCount)
    let size: (Int32, Int32) = (stats.width, stats.height)
    lines.append("\(size) \(stats.decodedFrameRate) \(stats.codec ?? "") \(freezes) \(pauses)")
  }
  func subscriber(_ subscriber: OTSubscriberKit, mediaLinkStatsUpdated stats: OTSubscriberKitMediaLinkStats) {
    lines.append(describe(stats.transport) + describe(stats.remotePublisherTransport))
    switch stats.networkDegradationSource {
    case .local: lines.append("own")
    case .remote: lines.append("theirs")
    case .none, .bothOrUnclear: break
    }
  }
  private func describe(_ transport: OTTransportStats) -> String {
    let bandwidth: Int64 = transport.connectionEstimatedBandwidth
    switch transport.networkCondition {
    case .critical, .warning: return "poor \(bandwidth) \(transport.networkConditionReason == .packetLoss)"
    case .fair, .good, .excellent: return "good \(bandwidth)"
    default: return "unknown"
    }
  }
}
