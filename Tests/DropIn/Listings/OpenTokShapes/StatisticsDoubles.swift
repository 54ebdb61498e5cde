// Statistics that tests of an app make.
import OpenTok

class VideoSentDouble: OTPublisherKitVideoNetworkStats {
  override var videoPacketsSent: Int64 { 7 }
  override var videoLayers: [OTPublisherKitVideoLayerStats] { [] }
}

class VideoReceivedDouble: OTSubscriberKitVideoNetworkStats {
  override var codec: String? { "VP8" }
  override var senderStats: OTSenderStats? { OTSenderStats(maxBitrate: 2, currentBitrate: 1) }
}

class ReportDouble: OTPublisherRtcStats {
  private var text = "[]"
  override var jsonArrayOfReports: String {
    get { text }
    set { text = newValue }
  }
}

enum MadeStatistics {
  static let sent = OTPublisherKitAudioNetworkStats(
    connectionId: "", subscriberId: "", packetsLost: 1, packetsSent: 2, bytesSent: 3, timestamp: 4, startTime: 5)
  static let received = OTSubscriberKitAudioNetworkStats(
    packetsLost: 1, packetsReceived: 2, bytesReceived: 3, timestamp: 4)
}
