public import Basics

/// The rhythm of someone who speaks: syllables, words, breaths; and whose turn it is, so that several sources talk one after the other.
/// It depends on the time alone: whoever asks at the same instant hears the same, without talking to each other.
public struct BabblePattern: Hashable, Sendable {
  /// Which of the speakers this is, from 0.
  public var turn: Int
  /// How many take turns.
  public var speakers: Int
  /// How long each turn is, the silence at its end included.
  public var turnLength: TimeSpan

  /// A pattern.
  /// - Parameters:
  ///   - turn: Which of the speakers this is, from 0.
  ///   - speakers: How many take turns; with one, it speaks all the time, with breaths.
  ///   - turnLength: At least a second.
  public init(turn: Int = 0, of speakers: Int = 1, turnLength: TimeSpan = .seconds(4)) {
    self.speakers = min(max(speakers, 1), 1000)
    self.turn = min(max(turn, 0), self.speakers - 1)
    self.turnLength = max(turnLength, .seconds(1))
  }

  /// The length of a syllable and the gap after it.
  private static let syllable: Int64 = 190_000_000
  /// Nobody speaks at the end of a turn.
  private static let pause: Int64 = 500_000_000

  /// What is heard at an instant of a ``TestClock``.
  struct Moment {
    /// Which syllable; says which vowel and pitch it has.
    var syllable: Int
    /// 0 to 1.
    var loudness: Double
  }

  /// How loud it is, 0 (silence) to 1.
  func loudness(atNanoseconds time: Int64) -> Double { moment(atNanoseconds: time).loudness }

  func moment(atNanoseconds time: Int64) -> Moment {
    let length = turnLength.nanoseconds
    let turns = time / length
    let within = time % length
    guard Int(turns % Int64(speakers)) == turn, within < length - Self.pause else {
      return Moment(syllable: 0, loudness: 0)
    }
    let index = Int(truncatingIfNeeded: turns &* 64 &+ within / Self.syllable)
    // One syllable in seven is a breath, but never the first of a turn.
    if within >= Self.syllable, scatter(index, 1) < 0.14 { return Moment(syllable: index, loudness: 0) }
    let share = Double(within % Self.syllable) / Double(Self.syllable)
    let end = 0.72 + 0.26 * Double(scatter(index, 2))
    guard share < end else { return Moment(syllable: index, loudness: 0) }
    // Comes up fast, swells, and dies away.
    let rise = min(1, share / 0.14)
    let fall = min(1, (end - share) / 0.3)
    let shape = rise * rise * (3 - 2 * rise) * fall * fall * (3 - 2 * fall)
    return Moment(syllable: index, loudness: shape * (0.65 + 0.35 * Double(scatter(index, 3))))
  }
}
