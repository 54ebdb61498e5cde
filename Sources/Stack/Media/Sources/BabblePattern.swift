public import Basics

/// The rhythm of someone who speaks: syllables, words, breaths; and whose turn it is, so that several sources talk one
/// after the other. It depends on the time alone: whoever asks at the same instant hears the same, without talking to
/// each other.
///
/// ```swift
/// for turn in 0..<3 {  // three bots that talk one after the other
///   let voice = BabblePattern(turn: turn, of: 3)
///   let bot = try await Meeting.join("http://localhost:8080/hello", name: "Bot \(turn)")
///   try await bot.local.publish(LocalVideoTrack(TestPictureSource(.face, voice: voice)))
///   try await bot.local.publish(LocalAudioTrack(ToneSource(frequency: 150, pattern: .babble(voice))))
/// }
/// ```
public struct BabblePattern: Hashable, Sendable {
  /// The speaker's place in the rotation, from 0.
  ///
  /// ```swift
  /// var voice = BabblePattern(of: 3)
  /// voice.turn = 2
  /// ```
  public var turn: Int

  /// How many take turns.
  ///
  /// ```swift
  /// var voice = BabblePattern()
  /// voice.speakers = 3
  /// ```
  public var speakers: Int

  /// How long each turn is, the silence at its end included.
  ///
  /// ```swift
  /// var voice = BabblePattern(of: 3)
  /// voice.turnLength = .seconds(10)
  /// ```
  public var turnLength: TimeSpan

  /// ```swift
  /// let voice = BabblePattern(turn: 1, of: 3, turnLength: .seconds(6))
  /// ```
  ///
  /// - Parameters:
  ///   - turn: The speaker's place in the rotation, from 0.
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

  /// The state of the voice at an instant of a ``TestClock``.
  struct Moment {
    /// The syllable's number, which gives its vowel and pitch.
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
