import Parley

/// The connection itself, and each size that is sent.
extension SessionEngine {
  func layer(of track: OutboundTrackStatistics, _ rates: [SSRC: TrackRateMeter.Rate]) -> OTPublisherKitVideoLayerStats {
    let layer = OTPublisherKitVideoLayerStats()
    let rate = rates[track.ssrc] ?? .init()
    (layer.bitrate, layer.totalBitrate, layer.codec) = (rate.payload, rate.total, track.codec?.name)
    guard let video = track.video else { return layer }
    (layer.width, layer.height) = (Int32(clamping: video.frameWidth), Int32(clamping: video.frameHeight))
    layer.encodedFrameRate = video.framesPerSecond
    switch video.qualityLimitationReason {
    case .bandwidth: layer.qualityLimitationReason = .qualityDegradationBandwidth
    case .cpu: layer.qualityLimitationReason = .qualityDegradationCPU
    case .other: layer.qualityLimitationReason = .qualityDegradationOther
    case nil, .some(.none): break
    }
    return layer
  }

  func transport(_ statistics: MeetingStatistics, _ kind: StreamKind) -> OTTransportStats {
    let own = statistics.sentTracks(of: kind)
    return OTTransportStats(
      bandwidth: statistics.availableBitrate?.bitsPerSecond ?? 0,
      loss: own.compactMap { $0.remote?.fractionLost }.max(),
      isFull: own.contains { $0.video?.qualityLimitationReason == .bandwidth })
  }

  func fill(
    _ stats: OTSubscriberKitVideoNetworkStats, _ track: InboundTrackStatistics, _ rates: [SSRC: TrackRateMeter.Rate]
  ) {
    let rate = rates[track.ssrc] ?? .init()
    (stats.bitrate, stats.totalBitrate, stats.codec) = (rate.payload, rate.total, track.codec?.name)
    guard let video = track.video else { return }
    (stats.width, stats.height) = (Int32(clamping: video.frameWidth), Int32(clamping: video.frameHeight))
    stats.decodedFrameRate = video.framesPerSecond
    (stats.pauseCount, stats.freezeCount) = (Int64(clamping: video.pauseCount), Int64(clamping: video.freezeCount))
    stats.totalPausesDuration = Int64(video.totalPausesDuration.milliseconds)
    stats.totalFreezesDuration = Int64(video.totalFreezesDuration.milliseconds)
  }
}
