import Foundation
import Parley

/// Audio levels and statistics, for those who want them.
extension SessionEngine {
  private static var interval: UInt64 { 100_000_000 }

  /// Ten times a second the levels, once a second the counts.
  func startMeter() {
    meter?.cancel()
    meter = Task { [weak self] in
      var round = 0
      while !Task.isCancelled {
        try? await Task.sleep(nanoseconds: Self.interval)
        guard let self, let session = self.session, self.isConnected, !Task.isCancelled else { return }
        self.tellLevels(session)
        round += 1
        if round % 10 == 0 { await self.tellCounts(session) }
      }
    }
  }

  private func tellLevels(_ session: OTSession) {
    for work in published.values where work.stream != nil {
      let publisher = work.publisher
      guard let delegate = publisher.audioLevelDelegate else { continue }
      let (level, carried) = (publisher.publishAudio ? publisher.media.audioLevel : 0, Carried(value: delegate))
      session.tell { _ in carried.value.publisher(publisher, audioLevelUpdated: level) }
    }
    for work in subscribed.values where work.receiver.isMeasuring || work.ownSound != nil {
      guard let subscriber = work.subscriber, let delegate = subscriber.audioLevelDelegate else { continue }
      let own = work.ownSound.map { $0.publishAudio ? $0.media.audioLevel : 0 }
      let (level, carried) = (own ?? work.receiver.meter.value, Carried(value: delegate))
      session.tell { _ in carried.value.subscriber(subscriber, audioLevelUpdated: level) }
    }
  }

  private func tellCounts(_ session: OTSession) async {
    let publishers = published.values.filter { $0.publisher.networkStatsDelegate != nil && $0.stream != nil }
    let subscribers = subscribed.values.filter { $0.subscriber?.networkStatsDelegate != nil && !$0.isConnecting }
    guard !publishers.isEmpty || !subscribers.isEmpty, let statistics = await meeting?.statistics() else { return }
    let rates = rateMeter.rates(of: statistics)
    for work in publishers {
      let publisher = work.publisher
      let sent = statistics.outbound.filter { $0.source == work.kind.video }
      let uplink = transport(statistics, work.kind)
      let video = OTPublisherKitVideoNetworkStats(
        SentCounts(statistics.sentCounts(of: work.kind.video), start: work.start), sent.map { layer(of: $0, rates) },
        uplink)
      let audio = OTPublisherKitAudioNetworkStats(
        SentCounts(statistics.sentCounts(of: work.kind.audio), start: work.start))
      let link = OTPublisherKitMediaLinkStats(uplink)
      let change = work.quality.update(video)
      session.tell { _ in
        publisher.networkStatsDelegate?.publisher(publisher, videoNetworkStatsUpdated: [video])
        publisher.networkStatsDelegate?.publisher(publisher, audioNetworkStatsUpdated: [audio])
        publisher.networkStatsDelegate?.publisher(publisher, mediaLinkStatsUpdated: [link])
        if let reason = change.reason {
          publisher.networkStatsDelegate?.publisher(publisher, videoQualityChanged: video, reason: reason)
        }
        if change.hasOtherCondition {
          publisher.networkStatsDelegate?.publisher(
            publisher, networkConditionChanged: link, reason: .networkConditionChange)
        }
      }
    }
    for work in subscribers {
      guard let subscriber = work.subscriber, let entry = streams[work.streamID] else { continue }
      let video = OTSubscriberKitVideoNetworkStats(
        ReceivedCounts(statistics.receivedCounts(of: entry.kind.video, from: entry.participant)))
      let audio = OTSubscriberKitAudioNetworkStats(
        ReceivedCounts(statistics.receivedCounts(of: entry.kind.audio, from: entry.participant)))
      let tracks = statistics.inbound.filter { $0.participant == entry.participant }
      if let track = tracks.first(where: { $0.source == entry.kind.video }) { fill(video, track, rates) }
      let losses = tracks.compactMap { rates[$0.ssrc]?.loss }
      let link = OTSubscriberKitMediaLinkStats(OTTransportStats(bandwidth: 0, loss: losses.max(), isFull: false))
      let change = work.quality.update(video, link.transport)
      session.tell { _ in
        subscriber.networkStatsDelegate?.subscriber(subscriber, videoNetworkStatsUpdated: video)
        subscriber.networkStatsDelegate?.subscriber(subscriber, audioNetworkStatsUpdated: audio)
        subscriber.networkStatsDelegate?.subscriber(subscriber, mediaLinkStatsUpdated: link)
        if let reason = change.reason {
          subscriber.networkStatsDelegate?.subscriber(subscriber, videoQualityChanged: video, reason: reason)
        }
        if change.hasOtherCondition {
          subscriber.networkStatsDelegate?.subscriber(
            subscriber, networkConditionChanged: link, reason: .networkConditionChange)
        }
      }
    }
  }

