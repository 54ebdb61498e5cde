public import Basics

extension SendSideBandwidthEstimator {
  /// Bounds and sizes of an estimator.
  public struct Configuration: Hashable, Sendable {
    public var start: DataRate
    /// The target never goes below this.
    public var minimum: DataRate
    /// The target never goes above this.
    public var maximum: DataRate
    /// How many sent packets are remembered, 16 bytes each; must cover a round trip and the time between two reports.
    public var history: Int
    /// Whether to send probe bursts; without them the estimate rises only as far as the sent rate tests the path.
    public var probes: Bool
    /// How far the estimate may grow beyond what is seen to arrive. An encoder follows the estimate at once; what comes
    /// in steps (the layers of a media server) does not, and there a probe must show more.
    public var reach = 1.5
    /// Sending less than this share of the target does not try the path.
    public var limitedShare = 0.65
    /// The time between regular probes.
    public var probeInterval = TimeSpan.seconds(5)

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
}
