public import Basics

/// Estimates on the sender's side how much the path to one receiver takes, from transport-wide feedback: a delay-based part, a
/// loss-based part and probes (draft-ietf-rmcat-gcc-02, draft-holmer-rmcat-transport-wide-cc-extensions-01). Where no such feedback was
/// agreed on, it falls back on REMB and on the loss in receiver reports.
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
/// One for each connection, or each subscriber of a media server. A value without I/O; it takes 16 bytes for each packet that is
/// remembered (16 KiB by default) and about 1 KiB beside, and allocates nothing after its first packet. The work for a report is bounded by
/// its length and by the history; whatever a report says, the target stays between the configured bounds.
public struct SendSideBandwidthEstimator: Sendable {
  /// Bounds and sizes of an estimator.
  public struct Configuration: Hashable, Sendable {
    /// The first target.
    public var start: DataRate
    /// The target never goes below this.
    public var minimum: DataRate
    /// The target never goes above this.
    public var maximum: DataRate
    /// How many sent packets are remembered, 16 bytes each; must cover a round trip and the time between two reports.
    public var history: Int
    /// Whether to probe.
    public var probes: Bool

    /// A configuration.
    public init(
      start: DataRate = .kilobits(300), minimum: DataRate = .kilobits(30), maximum: DataRate = .kilobits(8_000),
      history: Int = 1_024, probes: Bool = true
    ) {
      self.start = start
      self.minimum = minimum
      self.maximum = max(maximum, minimum)
      self.history = history
      self.probes = probes
    }
  }

  /// Without feedback for this long, and a round trip, the target is taken back.
  static let feedbackTimeout = TimeSpan.milliseconds(500)
  private static let backOffInterval = TimeSpan.milliseconds(250)

  /// What was given at the start.
  public let configuration: Configuration
  /// Whether transport-wide feedback was agreed on. While it was not, missing feedback means nothing, and REMB and receiver reports count.
  public var expectsFeedback = true
  /// What may be sent now.
  public private(set) var target: DataRate
  /// The round-trip time, smoothed; nil while unknown.
  public private(set) var roundTrip: TimeSpan?

  private var adapter: TransportFeedbackAdapter
  private var interArrival = InterArrivalDelta()
  private var trendline = TrendlineEstimator()
  private var delivered = AcknowledgedBitrate()
  private var aimd: AimdRateControl
  private var loss = LossBasedEstimator()
  private var probeEstimator = ProbeBitrateEstimator()
  private var probes: ProbeController
  private var limit = ApplicationLimit()
  private var receiverBound: DataRate?
  private var lastFeedback: Instant?
  private var firstUnanswered: Instant?
  /// Packets sent since the last report or back-off: silence after silence means nothing.
  private var unanswered = 0
  private var lastBackOff: Instant?

  /// An estimator whose first transport-wide number is `firstSequence`.
  public init(configuration: Configuration = .init(), firstSequence: UInt16 = 0) {
    self.configuration = configuration
    adapter = TransportFeedbackAdapter(
      history: SentPacketHistory(capacity: configuration.history, first: firstSequence))
    aimd = AimdRateControl(
      start: configuration.start, minimum: configuration.minimum, maximum: configuration.maximum)
    probes = ProbeController(maximum: configuration.maximum)
    target = min(max(configuration.start, configuration.minimum), configuration.maximum)
  }

  // MARK: What is measured

