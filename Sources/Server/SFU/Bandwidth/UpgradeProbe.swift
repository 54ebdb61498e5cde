import Basics
import RTC

/// Probes whether the path to one receiver takes a higher layer before video depends on it: for a moment the server
/// sends as much as it would with it, and padding makes up the difference. Should packets queue or be lost during that,
/// the padding ends and nobody has seen anything of it.
///
/// An estimate alone is not worth a raise on a narrow path. Probes are too short to measure what others on the same
/// path will leave, and a higher layer begins with a keyframe of several times its average size: without room for it,
/// video freezes until the queue has drained and a keyframe of the lower layer has come through. A value without I/O.
struct UpgradeProbe: Sendable {
  /// The outcome of a probe.
  enum Outcome: Sendable {
    /// The path takes it, as far as was seen.
    case passed
    /// It is not known yet.
    case pending
    /// It does not, or did not a moment ago.
    case failed
  }

  /// For how long it is tried: a tenth too much makes packets wait 50 ms after half a second.
  static let duration = TimeSpan.milliseconds(700)
  /// A probe sends so much more than the wanted rate, since frames differ in size.
  private static let margin = 1.1
  /// The time to the next probe after one that failed, at first and at most.
  private static let firstPause = TimeSpan.seconds(3)
  private static let longestPause = TimeSpan.seconds(16)
  /// Without reports on it for so long it has failed.
  private static let reportTimeout = TimeSpan.seconds(3)
  /// One that failed so long ago says nothing.
  private static let memory = TimeSpan.seconds(40)

  private var current: (rate: DataRate, began: Instant)?
  private var pause = Self.firstPause
  private var lastFailure: Instant?
  /// Before this nothing is tried.
  private var next = Instant.zero
  /// State of the random generator: several receivers on one path that try at the same time would all fail, again and
  /// again.
  private var random: UInt32

  /// - Parameter seed: another one for each receiver.
  init(seed: UInt32) { random = seed &* 2_654_435_761 &+ 1 }

  /// The total rate to send during a probe; nil without one.
  var rate: DataRate? { current?.rate }

  /// Whether a probe may begin, or is under way.
  func mayTry(now: Instant) -> Bool { current != nil || now >= next }

  /// Asks whether the path takes `wanted` in all, and begins to try it out where that is not known.
  /// - Parameter reported: when the newest packet was sent that the receiver has reported on; nil before the first.
  mutating func outcome(of wanted: DataRate, reported: Instant?, now: Instant) -> Outcome {
    guard let probe = current, wanted <= probe.rate else {
      guard current != nil || now >= next else { return .failed }
      current = (DataRate(bitsPerSecond: Int64(Double(wanted.bitsPerSecond) * Self.margin)), now)
      return .pending
    }
    guard let reported, reported - probe.began >= Self.duration else {
      guard now - probe.began < Self.reportTimeout else {
        fail(now: now)
        return .failed
      }
      return .pending
    }
    current = nil
    pause = Self.firstPause
    return .passed
  }

  /// Packets wait or are lost.
  mutating func fail(now: Instant) {
    guard current != nil else { return }
    current = nil
    if let lastFailure, now - lastFailure > Self.memory { pause = Self.firstPause }
    lastFailure = now
    random = random &* 1_664_525 &+ 1_013_904_223
    let chance = 0.75 + 0.5 * Double(random >> 8) / Double(1 << 24)
    next = now + TimeSpan(nanoseconds: Int64(Double(pause.nanoseconds) * chance))
    pause = min(pause * 2, Self.longestPause)
  }

  /// Nothing larger is wanted any more, or there is no room for it.
  mutating func end() { current = nil }
}
