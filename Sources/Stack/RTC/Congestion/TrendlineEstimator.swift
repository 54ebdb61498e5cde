public import Basics

/// The state of the path by its delay.
public enum BandwidthUsage: UInt8, Hashable, Sendable {
  /// The queue neither grows nor shrinks.
  case normal
  /// The queue grows: more is sent than the path takes.
  case overusing
  /// The queue shrinks (draft-ietf-rmcat-gcc-02 section 5.4).
  case underusing
}

/// Detects overuse of the path by the slope of the queueing delay over time (the trendline form of the arrival-time
/// filter and over-use detector of draft-ietf-rmcat-gcc-02 section 5.3 to 5.5).
///
/// The one-way delay's variation is summed up and smoothed, and a line is laid through the last ``window`` points. The
/// threshold adapts to the path, so that other flows that fill the queue do not starve this one. A plain value.
public struct TrendlineEstimator: Sendable {
  /// How many points the line is laid through.
  public static let window = 20
  private static let smoothing = 0.9
  private static let gain = 4.0
  private static let maximumGain = 60.0
  private static let overuseTime = 10.0

  private var times = InlineArray<20, Double>(repeating: 0)
  private var delays = InlineArray<20, Double>(repeating: 0)
  private var filled = 0
  private var position = 0
  private var count = 0.0
  private var origin: Int64?
  private var accumulated = 0.0
  private var smoothed = 0.0
  /// The least smoothed delay of this and of the last stretch of ``memory``.
  private var lowest = (now: Double.infinity, before: Double.infinity)
  private var stretchBegan: Instant?
  private static let memory = TimeSpan.seconds(5)
  private var trend = 0.0
  private var previousTrend = 0.0
  private var threshold = 12.5
  private var thresholdUpdated: Instant?
  private var timeOverusing: Double?
  private var overuseCount = 0

  public private(set) var usage = BandwidthUsage.normal

  public init() {}

  /// How long packets wait in the path's queue now, compared with the best of the last five to ten seconds.
  public var queueDelay: TimeSpan {
    let base = min(lowest.now, lowest.before)
    return base.isFinite ? TimeSpan(nanoseconds: Int64(min(max(smoothed - base, 0), 60_000) * 1e6)) : .zero
  }

  /// The path stood still: what was measured before says nothing of what comes.
  public mutating func reset() {
    let kept = threshold
    self = TrendlineEstimator()
    threshold = kept
  }

  /// Takes the deltas between two groups; `received` is when the later one arrived, on the receiver's clock.
  public mutating func add(_ deltas: InterArrivalDelta.Deltas, received: TimeSpan, now: Instant) {
    let sentMilliseconds = Double(deltas.sent.nanoseconds) / 1e6
    // A second more or less is a path that stood still; its exact length says nothing of a trend.
    let variation = min(max(Double(deltas.received.nanoseconds) / 1e6 - sentMilliseconds, -1_000), 1_000)
    count = min(count + 1, 1_000)
    let start = origin ?? received.nanoseconds
    origin = start
    accumulated += variation
    smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * accumulated
    noteLowest(now)
    times[position] = Double(received.nanoseconds &- start) / 1e6
    delays[position] = smoothed
    position = (position + 1) % Self.window
    filled = min(filled + 1, Self.window)
    if filled == Self.window, let slope { trend = slope }
    detect(sentMilliseconds, now)
  }

  private mutating func noteLowest(_ now: Instant) {
    let began = stretchBegan ?? now
    if now - began >= Self.memory {
      lowest = (smoothed, lowest.now)
      stretchBegan = now
    } else {
      stretchBegan = began
      lowest.now = min(lowest.now, smoothed)
    }
  }

  /// The slope of the line with the least squared distances; nil when all points lie at one time.
  private var slope: Double? {
    // Read through the property, each element would cost a copy of all.
    let times = times.span
    let delays = delays.span
    var timeSum = 0.0
    var delaySum = 0.0
    for index in 0..<Self.window {
      timeSum += times[index]
      delaySum += delays[index]
    }
    let meanTime = timeSum / Double(Self.window)
    let meanDelay = delaySum / Double(Self.window)
    var numerator = 0.0
    var denominator = 0.0
    for index in 0..<Self.window {
      let offset = times[index] - meanTime
      numerator += offset * (delays[index] - meanDelay)
      denominator += offset * offset
    }
    return denominator > 1e-6 ? numerator / denominator : nil
  }

  private mutating func detect(_ sentMilliseconds: Double, _ now: Instant) {
    guard count >= 2 else { return }
    let modified = min(count, Self.maximumGain) * trend * Self.gain
    if modified > threshold {
      let time = timeOverusing.map { $0 + sentMilliseconds } ?? sentMilliseconds / 2
      timeOverusing = time
      overuseCount += 1
      if time > Self.overuseTime, overuseCount > 1, trend >= previousTrend {
        timeOverusing = 0
        overuseCount = 0
        usage = .overusing
      }
    } else {
      timeOverusing = nil
      overuseCount = 0
      usage = modified < -threshold ? .underusing : .normal
    }
    previousTrend = trend
    adapt(abs(modified), now)
  }

  /// Section 5.4: the threshold follows the trend, faster down than up.
  private mutating func adapt(_ magnitude: Double, _ now: Instant) {
    let elapsed = min((now - (thresholdUpdated ?? now)).seconds * 1_000, 100)
    thresholdUpdated = now
    // The threshold doesn't adapt to a spike.
    guard magnitude <= threshold + 15, elapsed > 0 else { return }
    let rate = magnitude < threshold ? 0.039 : 0.0087
    threshold = min(max(threshold + rate * (magnitude - threshold) * elapsed, 6), 600)
  }
}
