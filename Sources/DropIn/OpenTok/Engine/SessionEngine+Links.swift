import Parley

/// The rates of each stream in the last second, from two consecutive counts.
struct RateMeter {
  struct Rate {
    /// Bits a second without and with headers.
    var bits: Int64 = 0
    var allBits: Int64 = 0
    /// The share of the packets that was lost, 0 to 1; nil when nothing came.
    var loss: Double?
  }

  private struct Counts {
    var bytes: UInt64
    var headers: UInt64
    var packets: UInt64 = 0
    var lost: Int64 = 0
  }

  private var before: [SSRC: Counts] = [:]
  private var time = MonotonicClock.now

  /// Of every stream that had counts before, too.
  mutating func rates(of statistics: MeetingStatistics, now: Instant = MonotonicClock.now) -> [SSRC: Rate] {
    var counts: [SSRC: Counts] = [:]
    for each in statistics.outbound { counts[each.ssrc] = Counts(bytes: each.bytesSent, headers: each.headerBytesSent) }
    for each in statistics.inbound {
      counts[each.ssrc] = Counts(
        bytes: each.bytesReceived, headers: each.headerBytesReceived, packets: each.packetsReceived,
        lost: each.packetsLost)
    }
    defer { (before, time) = (counts, now) }
    let seconds = (now - time).seconds
    guard seconds > 0 else { return [:] }
    var rates: [SSRC: Rate] = [:]
    for (ssrc, new) in counts {
      guard let old = before[ssrc], new.bytes >= old.bytes, new.headers >= old.headers, new.packets >= old.packets
      else { continue }
      func bits(_ bytes: UInt64) -> Int64 { Int64(Double(bytes) * 8 / seconds) }
      let (came, lost) = (Double(new.packets - old.packets), Double(max(new.lost - old.lost, 0)))
      rates[ssrc] = Rate(
        bits: bits(new.bytes - old.bytes), allBits: bits(new.bytes - old.bytes + new.headers - old.headers),
        loss: came + lost > 0 ? lost / (came + lost) : nil)
    }
    return rates
  }
}

/// The connection itself, and each size that is sent.
extension SessionEngine {
  func layer(of track: OutboundTrackStatistics, _ rates: [SSRC: RateMeter.Rate]) -> OTPublisherKitVideoLayerStats {
    let layer = OTPublisherKitVideoLayerStats()
    let rate = rates[track.ssrc] ?? .init()
    (layer.bitrate, layer.totalBitrate, layer.codec) = (rate.bits, rate.allBits, track.codec?.name)
    guard let video = track.video else { return layer }
    (layer.width, layer.height) = (Int32(clamping: video.frameWidth), Int32(clamping: video.frameHeight))
    layer.encodedFrameRate = video.framesPerSecond
    switch video.qualityLimitationReason {
    case .bandwidth: layer.qualityLimitationReason = .qualityDegradationBandwidth
    case .cpu: layer.qualityLimitationReason = .qualityDegradationCPU
    case nil, .some(.none), .other: break
    }
    return layer
  }

  func transport(_ statistics: MeetingStatistics, _ kind: StreamKind) -> OTTransportStats {
    let own = statistics.outbound.filter { $0.source == kind.video || $0.source == kind.audio }
    let estimate = statistics.transport.selectedCandidatePair?.availableOutgoingBitrate
    return OTTransportStats(
      bandwidth: estimate?.bitsPerSecond ?? 0, loss: own.compactMap { $0.remote?.fractionLost }.max(),
      isFull: own.contains { $0.video?.qualityLimitationReason == .bandwidth })
  }

  func fill(
    _ stats: OTSubscriberKitVideoNetworkStats, _ track: InboundTrackStatistics, _ rates: [SSRC: RateMeter.Rate]
  ) {
    let rate = rates[track.ssrc] ?? .init()
    (stats.bitrate, stats.totalBitrate, stats.codec) = (rate.bits, rate.allBits, track.codec?.name)
    guard let video = track.video else { return }
    (stats.width, stats.height) = (Int32(clamping: video.frameWidth), Int32(clamping: video.frameHeight))
    stats.decodedFrameRate = video.framesPerSecond
    (stats.pauseCount, stats.freezeCount) = (Int64(clamping: video.pauseCount), Int64(clamping: video.freezeCount))
    stats.totalPausesDuration = Int64(video.totalPausesDuration.milliseconds)
    stats.totalFreezesDuration = Int64(video.totalFreezesDuration.milliseconds)
  }
}

extension CodecStatistics {
  /// Such as `VP8`.
  fileprivate var name: String { mimeType.split(separator: "/").last.map(String.init) ?? mimeType }
}
