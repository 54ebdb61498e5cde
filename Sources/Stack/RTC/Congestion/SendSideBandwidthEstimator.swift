public import Basics

/// The sender's estimate of the capacity of the path to one receiver, from transport-wide feedback: a delay-based part,
/// a loss-based part and probes (draft-ietf-rmcat-gcc-02, draft-holmer-rmcat-transport-wide-cc-extensions-01). Without
/// transport-wide feedback it falls back on REMB and on the loss in receiver reports.
///
/// ```swift
/// let number = estimator.nextSequence               // into the packet's header extension
/// estimator.packetSent(size: bytes, now: now)
/// estimator.receive(feedback, in: datagram, now: now)
/// // at estimator.deadline: estimator.handleTimeout(now: now)
/// while let probe = estimator.pollProbe() { … }     // send at probe.rate for probe.bytes
/// encoder.bitrate = estimator.target
/// ```
///
/// Use one for each connection, or each subscriber of a media server. It does no I/O. It takes 16 bytes for each
/// remembered packet (16 KiB by default) and about 1 KiB besides, and allocates nothing after its first packet. The
/// work for a report is bounded by the report's length and by the history. The target stays between the configured
/// bounds whatever a report says.
public struct SendSideBandwidthEstimator: Sendable {
  /// Without feedback for this long, and a round trip, the target is taken back.
  static let feedbackTimeout = TimeSpan.milliseconds(500)
  private static let backOffInterval = TimeSpan.milliseconds(250)
  /// Queueing delay below this is noise.
  static let leastQueue = TimeSpan.milliseconds(40)
  /// More is waited out before the next probe.
  private static let drainingQueue = TimeSpan.milliseconds(80)
  /// A path that loses less than this share at any rate isn't lossy.
  static let smallLoss = 0.06
  /// For so long, and a round trip, a probe is a part of the rates that are measured.
  static let probeMemory = TimeSpan.seconds(1)
  /// After so long without a packet a queue of ours is gone.
  private static let quiet = TimeSpan.seconds(1)
  /// More is a queue whatever fills it.
  static let standingQueue = TimeSpan.milliseconds(150)

  /// The configuration at the start; it never changes.
  public let configuration: Configuration
  /// Whether transport-wide feedback was agreed on. While it was not, missing feedback means nothing, and REMB and
  /// receiver reports count. Estimates from before the receiver agreed don't bound the measurements.
  public var expectsFeedback = true {
    didSet {
      guard expectsFeedback, !oldValue else { return }
      receiverEstimates.removeAll()
      receiverBound = nil
    }
  }
  /// The present limit of the sent rate.
  public internal(set) var target: DataRate
  /// The round-trip time, smoothed; nil while unknown.
  public internal(set) var roundTrip: TimeSpan?

  /// The estimate before feedback went missing.
  var lastGood: DataRate?
  /// Bits sent since the last report.
  var sentBits = 0.0
  /// The rate that was sent at, smoothed over about half a second of reports, and when it was last worked out.
  var sentRate = 0.0
  var sentRateAt: Instant?
  /// The last probe that showed the path's limit, unless it raised the estimate. Brief ones are left out: jitter
  /// decides what they show.
  var saturated: (rate: DataRate, at: Instant)?
  /// The result of the last probe that met the path's limit, brief probes excluded.
  var pathLimit: (rate: DataRate, at: Instant)?
  /// The probe that is measured now: one is reported on in several parts, of which the later ones know more.
  var measuring = Measuring()

  /// A probe, and what was there before its first part.
  struct Measuring {
    var id: UInt8 = 0
    /// The estimate, and what the probe made of it so far.
    var before = DataRate.zero
    var raised: DataRate?
    var limit: (rate: DataRate, at: Instant)?
  }

