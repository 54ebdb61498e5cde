public import Basics

/// How busy a loop is, and how long packets may be held so that more of them leave together.
///
/// While the core has room nothing is held. Above ``busy`` packets wait where more is about to come for the same
/// receivers (``BatchingPolicy``). Above ``threshold`` the hold grows with the load up to its maximum; longer bursts
/// cost less each, which takes the load back, so the two settle by themselves.
public struct LoadGauge: Sendable {
  /// Above this share everything is held, whatever is about to come.
  public static let threshold = 0.6
  /// Below this share packets do not wait for each other either, see ``BatchingPolicy``.
  public static let busy = 0.25
  private static let window = 100_000_000.0

  /// Share of the last tenth of a second that was busy, 0 to 1.
  public private(set) var utilization = 0.0
  private let maximumHold: TimeSpan
  private var lastEnd: Instant?

  /// A gauge of an idle loop.
  public init(maximumHold: TimeSpan) { self.maximumHold = maximumHold }

  /// A tick ran from `start` to `end`.
  public mutating func tick(start: Instant, end: Instant) {
    guard let lastEnd else {
      self.lastEnd = end
      return
    }
    let period = Double(max((end - lastEnd).nanoseconds, 1))
    let busy = Double(max((end - max(start, lastEnd)).nanoseconds, 0))
    let weight = min(period / Self.window, 1)
    utilization += (min(busy / period, 1) - utilization) * weight
    self.lastEnd = end
  }

  /// Whether what is saved by sending packets together is worth that they wait.
  public var isBusy: Bool { utilization > Self.busy }

  /// How long packets may wait now.
  public var hold: TimeSpan {
    guard utilization > Self.threshold, maximumHold > .zero else { return .zero }
    let share = min((utilization - Self.threshold) / (0.95 - Self.threshold), 1)
    return TimeSpan(nanoseconds: Int64(Double(maximumHold.nanoseconds) * share))
  }
}
