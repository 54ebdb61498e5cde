import Basics
import Parley

@MainActor extension RateMeter {
  /// A line of the live screen for each participant.
  mutating func rows(_ statistics: MeetingStatistics, _ meeting: Meeting) -> [ScreenRow] {
    var rows: [String: ScreenRow] = [:]
    let now = MonotonicClock.now
    for track in statistics.inbound {
      let rate = receivedRate(track, now: now)
      var row = rows[track.participant] ?? ScreenRow(participant: track.participant)
      row.bitrate = DataRate(bitsPerSecond: row.bitrate.bitsPerSecond + rate.bitrate.bitsPerSecond)
      row.loss = max(row.loss, rate.loss)
      if let video = track.video { row.show(video.framesPerSecond, video.frameWidth, video.frameHeight) }
      rows[track.participant] = row
    }
    if !statistics.outbound.isEmpty {
      var row = ScreenRow(participant: meeting.local.id)
      for stream in statistics.outbound {
        let rate = sentRate(stream, now: now)
        row.bitrate = DataRate(bitsPerSecond: row.bitrate.bitsPerSecond + rate.bitrate.bitsPerSecond)
        if let video = stream.video { row.show(video.framesPerSecond, video.frameWidth, video.frameHeight) }
        row.loss = max(row.loss, stream.remote?.fractionLost ?? 0)
      }
      rows[meeting.local.id] = row
    }
    return Array(rows.values)
  }

  /// The transport in one line.
  func totals(_ statistics: MeetingStatistics) -> String {
    let transport = statistics.transport
    var parts: [String] = []
    if let pair = transport.selectedCandidatePair {
      parts.append(Self.way(pair))
      if let time = pair.currentRoundTripTime { parts.append("round trip \(time.microseconds / 1_000) ms") }
      if let rate = pair.availableOutgoingBitrate { parts.append("can send \(ScreenRow.rate(rate))") }
    } else {
      parts.append("no way for media (\(transport.iceState.rawValue))")
    }
    parts.append("received \(transport.bytesReceived / 1_000_000) MB, sent \(transport.bytesSent / 1_000_000) MB")
    return parts.joined(separator: "   ")
  }

  /// How media goes, in a few words.
  private static func way(_ pair: CandidatePairStatistics) -> String {
    guard let relay = pair.local.relayProtocol else { return "over \(name(pair.local.protocol).uppercased())" }
    return "through a TURN server over \(name(relay).uppercased())"
  }

  /// The `stats` line of `--json`, with the names of the W3C's statistics. Times are in seconds, rates in bits a
  /// second, as there.
  mutating func line(_ statistics: MeetingStatistics) -> JSONLine {
    let now = MonotonicClock.now
    let received = statistics.inbound.map { JSONLine.Value.object(line(of: $0, now: now)) }
    let sent = statistics.outbound.map { JSONLine.Value.object(line(of: $0, now: now)) }
    return ["transport": .object(Self.line(statistics.transport)), "received": .list(received), "sent": .list(sent)]
  }

  private mutating func line(of track: InboundTrackStatistics, now: Instant) -> JSONLine {
    let rate = receivedRate(track, now: now)
    var line: JSONLine = [
      "publication": .text(track.publication), "participant": .text(track.participant),
      "source": .text(track.source.rawValue), "kind": .text(track.kind.rawValue),
      "codec": JSONLine.Value(track.codec?.codec.name), "mimeType": JSONLine.Value(track.codec?.mimeType),
      "kilobitsPerSecond": .number(Double(rate.bitrate.bitsPerSecond) / 1_000),
      "packetsReceived": .integer(Int(clamping: track.packetsReceived)),
      "bytesReceived": .integer(Int(clamping: track.bytesReceived)),
      "packetsLost": .integer(Int(clamping: track.packetsLost)), "loss": .number(rate.loss),
      "jitter": .number(track.jitter.seconds),
      "jitterBufferDelay": .number(track.jitterBufferDelay),
      "jitterBufferEmittedCount": .integer(Int(clamping: track.jitterBufferEmittedCount)),
      "nackCount": .integer(Int(clamping: track.nackCount)),
    ]
    if let video = track.video {
      line.add("framesReceived", .integer(Int(clamping: video.framesReceived)))
      line.add("framesDecoded", .integer(Int(clamping: video.framesDecoded)))
      line.add("framesDropped", .integer(Int(clamping: video.framesDropped)))
      line.add("framesPerSecond", .number(video.framesPerSecond))
      line.add("frameWidth", .integer(video.frameWidth))
      line.add("frameHeight", .integer(video.frameHeight))
      line.add("freezeCount", .integer(Int(clamping: video.freezeCount)))
      line.add("totalFreezesDuration", .number(video.totalFreezesDuration.seconds))
      line.add("pliCount", .integer(Int(clamping: video.pliCount)))
    }
    if let audio = track.audio {
      line.add("audioLevel", JSONLine.Value(audio.audioLevel))
      line.add("concealedSamples", .integer(Int(clamping: audio.concealedSamples)))
      line.add("totalSamplesReceived", .integer(Int(clamping: audio.totalSamplesReceived)))
    }
    return line
  }

