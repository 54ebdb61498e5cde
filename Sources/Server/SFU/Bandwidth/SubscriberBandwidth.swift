import Basics
import RTC

/// How much the path to one receiver takes, and everything that follows from it: pacing, probes, and the measurements
/// that allocation works with. One in each ``Egress``.
///
/// It sleeps until the first video is attached to a receiver that agreed on transport-wide feedback or REMB. Memory: 2
/// KiB and the history of sent packets, which is 1 KiB at first and at most 16. A value without I/O.
struct SubscriberBandwidth: Sendable {
  /// The kind of feedback that the receiver sends.
  enum Feedback: UInt8, Sendable {
    /// Nothing: everything is sent.
    case none
    /// Its own estimate (REMB).
    case receiverEstimate
    /// The arrival of each packet.
    case transportWide
  }

  /// The purpose of a sent packet.
  enum Use: UInt8, Sendable {
    case audio
    case video
    case retransmission
    case padding
  }

  /// Bytes that IPv4 and UDP add to each packet; the estimate is of the path, not of payloads.
  static let overhead = 28
  /// Between two looks at the estimate when nothing happens.
  static let interval = TimeSpan.milliseconds(200)
  /// A receiver that has agreed on feedback and sends none for this long is not limited.
  static let silence = TimeSpan.seconds(2)
  /// Lowest layers are not paused before the first probes can have measured the path.
  static let grace = TimeSpan.seconds(2)

  static let configuration: SendSideBandwidthEstimator.Configuration = {
    var configuration = SendSideBandwidthEstimator.Configuration(
      start: .kilobits(500), minimum: .kilobits(20), maximum: .kilobits(30_000))
    configuration.reach = 1.1
    configuration.limitedShare = 0.85
    configuration.probeInterval = .seconds(4)
    return configuration
  }()

  private(set) var feedback = Feedback.none
  var estimator = SendSideBandwidthEstimator(configuration: Self.configuration, firstSequence: 1)
  var queue = PacingQueue()
  var probe: ProbeBurst?
  /// Probes for higher layers before they are forwarded.
  var upgradeProbe = UpgradeProbe(seed: 1)
  /// Whether losses count against an upgrade probe: not where there were too many before it.
  var judgesLoss = false
  /// A path that loses so much whatever is sent isn't probed: what is lost, and what is sent again for it, would end
  /// most upgrade probes.
  static let ownLoss = 0.02
  /// Waiting so long is the end of an upgrade probe. Large frames and jitter alone make packets wait for less.
  static let longestProbeQueue = TimeSpan.milliseconds(80)
  /// And so long is, while packets wait longer and longer.
  static let growingQueue = TimeSpan.milliseconds(35)
  private(set) var audio = RateMeter()
  private(set) var retransmitted = RateMeter()
  private(set) var activeSince: Instant?
  private(set) var knownSince: Instant?
  private var lastTick: Instant?
  /// When the last transport-wide report came.
  private var lastReport: Instant?
  /// Since when more is wanted than is forwarded.
  private var unsatisfiedSince: Instant?
  /// How long the first probe may take.
  private static let firstProbeTimeout = TimeSpan.seconds(1)
  /// Without a report for so long nothing is known of a queue.
  private static let reportTimeout = TimeSpan.seconds(1)
  /// Padding of an upgrade probe is measured out in steps of this.
  static let upgradeProbeStep = TimeSpan.milliseconds(100)

  /// When the estimate and the allocation are looked at next.
  var nextTick = Instant.distantFuture
  /// Rate of the forwarded video, rate of all that is wanted, and number of paused slots.
  var allocated = DataRate.zero
  var wanted = DataRate.zero
  var paused = 0
  /// Whether everything wanted is forwarded at its best.
  var isSatisfied = true
  /// Sequence number in the store up to which padding has been taken.
  var paddingCursor: Int64 = 0

  /// Whether the estimate says something.
  var isKnown: Bool { knownSince != nil }
  /// Whether bursts are held back. Only where the estimate is the limit.
  private(set) var isPacing = false
  /// The number for the transport-wide header extension of the next packet.
  @inline(__always)
  var nextSequence: UInt16 { estimator.nextSequence.rawValue }