  @usableFromInline var adapter: TransportFeedbackAdapter
  var interArrival = InterArrivalDelta()
  var trendline = TrendlineEstimator()
  var delivered = AcknowledgedBitrate()
  var aimd: AimdRateControl
  var loss: LossBasedEstimator
  var probeEstimator = ProbeBitrateEstimator()
  var probes: ProbeController
  var limit: ApplicationLimit
  var receiverEstimates = ReceiverEstimates()
  var receiverBound: DataRate?
  var firstUnanswered: Instant?
  /// Packets sent since the last report or back-off: silence after silence means nothing.
  var unanswered = 0
  var lastBackOff: Instant?
  var lastProbePacket: Instant?
  /// When anything was last sent, and whether that is so long ago that nothing is known of the path's queue any more.
  private var lastSent: Instant?
  private var isQuiet = false
  /// When a probe that is not brief last took the estimate back.
  var lastBound: Instant?

  /// An estimator whose first transport-wide number is `firstSequence`.
  public init(configuration: Configuration = .init(), firstSequence: UInt16 = 0) {
    self.configuration = configuration
    adapter = TransportFeedbackAdapter(
      history: SentPacketHistory(capacity: configuration.history, first: firstSequence))
    aimd = AimdRateControl(
      start: configuration.start, minimum: configuration.minimum, maximum: configuration.maximum,
      reach: configuration.reach)
    probes = ProbeController(
      maximum: configuration.maximum, interval: configuration.probeInterval, isLong: configuration.reach < 1.5)
    limit = ApplicationLimit(share: configuration.limitedShare)
    loss = LossBasedEstimator(pads: configuration.probes && configuration.reach < 1.5)
    target = min(max(configuration.start, configuration.minimum), configuration.maximum)
  }

  // MARK: Measurements

  /// Whether ``target`` follows from anything that was measured; until then it is the configured start.
  public internal(set) var isMeasured = false
  /// The state of the path by its delay.
  public var usage: BandwidthUsage { trendline.usage }
  /// How long packets wait in the path's queue now, compared with the best of the last seconds.
  public var queueDelay: TimeSpan { trendline.queueDelay }
  /// The share of packets lost lately, 0 to 1.
  public var lossShare: Double { loss.loss }
  /// The share that the path loses whatever is sent, as far as is known, 0 to 1.
  public var inherentLoss: Double { loss.inherentLoss }
  /// Whether more is lost than the path loses by itself, beyond what chance explains. While it is tried out whose the
  /// loss is, it counts for nothing.
  public func losesTooMuch(now: Instant) -> Bool { loss.isExcessive(now: now) }
  /// The rate that padding fills up to during `span`, while a trial checks whether sending more loses more; nil outside
  /// of trials. Only if the application follows the estimate in steps (``Configuration/reach`` below 1.5). The padding
  /// isn't a probe, and its packets aren't marked.
  public func padding(for span: TimeSpan, now: Instant) -> ProbeCluster? {
    loss.paddedRate(now: now).map { ProbeCluster(padding: $0, for: span) }
  }
  /// The result and time of the newest probe; nil before the first.
  public internal(set) var lastProbe: (rate: DataRate, at: Instant)?
  /// When the newest packet was sent that the receiver has reported on; nil before the first.
  public internal(set) var newestReported: Instant?
  /// Whether any feedback has come.
  public var hasFeedback: Bool { newestReported != nil }
  /// Bytes that left and were not reported on.
  public var bytesInFlight: Int64 { adapter.history.bytesInFlight }
  /// Feedback about packets that were never sent, are forgotten or were reported before.
  public var ignoredFeedback: UInt64 { adapter.ignoredCount }

  // MARK: Sending

  /// The number for the transport-wide header extension of the next packet.
  public var nextSequence: SequenceNumber { adapter.history.nextSequence }

  /// A packet of `size` bytes left under ``nextSequence``.
  /// - Parameter cluster: the ``ProbeCluster/id`` of the probe it belongs to; 0 for none.
  public mutating func packetSent(size: Int, cluster: UInt8 = 0, now: Instant) {
    adapter.history.append(size: size, cluster: cluster, now: now)
    limit.sent(bytes: size, target: target, now: now)
    sentBits += Double(size) * 8
    if cluster != 0 { lastProbePacket = now }
    lastSent = now
    isQuiet = false
    if firstUnanswered == nil { firstUnanswered = now }
    unanswered &+= 1
  }

