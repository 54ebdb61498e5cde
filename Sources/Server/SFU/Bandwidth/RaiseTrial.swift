import Basics
import RTC

/// Probes whether the path to one receiver takes a larger layer before the layer is forwarded: for a moment as much is
/// sent as there would be with it, and padding fills up the rest. Should packets wait or be lost during the probe, the
/// padding ends and nobody has seen anything of it.
///
/// An estimate alone is not worth a raise on a narrow path. Probes are too short to show how much others on the same
/// path will leave, and a larger layer begins with a keyframe that takes several times what its stream does on average:
/// without room for it, video freezes until the queue has drained and a keyframe of the smaller layer has come through.
/// A value without I/O.
struct RaiseTrial: Sendable {
  enum Verdict: Sendable {
    /// The path takes it, as far as was seen.
    case passed
    /// It is not known yet.
    case pending
    /// It does not, or did not a moment ago.
    case failed
  }

  /// For how long it is tried: a tenth too much makes packets wait 50 ms after half a second.
  static let duration = TimeSpan.milliseconds(700)
  /// So much more than the wanted rate is tried, since frames differ in size.
  private static let margin = 1.1
  /// The time to the next trial after one that failed, at first and at most.
  private static let firstPause = TimeSpan.seconds(3)
  private static let longestPause = TimeSpan.seconds(16)
  /// Without reports on it for so long it has failed.
  private static let patience = TimeSpan.seconds(3)
  /// One that failed so long ago says nothing.
  private static let memory = TimeSpan.seconds(40)

  /// The rate under trial.
  private var current: (rate: DataRate, began: Instant)?
  private var pause = Self.firstPause
  private var lastFailure: Instant?
  /// Before this nothing is tried.
  private var next = Instant.zero
  /// The source of chance: several receivers on one path that try at the same time would all fail, again and again.
  private var random: UInt32

  /// - Parameter seed: another one for each receiver.
  init(seed: UInt32) { random = seed &* 2_654_435_761 &+ 1 }

  /// The whole rate during a trial; nil without one.
  var rate: DataRate? { current?.rate }

  /// Whether a trial may begin, or is under way.
  func mayTry(now: Instant) -> Bool { current != nil || now >= next }

  /// Asks whether the path takes `wanted` in all, and begins to try it out where that is not known.
  /// - Parameter reported: when the newest packet was sent that the receiver has reported on; nil before the first.
  mutating func verdict(on wanted: DataRate, reported: Instant?, now: Instant) -> Verdict {
    guard let trial = current, wanted <= trial.rate else {
      guard current != nil || now >= next else { return .failed }
      current = (DataRate(bitsPerSecond: Int64(Double(wanted.bitsPerSecond) * Self.margin)), now)
      return .pending
    }
    guard let reported, reported - trial.began >= Self.duration else {
      guard now - trial.began < Self.patience else {
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