  /// Video is attached to a receiver that sends `feedback`: looks at it with the next timeout.
  mutating func activate(_ feedback: Feedback) {
    if feedback.rawValue > self.feedback.rawValue {
      self.feedback = feedback
      estimator.expectsFeedback = feedback == .transportWide
    }
    if feedback != .none { nextTick = .zero }
  }

  /// A packet of `bytes` bytes left.
  @inline(__always)
  mutating func sent(bytes: Int, _ use: Use, isNumbered: Bool, now: Instant) {
    let size = bytes &+ Self.overhead
    switch use {
    case .audio: audio.add(size)
    case .retransmission: retransmitted.add(size)
    case .video, .padding: break
    }
    guard feedback != .none else {
      estimator.skipSequence()
      return
    }
    // No report will cover it: it would count as lost.
    guard isNumbered || feedback != .transportWide else {
      queue.sent(bytes: size)
      return
    }
    // All packets that leave now take part in the probe: they fill the path as padding does.
    let cluster = probe?.cluster.id ?? 0
    if probe != nil { probe?.sent(bytes: size) }
    queue.sent(bytes: size)
    if feedback == .transportWide {
      estimator.packetSent(size: size, cluster: cluster, now: now)
    } else {
      estimator.skipSequence()
    }
  }

  /// Repairs may take this share of the estimate where it is the limit: more would fill the queue that lost the
  /// packets.
  private static let repairShare = 0.4
  /// And only this share while packets wait long: repairs would keep the queue from draining.
  private static let queuedRepairShare = 0.15
  private static let longQueue = TimeSpan.milliseconds(150)
  /// Less waiting is jitter, or a single large frame.
  private static let shortQueue = TimeSpan.milliseconds(50)

  /// Whether a retransmission of `bytes` bytes fits the path together with the media.
  func allowsRepair(bytes: Int) -> Bool {
    guard isPacing else { return true }
    let part = estimator.queueDelay > Self.longQueue ? Self.queuedRepairShare : Self.repairShare
    let share = Double(estimator.target.bitsPerSecond) * part * Self.interval.seconds / 8
    return retransmitted.bytes &+ bytes <= max(Int(share), 3_000)
  }

  // MARK: Feedback of the receiver

  /// Takes a report. Its consequences are drawn at the next timeout, which is now when something has to be lowered.
  mutating func receive(_ report: TransportFeedback, in datagram: Span<UInt8>, now: Instant) {
    guard feedback == .transportWide else { return }
    estimator.receive(report, in: datagram, now: now)
    lastReport = now
    if knownSince == nil, estimator.hasFeedback {
      knownSince = now
      estimator.startProbing(now: now)
    }
    changed(now)
  }

  /// Takes an estimate of the receiver.
  mutating func receive(_ remb: REMB, in datagram: Span<UInt8>, now: Instant, isSent: (SSRC) -> Bool) {
    guard feedback != .none else { return }
    estimator.receive(remb, in: datagram, now: now, isSent: isSent)
    if feedback == .receiverEstimate, knownSince == nil { knownSince = now }
    changed(now)
  }

  /// Takes the losses of a receiver report, which count where there is nothing better.
  mutating func receive(received: Int, lost: Int, now: Instant) {
    guard feedback == .receiverEstimate else { return }
    estimator.receive(received: received, lost: lost, now: now)
    changed(now)
  }

  private mutating func changed(_ now: Instant) {
    if upgradeProbe.rate != nil, isUpgradeProbeFailing(now) {
      upgradeProbe.fail(now: now)
      if probe?.cluster.id == 0 { probe = nil }
      nextTick = min(nextTick, now)
    }
    beginProbe(now)
    let needed = allocated.bitsPerSecond &+ audio.rate.bitsPerSecond
    if estimator.target.bitsPerSecond < needed || estimator.lastProbe?.at == now { nextTick = min(nextTick, now) }
    updatePacing()
  }

  // MARK: Time

  /// Looks at the estimate; allocation follows.
  mutating func tick(now: Instant) {
    if activeSince == nil { activeSince = now }
    let elapsed = now - (lastTick ?? now)
    // Decisions in between must not make the measurements coarse.
    if lastTick == nil || elapsed >= .milliseconds(150) {
      if lastTick != nil {
        audio.tick(elapsed)
        retransmitted.tick(elapsed)
      }
      lastTick = now
    }
    if estimator.deadline <= now { estimator.handleTimeout(now: now) }
    beginProbe(now)
    nextTick = now + Self.interval
    updatePacing()
  }

