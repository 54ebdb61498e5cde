public import Basics

/// Turns what the delay says into a rate: up in steps while the path is not overused, down at once to below what it
/// delivers (draft-ietf-rmcat-gcc-02 section 5.5). A plain value.
public struct AimdRateControl: Sendable {
  private enum State { case hold, increase, decrease }

  /// The share of the delivered rate that remains after an overuse.
  static let decreaseFactor = 0.85
  /// The share of the rate that remains when too little is sent for the delivered rate to mean much, and the
  /// application sends in steps.
  static let limitedFactor = 0.6

  /// How far the rate may grow beyond what is seen to arrive.
  private let reach: Double
  private let minimum: Double
  private let maximum: Double
  private var current: Double
  private var state = State.hold
  private var lastChange: Instant?
  private var lastDecrease: Instant?
  /// The rate delivered when the path was overused, in kb/s, and its variance relative to the mean.
  private var capacity: Double?
  private var capacityVariance = 0.4

  /// A control that begins at `start`.
  public init(start: DataRate, minimum: DataRate, maximum: DataRate, reach: Double = 1.5) {
    self.reach = reach
    self.minimum = Double(max(minimum.bitsPerSecond, 1_000))
    self.maximum = Double(max(maximum.bitsPerSecond, minimum.bitsPerSecond, 1_000))
    current = min(max(Double(start.bitsPerSecond), self.minimum), self.maximum)
  }

  public var rate: DataRate { DataRate(bitsPerSecond: Int64(current)) }

  /// Sets the rate that a probe or another bound has found.
  public mutating func set(_ rate: DataRate, now: Instant) {
    current = bounded(Double(rate.bitsPerSecond))
    lastChange = now
  }

  /// Takes what the delay says now.
  /// - Parameters:
  ///   - delivered: the acknowledged rate; nil while unknown.
  ///   - isLimited: the application sends less than it may, so that the path was not tried and the rate must not grow.
  public mutating func update(
    _ usage: BandwidthUsage, delivered: DataRate?, roundTrip: TimeSpan, isLimited: Bool, now: Instant
  ) {
    switch usage {
    case .overusing: if isDecreaseDue(delivered, roundTrip, now) { state = .decrease }
    case .underusing: state = .hold
    case .normal:
      if state == .hold {
        state = .increase
        lastChange = now
      }
    }
    switch state {
    case .hold: break
    case .increase where usage == .normal: increase(delivered, roundTrip, isLimited, now)
    case .increase: break
    case .decrease: decrease(delivered, isLimited, now)
    }
  }

  private func isDecreaseDue(_ delivered: DataRate?, _ roundTrip: TimeSpan, _ now: Instant) -> Bool {
    guard let lastDecrease else { return true }
    let interval = min(max(roundTrip, .milliseconds(10)), .milliseconds(200))
    if now - lastDecrease >= interval { return true }
    return delivered.map { Double($0.bitsPerSecond) < current / 2 } ?? false
  }

  private mutating func increase(_ delivered: DataRate?, _ roundTrip: TimeSpan, _ isLimited: Bool, _ now: Instant) {
    let elapsed = min(max((now - (lastChange ?? now)).seconds, 0), 1)
    lastChange = now
    let measured = delivered.map { Double($0.bitsPerSecond) }
    if let measured, let upper = capacityBound(3), measured / 1_000 > upper { capacity = nil }
    // Not far beyond what was seen to arrive: nobody knows what the path does there.
    let limit = measured.map { reach * $0 + 10_000 } ?? current
    guard !isLimited, current < limit else { return }
    let step: Double
    if capacity != nil {
      // About one packet in the time it takes to see what it does.
      let frame = current / 30
      let packet = frame / (frame / 9_600).rounded(.up)
      step = max(4_000, packet / (roundTrip.seconds * 2 + 0.1)) * elapsed
    } else {
      step = max(1_000 * elapsed, current * (_pow(1.08, elapsed) - 1))
    }
    current = bounded(min(current + step, limit))
  }

  private mutating func decrease(_ delivered: DataRate?, _ isLimited: Bool, _ now: Instant) {
    state = .hold
    lastChange = now
    lastDecrease = now
    guard let delivered else {
      current = bounded(current / 2)
      return
    }
    let measured = Double(delivered.bitsPerSecond)
    if isLimited {
      // When little is sent, little arrives, which says nothing about the path's capacity. The delay may not even be
      // our doing.
      current = bounded(
        max((reach < 1.5 ? Self.limitedFactor : Self.decreaseFactor) * current, Self.decreaseFactor * measured))
      return
    }
    var next = Self.decreaseFactor * measured
    if next > current, let capacity { next = Self.decreaseFactor * capacity * 1_000 }
    if let lower = capacityBound(-3), measured / 1_000 < lower { capacity = nil }
    learn(measured / 1_000)
    current = bounded(min(current, next))
  }

  /// Takes note of the rate that was delivered at an overuse.
  private mutating func learn(_ kilobits: Double) {
    guard let mean = capacity else {
      capacity = kilobits
      return
    }
    let next = 0.95 * mean + 0.05 * kilobits
    let error = next - kilobits
    capacityVariance = min(max(0.95 * capacityVariance + 0.05 * error * error / max(next, 1), 0.4), 2.5)
    capacity = next
  }

  private func capacityBound(_ deviations: Double) -> Double? {
    capacity.map { max(0, $0 + deviations * (capacityVariance * max($0, 0)).squareRoot()) }
  }

  private func bounded(_ rate: Double) -> Double { rate.isFinite ? min(max(rate, minimum), maximum) : minimum }

  /// `base` to the power of `exponent` from 0 to 1, near enough (the error is below 0.001 for bases near 1).
  private func _pow(_ base: Double, _ exponent: Double) -> Double {
    let log = base - 1 - (base - 1) * (base - 1) / 2
    return 1 + exponent * log + exponent * exponent * log * log / 2
  }
}
