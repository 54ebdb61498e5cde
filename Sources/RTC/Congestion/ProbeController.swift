public import Basics

/// A short burst at a given rate that shows whether the path takes that rate.
public struct ProbeCluster: Hashable, Sendable {
  /// Its number, 1 to 255; packets of the burst are marked with it.
  public var id: UInt8
  /// The rate to send at.
  public var rate: DataRate
  /// The least bytes to send.
  public var bytes: Int
  /// The least packets to send.
  public var packets: Int
}

/// Decides when to probe, and at which rate: at the start (three times the start rate, and on from what that shows), after the rate fell far, regularly while the application is limited, and now and then when the path was quiet for long. A plain value.
public struct ProbeController: Sendable {
  private static let duration = 0.015
  private static let resultTimeout = TimeSpan.seconds(1)
  private static let limitedInterval = TimeSpan.seconds(5)
  private static let quietInterval = TimeSpan.seconds(6)

  private var lastID: UInt8 = 0
  private var waiting: ProbeCluster?
  private var hasStarted = false
  /// The rate of the last probe, while its result is awaited.
  private var probing: DataRate?
  private var lastProbe: Instant?
  private var lastOveruse: Instant?
  private var lastUpdate = Instant.zero
  /// The target before it fell far, and when it did.
  private var before: (rate: DataRate, at: Instant)?
  private var highest: (rate: DataRate, at: Instant)?

  /// The rate above which there is nothing to gain.
  public var maximum: DataRate

  /// No probe sent yet.
  public init(maximum: DataRate) { self.maximum = maximum }

  /// The next burst to send; nil when there is none.
  public mutating func poll() -> ProbeCluster? {
    defer { waiting = nil }
    return waiting
  }

  /// When ``update(target:usage:isHolding:limit:now:)`` may have a probe to decide on.
  public var deadline: Instant {
    guard hasStarted, let lastProbe else { return .distantFuture }
    return max(lastProbe + Self.limitedInterval, lastUpdate + .seconds(1))
  }

  /// Media can be sent: the first burst.
  public mutating func start(target: DataRate, now: Instant) {
    guard !hasStarted else { return }
    hasStarted = true
    request(target, times: 3, now)
  }

  /// Takes the estimate after each change, and when time passes.
  /// - Parameter isHolding: loss keeps the rate from rising, so probing would only add to it.
  public mutating func update(
    target: DataRate, usage: BandwidthUsage, isHolding: Bool, limit: ApplicationLimit, now: Instant
  ) {
    lastUpdate = now
    if usage == .overusing { lastOveruse = now }
    noteDrop(target, now)
    guard hasStarted else { return }
    if probing != nil, let lastProbe, now - lastProbe > Self.resultTimeout { probing = nil }
    guard probing == nil, usage == .normal, !isHolding, target < maximum else { return }
    let idle = now - (lastProbe ?? now)
    if let before, idle >= .seconds(1), now - (lastOveruse ?? .zero) >= .milliseconds(500) {
      self.before = nil
      // Within this time what took the bandwidth may have gone.
      if now - before.at < .seconds(10), target.bitsPerSecond * 3 / 2 < before.rate.bitsPerSecond {
        request(
          DataRate(bitsPerSecond: min(before.rate.bitsPerSecond * 85 / 100, target.bitsPerSecond * 3)), times: 1, now)
        return
      }
    }
    if limit.since != nil, idle >= Self.limitedInterval {
      request(target, times: 2, now)
    } else if idle >= Self.quietInterval, now - (lastOveruse ?? .zero) >= Self.quietInterval {
      request(target, times: 2, now)
    }
  }

  /// A probe showed `rate`; goes on upwards as long as probes succeed.
  public mutating func measured(_ rate: DataRate, now: Instant) {
    guard let asked = probing, Double(rate.bitsPerSecond) > 0.7 * Double(asked.bitsPerSecond), asked < maximum else {
      return
    }
    probing = nil
    request(rate, times: 2, now)
  }

  private mutating func noteDrop(_ target: DataRate, _ now: Instant) {
    guard let top = highest else {
      highest = (target, now)
      return
    }
    if target >= top.rate || now - top.at > .seconds(5) { highest = (target, now) }
    if target.bitsPerSecond * 3 < top.rate.bitsPerSecond * 2 {
      before = (top.rate, now)
      highest = (target, now)
    }
  }

  private mutating func request(_ base: DataRate, times: Int64, _ now: Instant) {
    let rate = min(DataRate(bitsPerSecond: min(base.bitsPerSecond, 1 << 40) * times), maximum)
    guard rate > base || times == 1 else { return }
    lastID = lastID == 255 ? 1 : lastID + 1
    let cluster = ProbeCluster(
      id: lastID, rate: rate, bytes: max(Int(Double(rate.bitsPerSecond) * Self.duration / 8), 1_000), packets: 5)
    waiting = cluster
    probing = rate
    lastProbe = now
  }
}
