import Foundation
import TestSupport
import Testing

@testable import OpenTok

/// The measurements and preferences of versions 2.32 to 2.34 of the SDK.
@MainActor @Suite(.serialized) struct LinkStatisticsTests {
  /// Keeps the statistics that came last.
  // unchecked: everything is called on the main queue.
  private final class Watcher: OTPublisherKitNetworkStatsDelegate, OTSubscriberKitNetworkStatsDelegate,
    @unchecked Sendable
  {
    var sent: OTPublisherKitVideoNetworkStats?
    var received: OTSubscriberKitVideoNetworkStats?
    var heard: OTSubscriberKitAudioNetworkStats?
    var uplink: OTPublisherKitMediaLinkStats?
    var downlink: OTSubscriberKitMediaLinkStats?
    var changes: [String] = []

    func publisher(_ publisher: OTPublisherKit, videoNetworkStatsUpdated stats: [OTPublisherKitVideoNetworkStats]) {
      sent = stats.first
    }
    func publisher(_ publisher: OTPublisherKit, mediaLinkStatsUpdated stats: [OTPublisherKitMediaLinkStats]) {
      uplink = stats.first
    }
    func subscriber(_ subscriber: OTSubscriberKit, videoNetworkStatsUpdated stats: OTSubscriberKitVideoNetworkStats) {
      received = stats
    }
    func subscriber(_ subscriber: OTSubscriberKit, audioNetworkStatsUpdated stats: OTSubscriberKitAudioNetworkStats) {
      heard = stats
    }
    func subscriber(_ subscriber: OTSubscriberKit, mediaLinkStatsUpdated stats: OTSubscriberKitMediaLinkStats) {
      downlink = stats
    }
    func publisher(
      _ publisher: OTPublisherKit, videoQualityChanged stats: OTPublisherKitVideoNetworkStats,
      reason: OTPublisherVideoEventReason
    ) { changes.append("sent \(reason)") }
    func subscriber(
      _ subscriber: OTSubscriberKit, videoQualityChanged stats: OTSubscriberKitVideoNetworkStats,
      reason: OTSubscriberVideoEventReason
    ) { changes.append("received \(reason) \(stats.width > 0)") }
    func publisher(
      _ publisher: OTPublisherKit, networkConditionChanged stats: OTPublisherKitMediaLinkStats, reason: OTNetworkReason
    ) { changes.append("uplink \(reason)") }
    func subscriber(
      _ subscriber: OTSubscriberKit, networkConditionChanged stats: OTSubscriberKitMediaLinkStats,
      reason: OTNetworkReason
    ) { changes.append("downlink \(stats.transport.networkCondition) \(reason)") }
  }