  /// Whether ``target`` follows from anything that was measured; until then it is the configured start.
  public private(set) var isMeasured = false
  /// What the delay says now.
  public var usage: BandwidthUsage { trendline.usage }
  /// The rate at which the receiver gets what is sent; nil while unknown.
  public var acknowledgedRate: DataRate? { delivered.rate }
  /// The share of packets lost lately, 0 to 1.
  public var lossShare: Double { loss.loss }
  /// Whether the application sends clearly less than it may.
  public var isApplicationLimited: Bool { limit.since != nil }
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
    if firstUnanswered == nil { firstUnanswered = now }
    unanswered &+= 1
  }

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
    probeEstimator.begin(probe)
    return probe
  }

  // MARK: Feedback

  /// Takes a transport-wide feedback report. Cost: some 50 ns for each packet it reports on.
  public mutating func receive(_ feedback: TransportFeedback, in datagram: Span<UInt8>, now: Instant) {
    adapter.begin(feedback)
    var probed: DataRate?
    var arrivals = feedback.arrivals
    while let arrival = arrivals.next(in: datagram) {
      guard let result = adapter.take(arrival) else { continue }
      delivered.add(result, isLimited: limit.since != nil)
      if let deltas = interArrival.add(result, now: now) {
        trendline.add(deltas, received: result.received, now: now)
      }
      if let rate = probeEstimator.add(result) { probed = rate }
    }
    let summary = adapter.finish()
    guard summary.received > 0 else { return }
    lastFeedback = now
    isMeasured = true
    firstUnanswered = nil
    unanswered = 0
    lastBackOff = nil
    if let sent = summary.newestSent { measured(roundTrip: now - sent, weight: 8) }
    limit.advance(target, now)
    loss.add(
      received: summary.received, lost: summary.lost - summary.recovered, target: target,
      usage: trendline.usage, roundTrip: roundTrip ?? .milliseconds(100), now: now)
    aimd.update(
      trendline.usage, delivered: delivered.rate, roundTrip: roundTrip ?? .milliseconds(100),
      isLimited: limit.since != nil, now: now)
    if let probed { take(probe: probed, now) }
    settle(now)
  }

  /// Takes the receiver's own estimate (REMB). With transport-wide feedback it is an upper bound only.
  public mutating func receive(remb rate: DataRate, now: Instant) {
    receiverBound = rate
    isMeasured = true
    if !expectsFeedback { aimd.set(rate, now: now) }
    settle(now)
  }

  /// Takes the loss since the last receiver report, for connections without transport-wide feedback.
  public mutating func receive(received: Int, lost: Int, now: Instant) {
    guard !expectsFeedback, received >= 0, lost >= 0, received < 1 << 24, lost < 1 << 24 else { return }
    isMeasured = true
    loss.add(
      received: received, lost: lost, target: target, usage: .normal, roundTrip: roundTrip ?? .milliseconds(100),
      now: now)
    // Nothing but loss is known, so the rate rises while there is none, and the receiver's bound holds it where there is one.
    if receiverBound == nil {
      aimd.update(
        .normal, delivered: target, roundTrip: roundTrip ?? .milliseconds(100),
        isLimited: limit.since != nil || loss.isHolding, now: now)
    }
    settle(now)
  }

  /// Takes a measurement of the round-trip time, for instance from a receiver report (RFC 3550 section 6.4.1).
  public mutating func measured(roundTrip sample: TimeSpan) { measured(roundTrip: sample, weight: 4) }

  private mutating func measured(roundTrip sample: TimeSpan, weight: Int64) {
    guard sample >= .zero, sample <= .seconds(60) else { return }
    let old = roundTrip ?? sample
    roundTrip = TimeSpan(nanoseconds: (old.nanoseconds * (weight - 1) + sample.nanoseconds) / weight)
  }

  private mutating func take(probe rate: DataRate, _ now: Instant) {
    probes.measured(rate, now: now)
    guard rate > aimd.rate, trendline.usage != .overusing else { return }
    aimd.set(rate, now: now)
    loss.raise(to: rate)
    delivered.expectChange()
  }

  // MARK: Time

  /// When ``handleTimeout(now:)`` is to be called next; ``Basics/Instant/distantFuture`` when never.
  public var deadline: Instant {
    let isProbing = configuration.probes && expectsFeedback && lastBackOff == nil
    return min(backOffDeadline, isProbing ? probes.deadline : .distantFuture)
  }

  private var backOffDeadline: Instant {
    guard expectsFeedback, let firstUnanswered, target > configuration.minimum else { return .distantFuture }
    if let lastBackOff { return unanswered > 0 ? lastBackOff + Self.backOffInterval : .distantFuture }
    guard unanswered >= 4 else { return .distantFuture }
    // The first report of all takes a round trip that is not known yet.
    let patience = lastFeedback == nil ? TimeSpan.milliseconds(1_500) : Self.feedbackTimeout
    return firstUnanswered + patience + (roundTrip ?? .zero)
  }

  /// Lets time pass: takes the target back while feedback is missing, and decides on probes.
  public mutating func handleTimeout(now: Instant) {
    if backOffDeadline <= now {
      lastBackOff = now
      unanswered = 0
      aimd.set(DataRate(bitsPerSecond: target.bitsPerSecond * 8 / 10), now: now)
    }
    limit.advance(target, now)
    settle(now)
  }

  private mutating func settle(_ now: Instant) {
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
      target: target, usage: trendline.usage, isHolding: loss.isHolding, limit: limit, now: now)
  }
}
