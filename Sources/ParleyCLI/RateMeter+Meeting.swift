import Parley

@MainActor extension RateMeter {
  /// A line of the live screen for each participant.
  mutating func rows(_ statistics: MeetingStatistics, _ meeting: Meeting) -> [ScreenRow] {
    var rows: [String: ScreenRow] = [:]
    for track in statistics.inbound {
      guard let participant = track.participant, let publication = track.publication else { continue }
      let rate = receivedRate(publication, track, now: MonotonicClock.now)
      var row = rows[participant] ?? ScreenRow(participant: participant)
      row.bitrate = DataRate(bitsPerSecond: row.bitrate.bitsPerSecond + rate.bitrate.bitsPerSecond)
      row.loss = max(row.loss, rate.loss)
      if track.video != nil {
        row.framesPerSecond = rate.framesPerSecond
        let size = meeting.participants.flatMap(\.publications).first { $0.id == publication }?.subscription?.video?
          .size
        if let size, size.width > 0 { row.size = "\(size.width)×\(size.height)" }
      }
      rows[participant] = row
    }
    if !statistics.outbound.isEmpty {
      var row = ScreenRow(participant: meeting.local.id)
      for stream in statistics.outbound {
        let rate = sentRate(stream)
        row.bitrate = DataRate(bitsPerSecond: row.bitrate.bitsPerSecond + rate.bitrate.bitsPerSecond)
        if stream.kind == .video {
          row.framesPerSecond = max(row.framesPerSecond, rate.framesPerSecond)
          if stream.frameWidth > 0 { row.size = "\(stream.frameWidth)×\(stream.frameHeight)" }
        }
        row.loss = max(row.loss, stream.remote.fractionLost)
      }
      rows[meeting.local.id] = row
    }
    return Array(rows.values)
  }

  /// The transport in one line.
  func totals(_ statistics: MeetingStatistics) -> String {
    let transport = statistics.transport
    var parts: [String] = []
    if let time = transport.roundTripTime { parts.append("round trip \(time.microseconds / 1_000) ms") }
    if transport.availableOutgoingBitrate > .zero {
      parts.append("can send \(ScreenRow.rate(transport.availableOutgoingBitrate))")
    }
    parts.append("received \(transport.bytesReceived / 1_000_000) MB, sent \(transport.bytesSent / 1_000_000) MB")
    return parts.joined(separator: "   ")
  }

  /// The `stats` line of `--json`.
  mutating func line(_ statistics: MeetingStatistics, _ meeting: Meeting) -> JSONLine {
    let now = MonotonicClock.now
    let received = statistics.inbound.compactMap { track -> JSONLine.Value? in
      guard let publication = track.publication else { return nil }
      let rate = receivedRate(publication, track, now: now)
      var line: JSONLine = [
        "publication": .text(publication), "participant": JSONLine.Value(track.participant),
        "kind": .text(track.rtp.kind.rawValue), "codec": JSONLine.Value(track.rtp.codec?.name),
        "kilobitsPerSecond": .number(Double(rate.bitrate.bitsPerSecond) / 1_000),
        "packetsReceived": .integer(Int(clamping: track.rtp.packetsReceived)),
        "packetsLost": .integer(Int(clamping: track.rtp.packetsLost)), "loss": .number(rate.loss),
        "jitterMilliseconds": .number(track.rtp.jitter.seconds * 1_000),
      ]
      if let video = track.video {
        line.add("framesReceived", .integer(Int(clamping: video.framesReceived)))
        line.add("framesDecoded", .integer(track.framesDecoded))
        line.add("framesPerSecond", .number(rate.framesPerSecond))
        line.add("freezes", .integer(Int(clamping: video.freezeCount)))
      }
      if let audio = track.audio {
        line.add("concealedSamples", .integer(Int(clamping: audio.concealedSamples)))
        line.add("totalSamples", .integer(Int(clamping: audio.totalSamplesReceived)))
      }
      return .object(line)
    }
    let sent = statistics.outbound.map { stream -> JSONLine.Value in
      let rate = sentRate(stream)
      var line: JSONLine = [
        "kind": .text(stream.kind.rawValue), "codec": JSONLine.Value(stream.codec?.name),
        "kilobitsPerSecond": .number(Double(rate.bitrate.bitsPerSecond) / 1_000),
        "packetsSent": .integer(Int(clamping: stream.packetsSent)),
        "retransmitted": .integer(Int(clamping: stream.retransmittedPacketsSent)),
        "targetKilobits": .number(Double(stream.targetBitrate.bitsPerSecond) / 1_000),
        "loss": .number(stream.remote.fractionLost), "framesPerSecond": .number(rate.framesPerSecond),
      ]
      if let rid = stream.rid { line.add("rid", .text(rid.rawValue)) }
      if stream.frameWidth > 0 {
        line.add("width", .integer(stream.frameWidth))
        line.add("height", .integer(stream.frameHeight))
      }
      return .object(line)
    }
    let transport = statistics.transport
    return [
      "roundTripMilliseconds": JSONLine.Value(transport.roundTripTime.map { $0.seconds * 1_000 }),
      "availableKilobits": .number(Double(transport.availableOutgoingBitrate.bitsPerSecond) / 1_000),
      "protocol": .text(transport.transportProtocol), "received": .list(received), "sent": .list(sent),
    ]
  }

  private mutating func receivedRate(_ key: String, _ track: InboundTrackStatistics, now: Instant) -> Rate {
    rate(
      key, bytes: track.rtp.bytesReceived, packets: track.rtp.packetsReceived, lost: track.rtp.packetsLost,
      frames: track.video?.framesReceived ?? 0, now: now)
  }

  private mutating func sentRate(_ stream: OutboundStreamStatistics) -> Rate {
    rate(
      "sent \(stream.ssrc.rawValue)", bytes: stream.bytesSent, packets: stream.packetsSent, lost: 0,
      frames: stream.framesSent,
      now: MonotonicClock.now)
  }
}
