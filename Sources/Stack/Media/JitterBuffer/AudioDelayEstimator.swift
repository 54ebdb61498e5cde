import Basics

/// The delay that audio needs so that most packets are in time.
///
/// The delay of a packet is measured against the fastest one of the last two seconds, so neither clock offset nor drift
/// matters. The delays go into a histogram of 5 ms steps that slowly forgets; the target is the step below which the
/// wanted share lies. Memory 2 kB. A packet costs a constant time. Reading the target costs a walk over at most 200
/// numbers: a stream without a player never needs it.
struct AudioDelayEstimator: Sendable {
  private static let step = TimeSpan.milliseconds(5)
  private static let steps = 200
  private static let windowParts = 20
  private static let windowPart = TimeSpan.milliseconds(100)

  private let configuration: AudioJitterBufferConfiguration
  private var weights = [Double](repeating: 0, count: steps)
  private var samples = 0
  /// The weight of the newest packet, and of all together: instead of making old weights smaller, new ones grow.
  private var weight = 1.0
  private var total = 0.0
  /// The least offset in each tenth of a second of the window; `.max` for none.
  private var minima = [Int64](repeating: .max, count: windowParts)
  private var newestPart: Int64?

  /// The least difference of arrival and media time in the window, in nanoseconds: where packets without queueing are.
  private(set) var base: Int64?
  /// The target as of the last ``settle()``.
  private var settledTarget: TimeSpan
  /// Whether no packet has come since.
  private var isSettled = true

  init(configuration: AudioJitterBufferConfiguration) {
    self.configuration = configuration
    settledTarget = configuration.initialTarget
  }

  /// The delay that jitter asks for.
  var target: TimeSpan { isSettled ? settledTarget : measuredTarget() }

  /// Computes ``target``, so that reading it is cheap until the next packet.
  mutating func settle() {
    guard !isSettled else { return }
    settledTarget = measuredTarget()
    isSettled = true
  }

  /// A packet came.
  /// - Parameters:
  ///   - offset: Its arrival minus its media time, in nanoseconds.
  ///   - isRepair: Whether it was lost at first: then it says how long to wait for repairs, but nothing of the network.
  mutating func receive(offset: Int64, at arrival: Instant, isRepair: Bool) {
    if !isRepair { note(offset, arrival) }
    guard let base else { return }
    let delay = TimeSpan(nanoseconds: max(0, offset &- base))
    if isRepair, delay > configuration.maximumRepairWait { return }
    let index = min(Int(delay.nanoseconds / Self.step.nanoseconds), Self.steps - 1)
    samples += 1
    // At first every packet weighs the same; later old ones fade.
    let keep = min(configuration.forgetting, 1 - 1 / Double(samples))
    if keep > 0, total > 0 { weight = total * (1 - keep) / keep }
    weights[index] += weight
    total += weight
    if total > 1e12 { rescale() }
    isSettled = false
  }

  /// The media time line may have jumped: what was the fastest packet counts no more.
  mutating func restart() {
    for index in minima.indices { minima[index] = .max }
    newestPart = nil
    base = nil
  }

  private mutating func note(_ offset: Int64, _ arrival: Instant) {
    let part = arrival.nanoseconds / Self.windowPart.nanoseconds
    let newest = newestPart ?? part
    if newestPart == nil || part > newest {
      let skipped = newestPart == nil ? Int64(Self.windowParts) : min(part &- newest, Int64(Self.windowParts))
      for back in 0..<skipped { minima[slot(part &- back)] = .max }
      newestPart = part
      minima[slot(part)] = offset
      base = minima.min()
    } else {
      minima[slot(part)] = min(minima[slot(part)], offset)
      base = min(base ?? offset, offset)
    }
  }

  private func slot(_ part: Int64) -> Int {
    let slot = Int(part % Int64(Self.windowParts))
    return slot < 0 ? slot + Self.windowParts : slot
  }

  private mutating func rescale() {
    for index in weights.indices { weights[index] /= total }
    total = 1
  }

  private func measuredTarget() -> TimeSpan {
    var tail = total * (1 - configuration.quantile)
    var index = Self.steps - 1
    while index > 0 {
      tail -= weights[index]
      if tail < 0 { break }
      index -= 1
    }
    let wanted = Self.step * Int64(index + 1) + configuration.margin
    // Before a second has passed, a few lucky packets do not make the network quick.
    let least =
      samples < 50 ? min(configuration.initialTarget, configuration.maximumTarget) : configuration.minimumTarget
    return min(max(wanted, least), configuration.maximumTarget)
  }
}
