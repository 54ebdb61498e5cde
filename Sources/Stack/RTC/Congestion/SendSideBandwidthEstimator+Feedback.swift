public import Basics

/// Takes feedback: arrivals and losses go to the parts of the estimate, which decide about the target.
extension SendSideBandwidthEstimator {
  /// Takes a transport-wide feedback report. Cost: some 50 ns for each packet it reports on.
  public mutating func receive(_ feedback: TransportFeedback, in datagram: Span<UInt8>, now: Instant) {
    adapter.beginReport(feedback)
    var probed: DataRate?
    var arrivals = feedback.arrivals
    while let arrival = arrivals.next(in: datagram) {
      guard let result = adapter.addArrival(arrival) else { continue }
      delivered.add(result, isLimited: limit.since != nil)
      if let deltas = interArrival.add(result, now: now) {
        trendline.add(deltas, received: result.received, now: now)
      }
      if let rate = probeEstimator.add(result) { probed = rate }
    }
    let summary = adapter.finish()
    guard summary.received > 0 else { return }
    if summary.outage > 0 || lastBackOff != nil { resume(now) }
    lastGood = nil
    isMeasured = true
    firstUnanswered = nil
    unanswered = 0
    lastBackOff = nil
    if let sent = summary.newestSent {
      measured(roundTrip: now - sent, weight: 8)
      newestReported = max(newestReported ?? sent, sent)
    }
    limit.advance(target, now)
    noteSent(now)
    loss.add(
      received: summary.received, lost: summary.lost - summary.recovered, sentBits: sentBits, target: target,
      usage: trendline.queueDelay > .milliseconds(100) ? .overusing : trendline.usage,
      roundTrip: roundTrip ?? .milliseconds(100), now: now)
    sentBits = 0
    if let rate = loss.takeRestored(), rate > aimd.rate { aimd.set(rate, now: now) }
    let isSpurious = trendline.usage == .overusing && isOveruseSpurious(now)
    let usage = isSpurious ? .normal : trendline.usage
    // A receiver that falls behind shows the path's limit, however small the sent share of the estimate is: the arrival
    // rate is all that the path takes.
    let isTried = comesInSteps && usage == .overusing && isFallingBehind
    aimd.update(
      usage, delivered: offered(delivered.rate), roundTrip: roundTrip ?? .milliseconds(100),
      isLimited: isTried ? false : limit.since != nil || (comesInSteps && usage == .normal && isProbeCounted(now)),
      now: now)
    trustArrivals(now)
    if let probed { take(probe: probed, now) }
    settle(now)
  }

  /// Takes an estimate of the receiver (REMB). With transport-wide feedback it is an upper bound only. The streams that
  /// it lists decide what it means next to the receiver's other estimates; see ``ReceiverEstimates``.
  /// - Parameter isSent: Whether this side sends a stream, or retransmissions, under an SSRC.
  public mutating func receive(
    _ remb: REMB, in datagram: Span<UInt8>, now: Instant, isSent: (SSRC) -> Bool
  ) {
    var sources: [SSRC] = []
    while let ssrc = remb.ssrc(at: sources.count, in: datagram) { sources.append(ssrc) }
    guard let rate = receiverEstimates.add(remb.bitrate, of: sources, now: now, isSent: isSent) else { return }
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
      received: received, lost: lost, sentBits: sentBits, target: target, usage: .normal,
      roundTrip: roundTrip ?? .milliseconds(100), now: now)
    sentBits = 0
    // Nothing but loss is known, so the rate rises while there is none, and the receiver's bound holds it where there
    // is one.
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

  /// Whether an apparent overuse is an artefact: while less is sent than may be, jitter and single large frames look
  /// like a growing queue. A queue of our own making would be visible and wouldn't pass; that of a probe passes.
  private func isOveruseSpurious(_ now: Instant) -> Bool {
    guard limit.since != nil || comesInSteps, trendline.queueDelay < Self.standingQueue else { return false }
    return trendline.queueDelay < Self.leastQueue || isProbeFelt(now) || !isFallingBehind
  }

  /// Whether what is sent follows the estimate in steps only, so that it lies below it most of the time.
  var comesInSteps: Bool { configuration.reach < 1.5 }

  /// Whether less arrives than is sent, beyond what the path loses by itself.
  private var isFallingBehind: Bool {
    guard let arriving = offered(delivered.rate) else { return false }
    return Double(arriving.bitsPerSecond) < 0.92 * sentRate
  }

  /// Whether a probe may still fill the path's queue.
  private func isProbeFelt(_ now: Instant) -> Bool {
    guard let lastProbePacket else { return false }
    return now - lastProbePacket < .milliseconds(300) + (roundTrip ?? .milliseconds(100))
  }

  /// Whether a probe is still part of the measured sent and arrival rates. The arrival rate is smoothed over half a
  /// second.
  private func isProbeCounted(_ now: Instant) -> Bool {
    guard let lastProbePacket else { return false }
    return now - lastProbePacket < Self.probeMemory + (roundTrip ?? .milliseconds(100))
  }

  private mutating func noteSent(_ now: Instant) {
    if let since = sentRateAt {
      let elapsed = max((now - since).seconds, 0.005)
      sentRate += min(elapsed / 0.4, 1) * (sentBits / elapsed - sentRate)
    }
    sentRateAt = now
  }

  /// The rate to send for `rate` to arrive: inherent loss comes on top.
  func offered(_ rate: DataRate?) -> DataRate? {
    rate.map { DataRate(bitsPerSecond: Int64(Double($0.bitsPerSecond) / (1 - min(loss.inherentLoss, 0.5)))) }
  }

  /// Arrival without loss or a queue proves that the path has the capacity. Flows that share a path lower each other's
  /// estimates again and again; without this proof a flow that sends little would end below its own rate.
  private mutating func trustArrivals(_ now: Instant) {
    // The burst of a probe doesn't prove it; the probe's own result covers that.
    guard comesInSteps, trendline.usage == .normal, trendline.queueDelay < Self.leastQueue, !loss.isHolding,
      !isProbeFelt(now), let arriving = offered(delivered.rate)
    else { return }
    let proven = DataRate(bitsPerSecond: arriving.bitsPerSecond * 19 / 20)
    if proven > aimd.rate { aimd.set(proven, now: now) }
  }

  /// Resumes after the path stood still. The delays and rates of the pause are meaningless; a probe checks whether the
  /// path has its earlier capacity.
  private mutating func resume(_ now: Instant) {
    interArrival = InterArrivalDelta()
    trendline.reset()
    probes.recover(to: max(lastGood ?? target, target), now: now)
    lastGood = nil
  }
}
