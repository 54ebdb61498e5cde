public import Basics

/// A short burst at a given rate that shows whether the path takes that rate.
public struct ProbeCluster: Hashable, Sendable {
  /// Marks the packets of the burst, 1 to 255; 0 for padding that isn't a probe.
  public var id: UInt8
  /// The rate to send at.
  public var rate: DataRate
  /// The least bytes to send.
  public var bytes: Int
  /// The least packets to send.
  public var packets: Int

  init(id: UInt8, rate: DataRate, bytes: Int, packets: Int) {
    self.id = id
    self.rate = rate
    self.bytes = bytes
    self.packets = packets
  }

  /// Padding up to `rate` for `span` that isn't a probe: its packets aren't marked.
  public init(padding rate: DataRate, for span: TimeSpan) {
    self.init(id: 0, rate: rate, bytes: Int(Double(rate.bitsPerSecond) / 8 * span.seconds), packets: 1)
  }
}

/// Decides when to probe, and at which rate. Never while the path still has a queue, which a probe would only lengthen.
/// A plain value.
///
/// - At the start: at three times the start rate, and further by the results.
/// - After the rate fell far or the path stood still: at the earlier rate.
/// - Regularly while the application is limited.
/// - Now and then when the path was quiet for long.
public struct ProbeController: Sendable {
  private static let shortDuration = 0.015
  /// Long probes, in which jitter says less.
  private static let longDuration = 0.09
  private static let resultTimeout = TimeSpan.seconds(1)
  /// How long the rate of before is worth trying.
  private static let memory = TimeSpan.seconds(30)

  private let interval: TimeSpan
  private let isLong: Bool
  private var lastID: UInt8 = 0
  private var waiting: ProbeCluster?
  private var hasStarted = false
  /// Whether the first probes go on: they climb fast, with short bursts.
  private var isClimbing = false
  /// The rate of the last probe, while its result is awaited.
  private var probing: DataRate?
  private var lastProbe: Instant?
  /// The result of a short probe is checked sooner, with a long one.
  private static let checkInterval = TimeSpan.seconds(1)
  private var wasShort = false
  private var nextInterval: TimeSpan { isLong && wasShort ? min(Self.checkInterval, interval) : interval }
  private var lastOveruse: Instant?
  private var lastUpdate = Instant.zero
  private var before: Before?
  private var highest: (rate: DataRate, at: Instant)?

  /// The target before it fell far.
  private struct Before {
    var rate: DataRate
    var at: Instant
    /// Whether the path stood still, rather than took less.
    var wasOutage = false
    /// How often it was tried to get back to it.
    var tries = 0
    /// No try before this.
    var next: Instant
  }

  /// The rate above which there is nothing to gain.
  public var maximum: DataRate

  /// No probe sent yet.
  /// - Parameters:
  ///   - interval: between two regular probes.
  ///   - isLong: whether all but the first probes are long and of a rate a little above the target, for paths that
  ///     nothing else tries. A short burst slips between what others send and shows what the path could take if they
  ///     were not there.
  public init(maximum: DataRate, interval: TimeSpan = .seconds(5), isLong: Bool = false) {
    self.isLong = isLong
    self.maximum = maximum
    self.interval = interval
  }

  /// The next burst to send; nil when there is none.
  public mutating func poll() -> ProbeCluster? {
    defer { waiting = nil }
    return waiting
  }

  /// When ``update(target:usage:isHolding:isQueued:limit:now:)`` may have a probe to decide on.
  public var deadline: Instant {
    guard hasStarted else { return .distantFuture }
    guard let lastProbe else { return lastUpdate + .milliseconds(500) }
    var next = lastProbe + nextInterval
    if let before { next = min(next, before.next) }
    return max(next, lastUpdate + .milliseconds(500))
  }

  /// Media can be sent: the first burst.
  public mutating func start(target: DataRate, now: Instant) {
    guard !hasStarted else { return }
    hasStarted = true
    isClimbing = true
    request(target, times: 3, now)
  }

  /// The path stood still and moves again: what it took before is worth a try at once.
  public mutating func recover(to rate: DataRate, now: Instant) {
    before = Before(rate: rate, at: now, wasOutage: true, next: now)
    probing = nil
  }