  /// Nothing is attached any more.
  mutating func rest() {
    nextTick = .distantFuture
    allocated = .zero
    wanted = .zero
    paused = 0
    isSatisfied = true
    probe = nil
    updatePacing()
  }

  // These four change nothing: as mutating functions they are called where the value is, which is copied otherwise, all
  // 2 KiB of it.

  /// The earliest of what pacing, probes and the estimate have to do.
  mutating func deadline() -> Instant {
    // Once nothing has to be paced any more, queued packets leave at once.
    let queued = isPacing || queue.isEmpty ? queue.deadline : .zero
    return min(nextTick, min(queued, probe?.deadline ?? .distantFuture))
  }

  /// The most that the receiver's video may take now; nil for no limit.
  mutating func budget(now: Instant) -> DataRate? {
    guard feedback != .none else { return nil }
    if !isKnown, let activeSince, now - activeSince >= Self.silence { return nil }
    let target = estimator.target.bitsPerSecond
    // Losses that are made up for take what new pictures cannot have, but not most of it.
    let repairs = min(retransmitted.rate.bitsPerSecond, target / 4)
    return DataRate(bitsPerSecond: max(target &- audio.rate.bitsPerSecond &- repairs, 0))
  }

  /// Whether something may be paused for lack of bandwidth.
  func mayPause(now: Instant) -> Bool {
    guard let knownSince else { return false }
    return now - knownSince >= Self.grace
  }

  /// Whether sent packets wait, are lost beyond the path's own loss, or are not reported on. If none of it is so,
  /// packets arrive, and a low estimate is the share that others on the path have left.
  mutating func isOverfull(now: Instant) -> Bool {
    guard feedback == .transportWide, let lastReport, now - lastReport < Self.reportTimeout else { return true }
    // A draining queue isn't a sign of overuse any more.
    if estimator.usage == .underusing { return false }
    return isQueued || estimator.losesTooMuch(now: now)
  }

  /// Whether packets wait so long that video freezes.
  var isLongQueued: Bool { feedback == .transportWide && estimator.queueDelay > Self.longQueue }

  /// Whether packets wait on the path, so that more of them would wait longer.
  var isQueued: Bool { feedback == .transportWide && estimator.queueDelay > Self.shortQueue }

  /// Whether a probe of a moment ago has shown that the path takes `rate`, or the estimate is so much higher that
  /// nothing is probed any more.
  mutating func hasProven(_ rate: DataRate, now: Instant) -> Bool {
    guard let probe = estimator.lastProbe, estimator.target >= rate else { return false }
    if estimator.target.bitsPerSecond >= rate.bitsPerSecond * 4 / 3 { return true }
    return now - probe.at < .seconds(3) && probe.rate >= rate
  }

  /// Whether the first probe has measured the path, or was waited for long enough. Until then a higher layer would be a
  /// guess.
  func isFirstProbeOver(now: Instant) -> Bool {
    guard !hasProbed else { return true }
    return unsatisfiedSince.map { now - $0 >= Self.firstProbeTimeout } ?? false
  }

  /// Whether a probe has measured the path, or none can.
  var hasProbed: Bool { feedback != .transportWide || estimator.lastProbe != nil }

  /// Notes the allocation, so that there are probes only for what is missing.
  mutating func setAllocated(_ rate: DataRate, wanted: DataRate, paused: Int, isSatisfied: Bool, now: Instant) {
    if isSatisfied || !isKnown { unsatisfiedSince = nil } else if unsatisfiedSince == nil { unsatisfiedSince = now }
    allocated = rate
    self.wanted = wanted
    self.paused = paused
    self.isSatisfied = isSatisfied
    let useful = (wanted.bitsPerSecond &+ audio.rate.bitsPerSecond) * 3 / 2
    estimator.setUseful(isSatisfied ? .zero : DataRate(bitsPerSecond: useful))
    updatePacing()
  }

  private mutating func updatePacing() {
    // With half as much again as everything takes, a large picture does not wait.
    let plenty = (wanted.bitsPerSecond &+ audio.rate.bitsPerSecond) * 3 / 2
    isPacing = isKnown && (!isSatisfied || estimator.target.bitsPerSecond < plenty)
  }
}