  /// A packet left under ``nextSequence`` that nothing is to be known of.
  @inlinable
  public mutating func skipSequence() { adapter.history.skip() }

  /// Packets may be sent, and padding to probe with: begins with the first probes.
  public mutating func startProbing(now: Instant) {
    guard configuration.probes, expectsFeedback else { return }
    probes.start(target: target, now: now)
  }

  /// More than this will never be sent, so there is nothing to gain beyond.
  public mutating func setUseful(_ rate: DataRate) {
    probes.maximum = min(max(rate, configuration.minimum), configuration.maximum)
  }

  /// The next probe to send; nil when there is none.
  public mutating func pollProbe() -> ProbeCluster? {
    guard let probe = probes.poll() else { return nil }
    probeEstimator.beginProbe(probe, loss: loss.inherentLoss)
    return probe
  }

  // MARK: Time

  /// When ``handleTimeout(now:)`` is to be called next; ``Basics/Instant/distantFuture`` when never.
  public var deadline: Instant {
    let isProbing = configuration.probes && expectsFeedback && lastBackOff == nil
    return min(min(backOffDeadline, quietDeadline), isProbing ? probes.deadline : .distantFuture)
  }

  /// When the last measurement of the idle path loses its meaning. Without this a receiver that gets nothing for lack
  /// of bandwidth would wait for ever: probes wait for a queue to drain, or for feedback, and without packets neither
  /// ever happens.
  private var quietDeadline: Instant {
    guard expectsFeedback, configuration.probes, !isQuiet, let lastSent else { return .distantFuture }
    return lastSent + Self.quiet + (roundTrip ?? .zero)
  }

  private var backOffDeadline: Instant {
    guard expectsFeedback, let firstUnanswered, target > configuration.minimum else { return .distantFuture }
    if let lastBackOff { return unanswered > 0 ? lastBackOff + Self.backOffInterval : .distantFuture }
    guard unanswered >= 4 else { return .distantFuture }
    // The first report of all takes a round trip that is not known yet.
    let patience = newestReported == nil ? TimeSpan.milliseconds(1_500) : Self.feedbackTimeout
    return firstUnanswered + patience + (roundTrip ?? .zero)
  }

  /// Lets time pass: takes the target back while feedback is missing, and decides on probes.
  public mutating func handleTimeout(now: Instant) {
    if backOffDeadline <= now {
      // A probe of a quiet path that is not answered either leaves the rate to come back to.
      if lastBackOff == nil { lastGood = max(lastGood ?? target, target) }
      lastBackOff = now
      unanswered = 0
      aimd.set(DataRate(bitsPerSecond: target.bitsPerSecond * 8 / 10), now: now)
    }
    if quietDeadline <= now {
      isQuiet = true
      interArrival = InterArrivalDelta()
      trendline.reset()
      lastBackOff = nil
      firstUnanswered = nil
      unanswered = 0
    }
    limit.advance(target, now)
    settle(now)
  }

  mutating func settle(_ now: Instant) {
    var rate = aimd.rate
    if let bound = loss.bound { rate = min(rate, bound) }
    if let receiverBound { rate = min(rate, receiverBound) }
    target = min(max(rate, configuration.minimum), configuration.maximum)
    // The delay-based part must not run ahead of what is really sent.
    if aimd.rate.bitsPerSecond > target.bitsPerSecond * 3 / 2 {
      aimd.set(DataRate(bitsPerSecond: target.bitsPerSecond * 3 / 2), now: now)
    }
    guard configuration.probes, expectsFeedback, lastBackOff == nil else { return }
    probes.update(
      target: target, usage: trendline.usage, isHolding: loss.isHolding && !isQuiet,
      isQueued: comesInSteps && trendline.queueDelay > Self.drainingQueue, limit: limit, now: now)
  }
}