  /// Takes the estimate after each change, and when time passes.
  /// - Parameters:
  ///   - isHolding: loss keeps the rate from rising, so probing would only add to it.
  ///   - isQueued: a queue still drains, of which a probe would become a part.
  public mutating func update(
    target: DataRate, usage: BandwidthUsage, isHolding: Bool, isQueued: Bool = false, limit: ApplicationLimit,
    now: Instant
  ) {
    lastUpdate = now
    if usage == .overusing { lastOveruse = now }
    noteDrop(target, now)
    guard hasStarted else { return }
    if probing != nil, let lastProbe, now - lastProbe > Self.resultTimeout { probing = nil }
    guard probing == nil, usage == .normal, !isHolding, !isQueued, target < maximum else { return }
    if returnToBefore(target, now) { return }
    guard let lastProbe else {
      isClimbing = true
      request(target, times: 3, now)
      return
    }
    guard now - lastProbe >= nextInterval else { return }
    isClimbing = false
    if limit.since != nil || now - (lastOveruse ?? .zero) >= nextInterval {
      request(target, times: isLong ? 1.5 : 2, isLong: isLong, now)
    }
  }

  /// A probe showed `rate`; goes on upwards as long as probes succeed.
  public mutating func measured(_ rate: DataRate, now: Instant) {
    guard let asked = probing else { return }
    guard Double(rate.bitsPerSecond) > 0.7 * Double(asked.bitsPerSecond), asked < maximum else {
      isClimbing = false
      return
    }
    probing = nil
    let staysShort = !isLong || isClimbing
    request(rate, times: staysShort ? 2 : 1.5, isLong: !staysShort, now)
  }

  private mutating func noteDrop(_ target: DataRate, _ now: Instant) {
    guard let top = highest else {
      highest = (target, now)
      return
    }
    if target >= top.rate || now - top.at > .seconds(5) { highest = (target, now) }
    if target.bitsPerSecond * 3 < top.rate.bitsPerSecond * 2 {
      // A fall on top of a fall leaves the rate to come back to.
      if let known = before, known.rate >= top.rate, now - known.at < Self.memory {
        before?.next = max(known.next, now + .seconds(1))
      } else {
        before = Before(rate: top.rate, at: now, next: now + .seconds(1))
      }
      highest = (target, now)
    }
  }

  /// Tries the rate of before after a second, and then less and less often; true when it asked for a probe.
  private mutating func returnToBefore(_ target: DataRate, _ now: Instant) -> Bool {
    guard var before else { return false }
    guard now - before.at < Self.memory, target.bitsPerSecond * 10 < before.rate.bitsPerSecond * 9 else {
      self.before = nil
      return false
    }
    guard now >= before.next, now - (lastOveruse ?? .zero) >= .milliseconds(500) else { return false }
    let isFirst = before.tries == 0
    before.tries += 1
    before.next = now + .seconds(Int64(min(1 << before.tries, 8)))
    self.before = before
    let rate = Double(before.rate.bitsPerSecond) * (isFirst ? 1 : 0.85)
    // After the path has taken less, a long probe checks whether it still does. It is no larger than the path's queue.
    let isLong = isLong && !before.wasOutage
    let bounded = min(rate, Double(target.bitsPerSecond) * (isLong ? 2 : isFirst ? 8 : 4))
    isClimbing = before.wasOutage
    request(DataRate(bitsPerSecond: Int64(bounded)), times: 1, isLong: isLong, now)
    return true
  }

  private mutating func request(_ base: DataRate, times: Double, isLong: Bool = false, _ now: Instant) {
    let rate = min(DataRate(bitsPerSecond: Int64(Double(min(base.bitsPerSecond, 1 << 40)) * times)), maximum)
    guard rate > base || times == 1 else { return }
    // A long one far above the target would fill the queue.
    let duration = isLong ? Self.longDuration : Self.shortDuration
    lastID = lastID == 255 ? 1 : lastID + 1
    let cluster = ProbeCluster(
      id: lastID, rate: rate, bytes: max(Int(Double(rate.bitsPerSecond) * duration / 8), 1_000), packets: 5)
    wasShort = !isLong
    waiting = cluster
    probing = rate
    lastProbe = now
  }
}