  @Test("each layer, received video and both links are measured once a second")
  func layersAndLinks() async throws {
    try await LiveSession.run { live in
      let (ann, ben, watcher) = (try await Guest(live), try await Guest(live), Watcher())
      let publisher = try ann.publisher("Ann")
      publisher.networkStatsDelegate = watcher
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      subscriber.networkStatsDelegate = watcher
      try await wait(for: "layers that are sent") {
        watcher.sent?.videoLayers.contains { $0.encodedFrameRate > 0 && $0.bitrate > 0 } == true
      }
      let layer = try #require(watcher.sent?.videoLayers.first { $0.bitrate > 0 })
      #expect(layer.width > 0 && layer.height > 0 && layer.totalBitrate > layer.bitrate)
      #expect(layer.codec?.isEmpty == false && layer.scalabilityMode == nil)
      let limits: [OTPublisherVideoEventReason] = [.none, .qualityDegradationBandwidth]
      #expect(limits.contains(layer.qualityLimitationReason))
      try await wait(for: "a received picture") {
        watcher.received.map { $0.decodedFrameRate > 0 && $0.bitrate > 0 && $0.width > 0 } == true
      }
      let received = try #require(watcher.received)
      #expect(received.height > 0 && received.totalBitrate > received.bitrate && received.codec == layer.codec)
      #expect(received.pauseCount == 0 && received.totalPausesDuration == 0)
      #expect(received.freezeCount >= 0 && received.totalFreezesDuration >= 0)
      #expect(received.senderStats == nil && watcher.heard?.senderStats == nil)
      try await wait(for: "both links") {
        watcher.uplink?.transport.networkCondition == .excellent
          && watcher.downlink?.transport.networkCondition == .excellent
      }
      let (uplink, downlink) = (try #require(watcher.uplink), try #require(watcher.downlink))
      #expect(uplink.connectionId.isEmpty && uplink.subscriberId.isEmpty)
      #expect(uplink.transport.connectionEstimatedBandwidth > 0 && uplink.transport.networkConditionReason == .none)
      #expect(watcher.sent?.transport?.networkCondition != .unknown)
      #expect(downlink.networkDegradationSource == .none)
      #expect(downlink.remotePublisherTransport.networkCondition == .unknown)
      publisher.videoCapture = ColourCapture(width: 320, height: 180)
      try await wait(for: "another size: \(watcher.changes)") {
        watcher.changes.contains("sent \(OTPublisherVideoEventReason.resolutionChange)")
          && watcher.changes.contains("received \(OTSubscriberVideoEventReason.resolutionChange) true")
      }
      try await ben.disconnect()
      try await ann.disconnect()
      // Of a session that is not connected nothing can be asked.
      #expect(ann.code { ann.session.publish(publisher, error: $0) } == OTSessionErrorCode.OTNotConnected.number)
      #expect(OT_SESSION_ERROR_DOMAIN == OTSessionErrorDomain && OT_PUBLISHER_ERROR_DOMAIN == OTPublisherErrorDomain)
      #expect(OT_SUBSCRIBER_ERROR_DOMAIN == OTSubscriberErrorDomain)
      #expect(OT_VIDEOKIT_ERROR_DOMAIN == OTVideoKitErrorDomain)
    }
  }

  @Test("a link's condition goes by the loss, and by whether it holds a picture back")
  func conditions() {
    let expected: [(Double?, OTNetworkCondition, OTNetworkReason)] = [
      (nil, .unknown, .unknown), (0, .excellent, .none), (0.02, .good, .packetLoss), (0.05, .fair, .packetLoss),
      (0.1, .warning, .packetLoss), (0.5, .critical, .packetLoss),
    ]
    for (loss, condition, reason) in expected {
      let link = OTTransportStats(bandwidth: 7, loss: loss, isFull: false)
      #expect(link.networkCondition == condition && link.networkConditionReason == reason)
      let source = OTSubscriberKitMediaLinkStats(link).networkDegradationSource
      #expect(source == (loss ?? 0 >= 0.06 ? .local : .none))
    }
    let full = OTTransportStats(bandwidth: 7, loss: 0, isFull: true)
    #expect(full.networkCondition == .fair && full.networkConditionReason == .bandwidth)
    #expect(OTPublisherKitMediaLinkStats(full).transport.connectionEstimatedBandwidth == 7)
    let sources: [OTNetworkDegradationSource] = [.none, .bothOrUnclear, .local, .remote]
    #expect(sources.map(\.rawValue) == [0, 1, 2, 3] && OTNetworkReason.networkConditionChange.rawValue == 4)
    let sender = OTSenderStats(maxBitrate: 2, currentBitrate: 1)
    #expect(sender.connectionMaxAllocatedBitrate == 2 && sender.connectionEstimatedBandwidth == 1)
    let sent: [OTPublisherVideoEventReason] = [
      .none, .publisherPropertyChanged, .qualityChanged, .qualityDegradationBandwidth, .qualityDegradationCPU,
      .qualityDegradationOther, .codecChange, .resolutionChange,
    ]
    #expect(sent.map(\.rawValue) == [0, 1, 3, 5, 6, 7, 8, 9])
    let received: [OTSubscriberVideoEventReason] = [
      .none, .publisherPropertyChanged, .subscriberPropertyChanged, .qualityChanged, .codecNotSupported, .codecChange,
      .resolutionChange, .videoInterruption,
    ]
    #expect(received.map(\.rawValue) == [0, 1, 2, 3, 4, 8, 9, 10])
  }

  @Test("delegates learn what changed since the last second, and nothing in the first")
  func changes() {
    func sent(_ codec: String?, _ width: Int32, _ limit: OTPublisherVideoEventReason) -> OTPublisherKitVideoNetworkStats
    {
      let (stats, layer) = (OTPublisherKitVideoNetworkStats(), OTPublisherKitVideoLayerStats())
      (layer.codec, layer.width, layer.height, layer.qualityLimitationReason) = (codec, width, width, limit)
      stats.videoLayers = [layer]
      return stats
    }
    var publisher = StreamQuality()
    let seconds = [
      sent(nil, 0, .none), sent("VP8", 160, .none), sent("VP8", 160, .qualityDegradationCPU),
      sent("VP8", 80, .qualityDegradationBandwidth), sent("VP8", 80, .none), sent(nil, 0, .none),
      sent("VP9", 80, .none),
      sent("VP9", 160, .none), sent("VP9", 160, .qualityDegradationOther),
    ]
    let reasons: [OTPublisherVideoEventReason?] = [
      nil, nil, .qualityDegradationCPU, .qualityDegradationBandwidth, nil, nil, .codecChange, .resolutionChange,
      .qualityDegradationOther,
    ]
    #expect(seconds.map { publisher.update($0).reason } == reasons)

    func received(_ pauses: Int64, _ codec: String, _ width: Int32) -> OTSubscriberKitVideoNetworkStats {
      let stats = OTSubscriberKitVideoNetworkStats()
      (stats.pauseCount, stats.codec, stats.width, stats.height) = (pauses, codec, width, width)
      return stats
    }
    var subscriber = StreamQuality()
    let links = [nil, 0, 0, 0.5, 0.5].map { OTTransportStats(bandwidth: 0, loss: $0, isFull: false) }
    let changes = zip(
      [
        received(2, "VP8", 160), received(2, "VP8", 80), received(3, "VP8", 80), received(3, "VP9", 80),
        received(3, "VP9", 80),
      ], links
    ).map { subscriber.update($0, $1) }
    #expect(changes.map(\.reason) == [nil, .resolutionChange, .videoInterruption, .codecChange, nil])
    #expect(changes.map(\.hasOtherCondition) == [false, false, false, true, false])
  }

  @Test("what a publisher prefers is kept, and the numbers are those of the reference")
  func preferences() throws {
    let settings = OTPublisherSettings()
    #expect(!settings.allowAudioCaptureWhileMuted && settings.videoCodecPreference == nil)
    settings.allowAudioCaptureWhileMuted = true
    settings.videoCodecPreference = .manual(withCodecs: [NSNumber(value: OTVideoCodecType.VP9.rawValue)])
    #expect(settings.videoCodecPreference?.automatic == false && settings.videoCodecPreference?.codecs == [3])
    let publisher = try #require(OTPublisherKit(delegate: nil, settings: settings))
    #expect(publisher.degradationPreference == .notSet)
    publisher.degradationPreference = .balanced
    #expect(publisher.degradationPreference == .balanced)
    #expect(OTVideoCodecPreference.automatic().automatic && settings.allowAudioCaptureWhileMuted)
    let preferences: [OTDegradationPreference] = [
      .notSet, .maintainFrameRateAndResolution, .maintainFrameRate, .maintainResolution, .balanced,
    ]
    #expect(preferences.map(\.rawValue) == [-1, 0, 1, 2, 3])
    #expect([OTVideoCodecType.VP8, .H264, .VP9].map(\.rawValue) == [1, 2, 3])
  }

  @Test("a file for reports isn't an error, and an application's session has its id")
  func applications() throws {
    let session = try #require(OTSession(applicationId: "app", sessionId: "room", delegate: nil))
    var error: OTError?
    session.setRtcStatsReportFilePath("/tmp/report", error: &error)
    #expect(error == nil && session.sessionId == "room")
  }
}
