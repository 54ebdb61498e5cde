public import Basics

/// What a sender knows about one stream, for its sender reports (RFC 3550 section 6.4.1).
///
/// A plain value without allocation.
public struct SendStatistics: Hashable, Sendable {
  /// The stream.
  public let ssrc: SSRC
  /// The stream's clock, in ticks per second.
  public let clockRate: UInt32
  /// Packets sent, wrapping.
  public private(set) var packetCount: UInt32 = 0
  /// Payload bytes sent, wrapping.
  public private(set) var octetCount: UInt32 = 0
  private var lastTimestamp: RTPTimestamp?
  private var lastSent = Instant.zero

  /// Statistics of a stream that has sent nothing yet.
  public init(ssrc: SSRC, clockRate: UInt32) {
    self.ssrc = ssrc
    self.clockRate = clockRate
  }

  /// Takes note of a packet sent at `now`. A timestamp older than the last one (a retransmission) only counts.
  public mutating func send(timestamp: RTPTimestamp, payloadLength: Int, now: Instant) {
    packetCount &+= 1
    octetCount &+= UInt32(truncatingIfNeeded: payloadLength)
    // The first packet of a frame is closest to the frame's own time.
    if let lastTimestamp, !timestamp.isNewer(than: lastTimestamp) { return }
    lastTimestamp = timestamp
    lastSent = now
  }

  /// The sender information of a report made at `now`; nil before the first packet.
  ///
  /// The RTP timestamp runs on from the last packet with the stream's clock. A forwarding server that knows the source's
  /// reports uses ``SenderReportMapping`` instead, which keeps sound and picture in step.
  public func senderInfo(now: Instant, clock: NTPClock) -> SenderInfo? {
    guard let lastTimestamp else { return nil }
    return SenderInfo(
      ssrc: ssrc, ntp: clock.time(at: now),
      rtpTimestamp: lastTimestamp.advanced(by: now - lastSent, clockRate: clockRate),
      packetCount: packetCount, octetCount: octetCount)
  }
}