  private mutating func line(of stream: OutboundTrackStatistics, now: Instant) -> JSONLine {
    let rate = sentRate(stream, now: now)
    var line: JSONLine = [
      "publication": .text(stream.publication), "source": .text(stream.source.rawValue),
      "kind": .text(stream.kind.rawValue), "codec": JSONLine.Value(stream.codec?.codec.name),
      "mimeType": JSONLine.Value(stream.codec?.mimeType), "active": .truth(stream.active),
      "kilobitsPerSecond": .number(Double(rate.bitrate.bitsPerSecond) / 1_000),
      "packetsSent": .integer(Int(clamping: stream.packetsSent)),
      "bytesSent": .integer(Int(clamping: stream.bytesSent)),
      "retransmittedPacketsSent": .integer(Int(clamping: stream.retransmittedPacketsSent)),
      "targetBitrate": .integer(Int(clamping: stream.targetBitrate.bitsPerSecond)),
      "nackCount": .integer(Int(clamping: stream.nackCount)),
    ]
    if let rid = stream.rid { line.add("rid", .text(rid.rawValue)) }
    if let remote = stream.remote {
      line.add("fractionLost", .number(remote.fractionLost))
      line.add("packetsLost", .integer(Int(clamping: remote.packetsLost)))
      line.add("jitter", .number(remote.jitter.seconds))
      line.add("roundTripTime", JSONLine.Value(remote.roundTripTime?.seconds))
    }
    if let video = stream.video {
      line.add("framesEncoded", .integer(Int(clamping: video.framesEncoded)))
      line.add("keyFramesEncoded", .integer(Int(clamping: video.keyFramesEncoded)))
      line.add("framesPerSecond", .number(video.framesPerSecond))
      line.add("frameWidth", .integer(video.frameWidth))
      line.add("frameHeight", .integer(video.frameHeight))
      line.add("qualityLimitationReason", JSONLine.Value(video.qualityLimitationReason?.rawValue))
      line.add("pliCount", .integer(Int(clamping: video.pliCount)))
    }
    return line
  }

  private static func line(_ transport: TransportStatistics) -> JSONLine {
    var line: JSONLine = [
      "iceState": .text(transport.iceState.rawValue), "dtlsState": .text(transport.dtlsState.rawValue),
      "packetsSent": .integer(Int(clamping: transport.packetsSent)),
      "packetsReceived": .integer(Int(clamping: transport.packetsReceived)),
      "bytesSent": .integer(Int(clamping: transport.bytesSent)),
      "bytesReceived": .integer(Int(clamping: transport.bytesReceived)),
    ]
    guard let pair = transport.selectedCandidatePair else { return line }
    line.add("local", .object(self.line(pair.local)))
    line.add("remote", .object(self.line(pair.remote)))
    line.add("currentRoundTripTime", JSONLine.Value(pair.currentRoundTripTime?.seconds))
    line.add(
      "availableOutgoingBitrate",
      pair.availableOutgoingBitrate.map { .integer(Int(clamping: $0.bitsPerSecond)) } ?? .null)
    return line
  }

  private static func line(_ candidate: CandidateStatistics) -> JSONLine {
    var line: JSONLine = [
      "candidateType": .text(candidate.candidateType.rawValue), "protocol": .text(name(candidate.protocol)),
      "address": JSONLine.Value(candidate.address?.description),
    ]
    if let relay = candidate.relayProtocol { line.add("relayProtocol", .text(name(relay))) }
    return line
  }

  private static func name(_ transport: IceTransport) -> String { transport == .udp ? "udp" : "tcp" }

  private static func name(_ transport: IceServerURL.Transport) -> String {
    switch transport {
    case .udp: "udp"
    case .tcp: "tcp"
    case .tls: "tls"
    }
  }

  private mutating func receivedRate(_ track: InboundTrackStatistics, now: Instant) -> Rate {
    rate(
      track.publication, bytes: track.bytesReceived, packets: track.packetsReceived, lost: track.packetsLost, now: now)
  }

  private mutating func sentRate(_ stream: OutboundTrackStatistics, now: Instant) -> Rate {
    rate("sent \(stream.ssrc.rawValue)", bytes: stream.bytesSent, packets: stream.packetsSent, lost: 0, now: now)
  }
}
