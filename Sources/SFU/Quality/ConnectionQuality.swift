public import Basics

/// How well a participant is connected, in the four steps that signalling reports.
public enum ConnectionQuality: String, Sendable, Hashable {
  /// Nothing to be noticed.
  case excellent
  /// Small disturbances.
  case good
  /// Clearly disturbed.
  case poor
  /// Nothing arrives any more.
  case lost
}

/// Judges a participant's connection from loss, round-trip time and jitter of both directions, and from how much of what it wants it gets.
///
/// It becomes worse at once and better one step at a time after a few calm seconds, so that it does not flicker.
public struct ConnectionQualityMeter: Sendable {
  /// What was measured since the last judgement.
  public struct Sample: Sendable {
    /// Share of packets lost, 0 to 1, the worse direction.
    public var loss: Double
    /// Round-trip time; nil while unknown.
    public var roundTrip: TimeSpan?
    /// Interarrival jitter, the worst stream.
    public var jitter: TimeSpan
    /// How long nothing authentic has arrived.
    public var silence: TimeSpan

    /// The share of the wanted bit rate that its path lets through, 0 to 1.
    public var share: Double

    /// A sample of the given measurements.
    public init(loss: Double, roundTrip: TimeSpan?, jitter: TimeSpan, silence: TimeSpan, share: Double = 1) {
      self.loss = loss
      self.roundTrip = roundTrip
      self.jitter = jitter
      self.silence = silence
      self.share = share
    }
  }

  /// After this silence the connection counts as lost: two missed consent checks.
  public static let lostAfter = TimeSpan.seconds(10)
  private static let calm = 3
  /// After how many judgements the first is told, if it has not become worse before. The very first ones know nothing yet.
  private static let settled = 3
  /// Below this share of what is wanted, pictures are clearly smaller or missing.
  private static let poorShare = 0.25
  private static let goodShare = 0.75

  /// The judgement now.
  public private(set) var quality = ConnectionQuality.excellent
  private var betterFor = 0
  private var judgements = 0
  private var isTold = false

  /// An excellent connection.
  public init() {}

  /// Takes a sample (about once a second); true when the judgement is to be told: it changed, or it is the first that means something. So
  /// of a connection that is excellent from the beginning it is told that it is.
  public mutating func update(_ sample: Sample) -> Bool {
    judgements = min(judgements + 1, Self.settled)
    let isChanged = change(by: sample)
    guard isChanged || (!isTold && judgements == Self.settled) else { return false }
    isTold = true
    return true
  }

  private mutating func change(by sample: Sample) -> Bool {
    let target = Self.judge(sample)
    guard target != quality else {
      betterFor = 0
      return false
    }
    if Self.rank(target) > Self.rank(quality) || quality == .lost {
      quality = target
      betterFor = 0
      return true
    }
    betterFor += 1
    guard betterFor >= Self.calm else { return false }
    betterFor = 0
    quality = quality == .poor ? .good : .excellent
    return true
  }

  private static func judge(_ sample: Sample) -> ConnectionQuality {
    if sample.silence >= lostAfter { return .lost }
    let roundTrip = sample.roundTrip ?? .zero
    if sample.loss > 0.08 || roundTrip > .milliseconds(500) || sample.jitter > .milliseconds(120)
      || sample.share < poorShare
    {
      return .poor
    }
    if sample.loss > 0.02 || roundTrip > .milliseconds(250) || sample.jitter > .milliseconds(50)
      || sample.share < goodShare
    {
      return .good
    }
    return .excellent
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