  // MARK: Reports

  func report(of publisher: OTPublisherKit, in session: OTSession) {
    guard let work = published[ObjectIdentifier(publisher)], let meeting else { return }
    Task {
      guard let statistics = await meeting.statistics() else { return }
      let now = Self.milliseconds
      let rows = statistics.sentTracks(of: work.kind).map { each in
        var row = Self.row("outbound-rtp", each.ssrc, each.kind, each.mid, now)
        row["packetsSent"] = each.packetsSent
        row["bytesSent"] = each.bytesSent
        row["nackCount"] = each.nackCount
        guard let video = each.video else { return row }
        row["framesEncoded"] = video.framesEncoded
        (row["frameWidth"], row["frameHeight"]) = (video.frameWidth, video.frameHeight)
        return row
      }
      let stats = OTPublisherRtcStats(Self.json(rows))
      session.tell { _ in publisher.rtcStatsReportDelegate?.publisher(publisher, rtcStatsReport: [stats]) }
    }
  }

  func report(of subscriber: OTSubscriberKit, in session: OTSession) {
    guard let work = subscribed[ObjectIdentifier(subscriber)], let entry = streams[work.streamID], let meeting else {
      return
    }
    Task {
      guard let statistics = await meeting.statistics() else { return }
      let now = Self.milliseconds
      let rows = statistics.receivedTracks(of: entry.kind, from: entry.participant).map { each in
        var row = Self.row("inbound-rtp", each.ssrc, each.kind, each.mid, now)
        row["packetsReceived"] = each.packetsReceived
        row["bytesReceived"] = each.bytesReceived
        row["packetsLost"] = each.packetsLost
        row["jitter"] = each.jitter.seconds
        guard let video = each.video else { return row }
        row["framesDecoded"] = video.framesDecoded
        (row["frameWidth"], row["frameHeight"]) = (video.frameWidth, video.frameHeight)
        return row
      }
      let text = Self.json(rows)
      session.tell { _ in subscriber.rtcStatsReportDelegate?.subscriber(subscriber, rtcStatsReport: text) }
    }
  }

  /// Now, since 1970.
  private static var milliseconds: Double { Date().timeIntervalSince1970 * 1_000 }

  /// The members of every object of an RTP stream (W3C webrtc-stats sections 7 and 8.1, `RTCStats` and
  /// `RTCRtpStreamStats`).
  private static func row(_ type: String, _ ssrc: SSRC, _ kind: MediaKind, _ mid: MID, _ now: Double) -> [String: Any] {
    [
      "type": type, "id": "\(type)-\(ssrc)", "timestamp": now, "ssrc": ssrc.rawValue,
      "kind": kind == .audio ? "audio" : "video", "mid": mid.rawValue,
    ]
  }

  private static func json(_ rows: [[String: Any]]) -> String {
    guard let data = try? JSONSerialization.data(withJSONObject: rows, options: .sortedKeys) else { return "[]" }
    return String(decoding: data, as: UTF8.self)
  }
}
