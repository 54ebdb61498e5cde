import Basics
import Foundation
import Media
import TestSeeds
import Testing

@Suite(.tellsSeeds) struct AudioProcessorTests {
  private func power(_ samples: ArraySlice<Int16>) -> Double {
    samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(samples.count, 1))
  }

  private func decibels(_ ratio: Double) -> Double { 10 * log10(max(ratio, 1e-12)) }

  @Test func theEchoOfTheLoudspeakerIsRemoved() throws {
    let processor = try AudioProcessor(.init(noiseSuppression: .off, gainControl: false))
    // A voice comes out of the loudspeaker; the room sends it back 57 ms later, quieter, and once more after 13 ms.
    let voice = try ToneSource(
      frequency: 170, level: -6, pattern: .babble(BabblePattern(turnLength: .seconds(30))),
      clock: TestClock(midnight: .zero)
    ).frames(1_500, from: .zero)
    let played = voice.flatMap(\.samples)
    var random = SeededGenerator(seed: TestSeed.of(5))
    var heard: [Int16] = []
    var cleaned: [Int16] = []
    for index in 0..<1_500 {
      processor.render(voice[index])
      let samples = (0..<480).map { sample -> Int16 in
        let at = index * 480 + sample
        let near = at >= 57 * 48 ? Double(played[at - 57 * 48]) * 0.4 : 0
        let far = at >= 70 * 48 ? Double(played[at - 70 * 48]) * 0.15 : 0
        return Int16(near + far) + Int16(random.next() % 7) - 3
      }
      heard += samples
      cleaned +=
        processor.capture(
          AudioFrame(samples: samples, time: voice[index].time), delay: .milliseconds(50)
        ).samples
    }
    // The first seconds are for finding the delay.
    let reduction = decibels(power(heard.suffix(48_000 * 7)) / power(cleaned.suffix(48_000 * 7)))
    #expect(reduction > 20, "the echo is \(reduction) dB weaker")
  }

  @Test func theNearVoicePassesWhileNobodyElseSpeaks() throws {
    let processor = try AudioProcessor(.init(gainControl: false))
    let silence = AudioFrame(samples: [Int16](repeating: 0, count: 480), time: .zero)
    let voice = try ToneSource(
      frequency: 170, level: -12, pattern: .babble(BabblePattern(turnLength: .seconds(30))),
      clock: TestClock(midnight: .zero)
    ).frames(800, from: .zero)
    var cleaned: [Int16] = []
    for frame in voice {
      processor.render(silence)
      cleaned += processor.capture(frame).samples
    }
    let loss = decibels(power(voice.flatMap(\.samples).suffix(48_000 * 5)) / power(cleaned.suffix(48_000 * 5)))
    #expect(abs(loss) < 6, "the voice is \(loss) dB weaker")
  }

  @Test func steadyNoiseIsReduced() throws {
    let processor = try AudioProcessor(.init(echoCancellation: false, noiseSuppression: .veryHigh, gainControl: false))
    var random = SeededGenerator(seed: TestSeed.of(9))
    var heard: [Int16] = []
    var cleaned: [Int16] = []
    for index in 0..<600 {
      let samples = (0..<480).map { _ in Int16(Int(random.next() % 2_001) - 1_000) }
      heard += samples
      cleaned += processor.capture(AudioFrame(samples: samples, time: .milliseconds(Int64(index) * 10))).samples
    }
    let reduction = decibels(power(heard.suffix(48_000 * 3)) / power(cleaned.suffix(48_000 * 3)))
    #expect(reduction > 12, "the noise is \(reduction) dB weaker")
  }

  @Test func aQuietVoiceIsRaised() throws {
    let processor = try AudioProcessor(.init(echoCancellation: false, noiseSuppression: .off))
    let voice = try ToneSource(
      frequency: 170, level: -36, pattern: .babble(BabblePattern(turnLength: .seconds(30))),
      clock: TestClock(midnight: .zero)
    ).frames(1_500, from: .zero)
    let cleaned = voice.flatMap { processor.capture($0).samples }
    let gain = decibels(power(cleaned.suffix(48_000 * 4)) / power(voice.flatMap(\.samples).suffix(48_000 * 4)))
    #expect(gain > 3, "the voice is \(gain) dB louder")
  }

  @Test func oddFramesComeBackAndOddOptionsAreErrors() throws {
    let processor = try AudioProcessor()
    let odd = AudioFrame(samples: [1, 2, 3], time: .zero)
    processor.render(odd)
    #expect(processor.capture(odd) == odd)
    let stereo = AudioFrame(samples: [Int16](repeating: 5, count: 960), channels: 2, time: .zero)
    #expect(processor.capture(stereo).samples.count == 480)
    #expect(throws: MediaError.self) { try AudioProcessor(.init(channels: 7)) }
  }
}
