public import Basics

/// A receiver's measurements of one stream, for its report blocks (RFC 3550 sections 6.4.1, A.1, A.3 and A.8).
///
/// Give it every packet that came under the stream's own SSRC; retransmissions have one of their own. A plain value
/// without allocation.
public struct ReceiveStatistics: Sendable {
  public let ssrc: SSRC
  /// The stream's clock, in ticks per second.
  public let clockRate: UInt32

  private var isStarted = false
  private var base: UInt32 = 0
  private var highest: UInt16 = 0
  private var cycles: UInt32 = 0
  private var restartCandidate: UInt16?
  private var lastTransit: UInt32 = 0
  private var hasTransit = false
  /// Sixteen times the jitter, as in appendix A.8.
  private var scaledJitter: UInt32 = 0
  private var expectedBefore: UInt32 = 0
  private var receivedBefore: UInt32 = 0
  private var lastSenderReport: UInt32 = 0
  private var senderReportArrival: Instant?

  /// Packets received since the start, duplicates included.
  public private(set) var receivedCount: UInt32 = 0

  /// A gap of up to this many packets counts as loss (A.1, MAX_DROPOUT).
  private static let maximumDropout: UInt16 = 3_000
  /// A packet of up to this many numbers back counts as late (A.1, MAX_MISORDER).
  private static let maximumMisorder: UInt16 = 100

  /// Statistics of a stream that nothing is known about yet.
  public init(ssrc: SSRC, clockRate: UInt32) {
    self.ssrc = ssrc
    self.clockRate = clockRate
  }

  /// Takes note of a packet.
  public mutating func receive(_ header: RTPHeader, now: Instant) {
    receive(sequence: header.sequenceNumber, timestamp: header.timestamp, now: now)
  }

  /// Takes note of a packet with the given number and timestamp.
  public mutating func receive(sequence: SequenceNumber, timestamp: RTPTimestamp, now: Instant) {
    guard accept(sequence.rawValue) else { return }
    receivedCount &+= 1
    updateJitter(timestamp, now)
  }

  /// Takes note of the stream's sender report, which the next report blocks refer to.
  public mutating func receive(senderReport info: SenderInfo, now: Instant) {
    guard info.ssrc == ssrc else { return }
    lastSenderReport = info.ntp.middle32
    senderReportArrival = now
  }

  /// The highest number received with its cycles.
  public var extendedHighestSequence: UInt32 { cycles &+ UInt32(highest) }

  /// The interarrival jitter in ticks of the stream's clock.
  public var jitter: UInt32 { scaledJitter >> 4 }

  /// Packets lost since the start; negative when duplicates arrived.
  public var cumulativeLost: Int32 {
    isStarted ? Int32(bitPattern: expectedCount &- receivedCount) : 0
  }

  private var expectedCount: UInt32 { extendedHighestSequence &- base &+ 1 }

  /// The report block for now, nil before the first packet. The share of lost packets is counted from one call to the
  /// next, so call it once per report.
  public mutating func makeReportBlock(now: Instant) -> ReportBlock? {
    guard isStarted else { return nil }
    let expected = expectedCount
    let expectedInterval = expected &- expectedBefore
    let lostInterval = Int64(expectedInterval) &- Int64(receivedCount &- receivedBefore)
    expectedBefore = expected
    receivedBefore = receivedCount
    var fraction: Int64 = 0
    if expectedInterval > 0, lostInterval > 0 { fraction = (lostInterval << 8) / Int64(expectedInterval) }
    var delay: UInt32 = 0
    if let senderReportArrival { delay = (now - senderReportArrival).shortNTP }
    return ReportBlock(
      ssrc: ssrc, fractionLost: UInt8(min(fraction, 255)),
      cumulativeLost: max(-0x80_0000, min(cumulativeLost, 0x7F_FFFF)),
      extendedHighestSequence: extendedHighestSequence, jitter: jitter, lastSenderReport: lastSenderReport,
      delaySinceLastSenderReport: delay)
  }

  private mutating func accept(_ sequence: UInt16) -> Bool {
    guard isStarted else {
      start(sequence)
      return true
    }
    let distance = sequence &- highest
    if distance < Self.maximumDropout {
      if sequence < highest { cycles &+= 0x1_0000 }
      highest = sequence
      restartCandidate = nil
      return true
    }
    if distance <= 0 &- Self.maximumMisorder {
      // Two in a row after a large jump: the sender has begun a new sequence.
      guard restartCandidate == sequence else {
        restartCandidate = sequence &+ 1
        return false
      }
      start(sequence)
    }
    return true
  }

  private mutating func start(_ sequence: UInt16) {
    isStarted = true
    base = UInt32(sequence)
    highest = sequence
    cycles = 0
    restartCandidate = nil
    receivedCount = 0
    expectedBefore = 0
    receivedBefore = 0
    hasTransit = false
  }

  private mutating func updateJitter(_ timestamp: RTPTimestamp, _ now: Instant) {
    let arrival = UInt32(
      truncatingIfNeeded: TimeSpan(nanoseconds: now.nanoseconds).ticks(clockRate: clockRate))
    let transit = arrival &- timestamp.rawValue
    defer {
      lastTransit = transit
      hasTransit = true
    }
    guard hasTransit else { return }
    let difference = Int32(bitPattern: transit &- lastTransit).magnitude
    // A jump of five seconds is a new time line, not jitter.
    guard difference < clockRate &* 5 else { return }
    scaledJitter = scaledJitter &+ difference &- ((scaledJitter &+ 8) >> 4)
  }
}

extension TimeSpan {
  /// The span in 1/65,536 s, 0 to 2³²-1: the form of DLSR (RFC 3550 section 6.4.1).
  var shortNTP: UInt32 {
    let seconds = nanoseconds / 1_000_000_000
    guard nanoseconds >= 0 else { return 0 }
    guard seconds <= 0xFFFF else { return .max }
    let rest = nanoseconds % 1_000_000_000
    return UInt32(truncatingIfNeeded: seconds << 16 | (rest << 16) / 1_000_000_000)
  }
}

extension ReportBlock {
  /// The round-trip time for the stream's sender, from this block as received at `now` (RFC 3550 section 6.4.1).
  ///
  /// nil when the receiver had no sender report yet or the times contradict each other. `now` must come from the same
  /// clock as the sender reports.
  public func roundTripTime(at now: NTPTime) -> TimeSpan? {
    guard lastSenderReport != 0 else { return nil }
    let difference = Int32(
      bitPattern: now.middle32 &- lastSenderReport &- delaySinceLastSenderReport)
    // Rounding in both directions can make it a little less than nothing.
    guard difference >= -66 else { return nil }
    return TimeSpan(nanoseconds: (Int64(max(0, difference)) &* 1_000_000_000) >> 16)
  }
}
