import Basics
import Foundation
import Media
import Testing

@Suite struct ToneSourceTests {
  private let clock = TestClock(midnight: .zero)

  @Test(arguments: [50.0, 440, 1_000, 4_321.5, 15_000]) func theFrequencyIsExact(_ frequency: Double) throws {
    let frames = try ToneSource(frequency: frequency, level: -6).frames(200, from: .zero)
    let samples = frames.flatMap(\.samples)
    #expect(samples.count == 96_000)
    // Over two seconds a deviation of a quarter of a hertz is half a turn and would cancel the correlation.
    let here = strength(of: frequency, in: samples)
    #expect(abs(here - 32_767 * 0.501) < 40, "\(here)")
    #expect(strength(of: frequency + 3, in: samples) < here / 10)
    #expect(strength(of: frequency - 3, in: samples) < here / 10)
  }

  @Test func thePhaseRunsOnAcrossFrames() throws {
    let samples = try ToneSource(frequency: 333.3, level: 0).frames(100, from: .zero).flatMap(\.samples)
    let steepest = zip(samples, samples.dropFirst()).map { abs(Int($1) - Int($0)) }.max() ?? 0
    let allowed: Double = 32_767 * 2 * Double.pi * 333.3 / 48_000
    #expect(Double(steepest) < allowed * 1.01)
  }

  @Test func beepsLieExactlyUnderTheFlashes() throws {
    let samples = try ToneSource(frequency: 1_000, pattern: .beep, clock: clock)
      .frames(310, from: .milliseconds(4_730)).flatMap(\.samples)
    let loud = samples.indices.filter { samples[$0] != 0 }
    // Seconds begin 270 ms, 1,270 ms … after the start.
    for (first, second) in zip([0, 1, 2], [270, 1_270, 2_270]) {
      let inside = loud.filter { $0 / 48 >= second - 5 && $0 / 48 < second + 105 }
      let begin = try #require(inside.first, "beep \(first)")
      let end = try #require(inside.last)
      #expect(abs(begin - second * 48) < 30 && abs(end - (second + 100) * 48) < 30, "\(begin) \(end)")
    }
    #expect(loud.count < 3 * 4_800 + 1)
  }

  @Test func babblersTakeTurnsAndAreSilentBetween() throws {
    let patterns = (0..<3).map { BabblePattern(turn: $0, of: 3, turnLength: .seconds(2)) }
    let voices = try patterns.map {
      try ToneSource(frequency: 150, pattern: .babble($0), clock: clock).frames(1_200, from: .zero)
    }
    var spoken = [0, 0, 0]
    for index in 0..<1_200 {
      let loud = voices.indices.filter { voice in voices[voice][index].samples.contains { abs(Int($0)) > 200 } }
      #expect(loud.count <= 1, "frame \(index)")
      if let one = loud.first {
        spoken[one] += 1
        #expect(one == index / 200 % 3)
      }
      if index % 200 >= 155 { #expect(loud.isEmpty, "the end of a turn is silent") }
    }
    for count in spoken { #expect(count > 130, "\(spoken)") }
  }

  @Test func babbleHasSyllables() throws {
    let frames = try ToneSource(frequency: 150, pattern: .babble(BabblePattern(turnLength: .seconds(10))), clock: clock)
      .frames(900, from: .zero)
    let loud = frames.map { $0.samples.contains { abs(Int($0)) > 300 } }
    let beginnings = zip(loud, loud.dropFirst()).count { !$0 && $1 }
    // Five a second and some breaths.
    #expect((30...50).contains(beginnings), "\(beginnings)")
    #expect(frames.allSatisfy { $0.samples.allSatisfy { abs(Int($0)) <= 3_277 } }, "the level is the peak")
  }

  @Test func soundComesInRealTime() throws {
    let source = ToneSource()
    let frames = Collected<(AudioFrame, Instant)>()
    try source.start { frames.append(($0, MonotonicClock.now)) }
    #expect(frames.wait(for: 50))
    source.stop()
    let values = frames.values
    for (a, b) in zip(values, values.dropFirst()) {
      #expect(b.0.time - a.0.time == .milliseconds(10))
      #expect(a.1 >= a.0.time)
    }
    // 49 intervals of 10 ms, as exact as the scheduler is: the last cannot come early.
    #expect(.milliseconds(489) <= values[49].1 - values[0].0.time)
  }

  @Test func impossibleTonesAreErrorsInWords() {
    #expect(throws: MediaError.self) { try ToneSource(frequency: 0).start { _ in } }
    #expect(throws: MediaError.self) { try ToneSource(frequency: .nan).start { _ in } }
    #expect(throws: MediaError.self) { try ToneSource(level: 3).start { _ in } }
  }
}
