import Basics

/// How a stream's RTP clock relates to its sender's wall clock: one point of both from a sender report
/// (RFC 3550 section 6.4.1), and the clock rate.
///
/// Two streams of one sender are put in step by mapping both to wall-clock time.
public struct SenderReportMapping: Hashable, Sendable {
  /// The wall-clock time of the point.
  public let ntp: NTPTime
  /// The RTP timestamp of the point.
  public let rtpTimestamp: RTPTimestamp
  /// The stream's clock, in ticks per second.
  public let clockRate: UInt32

  /// The mapping that a sender report states.
  @inlinable public init(_ info: SenderInfo, clockRate: UInt32) {
    self.init(ntp: info.ntp, rtpTimestamp: info.rtpTimestamp, clockRate: clockRate)
  }

  /// The mapping through one point.
  @inlinable public init(ntp: NTPTime, rtpTimestamp: RTPTimestamp, clockRate: UInt32) {
    self.ntp = ntp
    self.rtpTimestamp = rtpTimestamp
    self.clockRate = clockRate
  }

  /// The RTP timestamp at a wall-clock time. Exact within half the timestamp's range of the point (6.6 hours for
  /// video).
  @inlinable public func rtpTimestamp(at time: NTPTime) -> RTPTimestamp {
    rtpTimestamp.advanced(by: time - ntp, clockRate: clockRate)
  }

  /// The wall-clock time of an RTP timestamp, taking the shorter way around the wrap.
  @inlinable public func ntpTime(of timestamp: RTPTimestamp) -> NTPTime {
    ntp + timestamp.timeSpan(since: rtpTimestamp, clockRate: clockRate)
  }
}
