import Basics
import Media
import Testing

@Suite struct AudioMixerTests {
  private func tone(_ frequency: Double, level: Double) throws -> [AudioFrame] {
    try ToneSource(frequency: frequency, level: level).frames(100, from: .zero)
  }

  @Test func everybodyHearsTheOthersAndNotHimself() throws {
    let voices = [
      "ann": try tone(500, level: -20), "bob": try tone(900, level: -20), "cem": try tone(1_700, level: -20),
    ]
    var mixer = AudioMixer<String>()
    var forAll: [Int16] = []
    var forBob: [Int16] = []
    for index in 0..<100 {
      for (name, frames) in voices { mixer.add(frames[index], from: name) }
      forAll += mixer.mix().samples
      forBob += mixer.mix(without: "bob").samples
      mixer.next()
    }
    for frequency in [500.0, 900, 1_700] { #expect(abs(strength(of: frequency, in: forAll) - 3_277) < 30) }
    #expect(strength(of: 900, in: forBob) < 10)
    #expect(abs(strength(of: 500, in: forBob) - 3_277) < 30)
  }

  @Test func aLoneVoicePassesUnchanged() throws {
    var mixer = AudioMixer<Int>()
    for frame in try tone(440, level: -1) {
      mixer.add(frame, from: 1)
      #expect(mixer.mix().samples == frame.samples)
      mixer.next()
    }
  }

  @Test func tenLoudVoicesAreTurnedDownAndNotClipped() throws {
    let voices = try (0..<10).map { try tone(300 + Double($0) * 137, level: -3) }
    var mixer = AudioMixer<Int>()
    var out: [Int16] = []
    for index in 0..<100 {
      for (number, frames) in voices.enumerated() { mixer.add(frames[index], from: number) }
      out += mixer.mix().samples
      mixer.next()
    }
    let full = out.count { abs(Int($0)) >= 32_767 }
    #expect(full == 0, "\(full) samples at full scale")
    // The tones are still tones: what clipping makes of them lies between them.
    let clean = strength(of: 300, in: Array(out.dropFirst(4_800)))
    #expect(clean > 1_500)
    #expect(strength(of: 3_333, in: Array(out.dropFirst(4_800))) < clean / 20)
  }

  @Test func theLevelComesBackWithinASecond() throws {
    var mixer = AudioMixer<Int>()
    let loud = try tone(440, level: 0)
    let quiet = try tone(440, level: -20)
    for frame in loud.prefix(20) {
      for number in 0..<8 { mixer.add(frame, from: number) }
      #expect((mixer.mix().samples.map { abs(Int($0)) }.max() ?? 0) < 32_767)
      mixer.next()
    }
    var frames = 0
    for frame in quiet {
      mixer.add(frame, from: 0)
      let same = mixer.mix().samples == frame.samples
      mixer.next()
      if same { break }
      frames += 1
    }
    #expect((5...40).contains(frames), "\(frames)")
  }

  @Test func aSecondFrameReplacesTheFirstAndOddLengthsAreIgnored() throws {
    var mixer = AudioMixer<Int>(channels: 2)
    let frame = try tone(440, level: -20)[3]
    mixer.add(frame, from: 1)
    mixer.add(frame, from: 1)
    mixer.add(AudioFrame(samples: [1, 2, 3], time: .zero), from: 2)
    let mixed = mixer.mix()
    #expect(mixed.channels == 2 && mixed.samples.count == 960)
    #expect(stride(from: 0, to: 960, by: 2).allSatisfy { mixed.samples[$0] == frame.samples[$0 / 2] })
    mixer.remove(1)
    #expect(mixer.mix().samples.allSatisfy { $0 == 0 })
  }

  /// Extremes must not trap: the samples are data from the network.
  @Test func theLoudestPossibleInputsAreHarmless() {
    var mixer = AudioMixer<Int>()
    for value in [Int16.min, .max] {
      for number in 0..<200 {
        mixer.add(AudioFrame(samples: [Int16](repeating: value, count: 480), time: .zero), from: number)
      }
      #expect(mixer.mix().samples.count == 480)
      #expect(mixer.mix(without: 3).samples.count == 480)
      mixer.next()
    }
  }
}
