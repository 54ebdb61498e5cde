import Parley

/// The test videos with their voices.
enum TestMedia {
  private static let styles: [TestPictureSource.Style] = [.planets, .waves, .face]
  private static let pitches = [130.0, 180.0, 230.0]

  /// How many there are.
  static var count: Int { styles.count }

  /// A video of a style and a steady tone; or one of several voices that speak by turns.
  static func make(
    style: Int, width: Int = 640, height: Int = 360, takesTurns: Bool = false
  ) -> (any VideoSource, any AudioSource) {
    let index = ((style % count) + count) % count
    guard takesTurns else {
      return (
        TestPictureSource(styles[index], width: width, height: height, sourceID: UInt8(index)),
        ToneSource(frequency: [440, 550, 660][index])
      )
    }
    let voice = BabblePattern(turn: index, of: count)
    return (
      TestPictureSource(styles[index], width: width, height: height, sourceID: UInt8(index), voice: voice),
      ToneSource(frequency: pitches[index], pattern: .babble(voice))
    )
  }

  /// A flash and a beep at each full second, from one clock: whoever receives them can measure how far audio and video
  /// are apart.
  static func makeSyncSignal() -> (any VideoSource, any AudioSource) {
    (TestPictureSource(.bars, flashes: true), ToneSource(frequency: 1_000, level: -6, pattern: .beep))
  }
}
