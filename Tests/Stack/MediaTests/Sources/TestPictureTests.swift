import Basics
import Media
import TestSeeds
import Testing

@Suite(.tellsSeeds) struct TestPictureTests {
  private let clock = TestClock(midnight: .zero)

  private func source(
    _ style: TestPictureSource.Style = .planets, width: Int = 640, height: Int = 360, flashes: Bool = false
  ) -> TestPictureSource {
    TestPictureSource(style, width: width, height: height, sourceID: 173, flashes: flashes, clock: clock)
  }

  @Test(arguments: TestPictureSource.Style.allCases)
  func everyStyleTellsItsSourceAndItsTime(_ style: TestPictureSource.Style) throws {
    for milliseconds in [0, 1, 12_345, 47_111_815, 86_399_999] as [Int64] {
      let frame = try source(style).frame(at: .milliseconds(milliseconds))
      let marker = try #require(TestPictureMarker.read(from: frame))
      #expect(marker == (173, milliseconds))
    }
  }

  @Test(arguments: [(160, 90), (320, 180), (638, 358), (641, 361), (1280, 720), (180, 320)])
  func theMarkerIsReadableInEverySize(_ size: (Int, Int)) throws {
    let frame = try source(width: size.0, height: size.1).frame(at: .milliseconds(5_000_123))
    #expect(TestPictureMarker.decode(frame)?.milliseconds == 5_000_123)
  }

  @Test(arguments: TestPictureSource.Style.allCases)
  func theMarkerSurvivesScalingBlurAndNoise(_ style: TestPictureSource.Style) throws {
    var random = SeededGenerator(seed: TestSeed.of(7))
    for round in 0..<4 {
      let time = Int64(random.next() % 86_400_000)
      let frame = try source(style).frame(at: .milliseconds(time))
      let half = degraded(frame, width: 320, height: 180, noise: 24, &random)
      #expect(TestPictureMarker.decode(half)?.milliseconds == time, "half, round \(round)")
      let quarter = degraded(frame, width: 160, height: 90, noise: 12, &random)
      #expect(TestPictureMarker.decode(quarter)?.milliseconds == time, "quarter, round \(round)")
      let larger = degraded(half, width: 1280, height: 720, noise: 12, &random)
      #expect(TestPictureMarker.decode(larger)?.milliseconds == time, "half and four times, round \(round)")
    }
  }

  /// A wrong time is worse than none: whatever else is on the picture must not pass for a marker.
  @Test func noiseIsNoMarker() {
    var random = SeededGenerator(seed: TestSeed.of(11))
    var believed = 0
    for _ in 0..<1_000 {
      let frame = VideoFrame(width: 96, height: 32, time: .zero) { y, u, v in
        for index in y.indices { y[index] = UInt8(truncatingIfNeeded: random.next()) }
        u.update(repeating: 128)
        v.update(repeating: 128)
      }
      if TestPictureMarker.decode(frame) != nil { believed += 1 }
    }
    // Twelve bits of checksum let one in 4,096 through, and the rest of the day one in three of these.
    #expect(believed <= 2)
    let grey = VideoFrame(width: 640, height: 360, time: .zero) { y, u, v in
      y.update(repeating: 90)
      u.update(repeating: 128)
      v.update(repeating: 128)
    }
    #expect(TestPictureMarker.decode(grey) == nil)
  }

  @Test func aFlashIsWhiteForTheFirstTenthOfEachSecond() throws {
    let source = source(flashes: true)
    for (milliseconds, white) in [(7_000, true), (7_099, true), (7_100, false), (7_999, false)] as [(Int64, Bool)] {
      let frame = try source.frame(at: .milliseconds(milliseconds))
      let mean = frame.withPlanes { y, _, _ in
        (0..<300).reduce(0) { sum, row in sum + (0..<640).reduce(0) { $0 + Int(y[row * frame.yStride + $1]) } }
          / 192_000
      }
      #expect((mean > 230) == white, "at \(milliseconds) ms the mean is \(mean)")
      #expect(TestPictureMarker.decode(frame)?.isFlash == white)
    }
  }

  @Test func picturesMove() throws {
    for style in TestPictureSource.Style.allCases {
      let source = source(style)
      let (one, two) = (try source.frame(at: .milliseconds(10_000)), try source.frame(at: .milliseconds(10_200)))
      let changed = one.withPlanes { a, _, _ in
        two.withPlanes { b, _, _ in (0..<(320 * one.yStride)).count { abs(Int(a[$0]) - Int(b[$0])) > 8 } }
      }
      #expect(changed > 1_000, "\(style)")
    }
  }

  @Test func picturesComeAtTheirRateOnTheGridOfTheClockAndStopForGood() throws {
    let source = TestPictureSource(.bars, width: 160, height: 90, framesPerSecond: 50)
    let frames = Collected<VideoFrame>()
    try source.start { frames.append($0) }
    #expect(frames.wait(for: 26))
    source.stop()
    let count = frames.values.count
    let times = frames.values.map(\.time)
    for (a, b) in zip(times, times.dropFirst()) { #expect(abs((b - a).nanoseconds - 20_000_000) <= 1) }
    for frame in frames.values.prefix(5) {
      let milliseconds = try #require(TestPictureMarker.decode(frame)).milliseconds
      // The grid has lines each 20 ms; the marker shows whole milliseconds.
      #expect(milliseconds % 20 == 0)
    }
    #expect(frames.values.count == count)
  }

  @Test func sourcesStartAgainAndLeaveNoThreadBehind() throws {
    let source = TestPictureSource(.bars, width: 64, height: 36, framesPerSecond: 100)
    for _ in 0..<20 {
      let frames = Collected<VideoFrame>()
      try source.start { frames.append($0) }
      #expect(frames.wait(for: 2))
      source.stop()
      source.stop()
    }
    #expect(ProcessResources.threads(named: "test picture") == 0)
  }

  @Test func aSourceMayBeStoppedByItsOwnSink() throws {
    let source = TestPictureSource(.bars, width: 64, height: 36, framesPerSecond: 100)
    let frames = Collected<VideoFrame>()
    try source.start { [weak source] frame in
      frames.append(frame)
      source?.stop()
    }
    #expect(frames.wait(for: 1))
    source.stop()
    #expect(frames.values.count == 1)
  }

  @Test func impossibleSizesAndRatesAreErrorsInWords() {
    for source in [
      TestPictureSource(width: 0, height: 0), TestPictureSource(width: 100_000, height: 100),
      TestPictureSource(framesPerSecond: 0), TestPictureSource(framesPerSecond: 100_000),
    ] {
      #expect(throws: MediaError.self) { try source.start { _ in } }
    }
  }
}
