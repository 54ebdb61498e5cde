import Basics

/// Reports in both directions, and the encoder's share of the bandwidth.
extension SendStream {
  /// Takes a report block about the stream; gives how many packets newly arrived and were lost.
  mutating func take(_ block: ReportBlock, roundTrip: TimeSpan?) -> (received: Int, lost: Int) {
    isKnown = true
    let rate = Double(max(codec?.codec.clockRate ?? 90_000, 1))
    var remote = statistics.remote ?? RemoteInboundStatistics()
    remote.packetsLost = Int64(block.cumulativeLost)
    remote.fractionLost = Double(block.fractionLost) / 256
    remote.jitter = TimeSpan(nanoseconds: Int64(Double(block.jitter) / rate * 1e9))
    if let roundTrip {
      remote.roundTripTime = roundTrip
      remote.totalRoundTripTime = remote.totalRoundTripTime + roundTrip
      remote.roundTripTimeMeasurements &+= 1
    }
    statistics.remote = remote
    defer {
      lastHighest = block.extendedHighestSequence
      lastLost = block.cumulativeLost
    }
    guard let lastHighest else { return (0, 0) }
    let expected = Int(Int32(truncatingIfNeeded: block.extendedHighestSequence &- lastHighest))
    let lost = max(0, Int(block.cumulativeLost) - Int(lastLost))
    guard expected > 0, expected < 1 << 20 else { return (0, 0) }
    return (max(0, expected - lost), min(lost, expected))
  }

  /// The encoder's target for a share of `rate`.
  mutating func allocation(_ rate: DataRate, now: Instant) -> StreamAllocation {
    var allocation = StreamAllocation(mid: mid, rid: rid, bitrate: rate, framerate: parameters.framerate)
    if kind == .video, rid == nil, rate > .zero {
      (allocation.scaleDown, allocation.framerate) = ladder.choose(bitrate: rate, parameters: parameters, now: now)
    }
    return allocation
  }

  /// The sender information for a report made at `now`. It ties the time when a frame was captured to its timestamp, so
  /// that audio and video that were captured together play together. nil before the first frame.
  func senderInfo(now: Instant, clock: NTPClock) -> SenderInfo? {
    guard let lastTimestamp, reportedPackets > 0, let codec else { return nil }
    return SenderInfo(
      ssrc: ssrc, ntp: clock.time(at: now),
      rtpTimestamp: lastTimestamp.advanced(by: now - lastCapture, clockRate: codec.codec.clockRate),
      packetCount: reportedPackets, octetCount: reportedOctets)
  }
}
