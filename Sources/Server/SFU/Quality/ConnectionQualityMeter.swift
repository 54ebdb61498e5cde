public import Basics

/// Judges a participant's connection from loss, round-trip time and jitter of both directions, and from how much of
/// what was asked for arrives.
///
/// | measure | excellent up to | good up to | why |
/// |---|---|---|---|
/// | packets lost | 2 % | 8 % | redundant sound and repeated packets hide the first; at the second sound has gaps, and repairs take what pictures need |
/// | round trip | 250 ms | 500 ms | between two such people sound takes half of both: about 250 ms and 500 ms, where ITU-T G.114 finds talk hampered from 150 ms on, and not acceptable beyond 400 ms |
/// | jitter | 50 ms | 120 ms | what a jitter buffer holds back without being noticed, and where it gives up and leaves out sound |
/// | share of what was asked for | 75 % | 20 % | a picture one size smaller has a quarter of the area, two sizes a sixteenth |
///
/// The worst of them counts. It becomes worse at once and better one step at a time after a few calm seconds; to become
/// better, a measure must be a fifth below its bound. With the smoothing of ``ConnectionMeasurements`` it does not
/// flicker.
public struct ConnectionQualityMeter: Sendable {
  /// The figures since the last judgement.
  public struct Sample: Sendable {
    /// Share of packets lost, 0 to 1, the worse direction.
    public var loss: Double
    /// Round-trip time; nil while unknown.
    public var roundTrip: TimeSpan?
    /// Interarrival jitter, the worse direction.
    public var jitter: TimeSpan
    /// How long nothing authentic has arrived, or nothing of what is sent was acknowledged.
    public var silence: TimeSpan
    /// Whether something would come several times a second if the path were well: audio, video, or reports of each
    /// packet.
    public var isBusy: Bool
    /// The share of what was asked for that arrives, 0 to 1, the worse direction.
    public var share: Double

    /// A sample of the given measurements.
    public init(
      loss: Double, roundTrip: TimeSpan?, jitter: TimeSpan, silence: TimeSpan, isBusy: Bool = false, share: Double = 1
    ) {
      self.loss = loss
      self.roundTrip = roundTrip
      self.jitter = jitter
      self.silence = silence
      self.isBusy = isBusy
      self.share = share
    }
  }

  /// The limits of a level: the most of each figure, and the least share.
  private struct Bounds {
    var loss: Double
    var roundTrip: TimeSpan
    var jitter: TimeSpan
    var share: Double

    func contain(_ sample: Sample, easing: Double) -> Bool {
      sample.loss <= loss * easing && (sample.roundTrip ?? .zero).seconds <= roundTrip.seconds * easing
        && sample.jitter.seconds <= jitter.seconds * easing && sample.share >= min(share * (2 - easing), 1)
    }
  }

  private static let excellent = Bounds(
    loss: 0.02, roundTrip: .milliseconds(250), jitter: .milliseconds(50), share: 0.75)
  private static let good = Bounds(loss: 0.08, roundTrip: .milliseconds(500), jitter: .milliseconds(120), share: 0.2)
  /// After this silence the connection of somebody counts as lost who has nothing to send or to receive: two missed
  /// consent checks.
  public static let lostAfter = TimeSpan.seconds(10)
  /// And of somebody from whom something should come all the time. Shorter gaps are outages that media gets over.
  public static let lostWhenBusyAfter = TimeSpan.seconds(4)
  private static let calm = 3
  /// How far below a bound a measure must be for the connection to become better.
  private static let easing = 0.8
  /// After how many judgements the first is reported, if it hasn't become worse before. The very first ones know
  /// nothing yet.
  private static let settled = 3

  /// The judgement now.
  public private(set) var quality = ConnectionQuality.excellent
  private var betterFor = 0
  private var judgements = 0
  private var isTold = false

  /// An excellent connection.
  public init() {}

  /// Takes a sample (about once a second); true when the judgement is to be reported: it changed, or it is the first
  /// that means something. So a connection that is excellent from the beginning is reported as such.
  public mutating func update(_ sample: Sample) -> Bool {
    judgements = min(judgements + 1, Self.settled)
    let isChanged = change(by: sample)
    guard isChanged || (!isTold && judgements == Self.settled) else { return false }
    isTold = true
    return true
  }

  private mutating func change(by sample: Sample) -> Bool {
    let target = Self.judge(sample, easing: 1)
    if Self.rank(target) > Self.rank(quality) || (quality == .lost && target != .lost) {
      quality = target
      betterFor = 0
      return true
    }
    guard Self.rank(Self.judge(sample, easing: Self.easing)) < Self.rank(quality) else {
      betterFor = 0
      return false
    }
    betterFor += 1
    guard betterFor >= Self.calm else { return false }
    betterFor = 0
    quality = quality == .poor ? .good : .excellent
    return true
  }

  private static func judge(_ sample: Sample, easing: Double) -> ConnectionQuality {
    if sample.silence >= (sample.isBusy ? lostWhenBusyAfter : lostAfter) { return .lost }
    if excellent.contain(sample, easing: easing) { return .excellent }
    return good.contain(sample, easing: easing) ? .good : .poor
  }

  private static func rank(_ quality: ConnectionQuality) -> Int {
    switch quality {
    case .excellent: 0
    case .good: 1
    case .poor: 2
    case .lost: 3
    }
  }
}
