import Media
import TestSeeds
import Testing

@Suite(.tellsSeeds) struct TimeStretcherTests {
  private static func tone(_ frequency: Double, seconds: Int = 4, channels: Int = 1) -> [Int16] {
    (0..<(seconds * 48_000 * channels)).map { (index: Int) -> Int16 in Tone.sample(Int64(index / channels), frequency) }
  }

  /// Stretches every block of 20 ms; what came out and by how much it is longer.
  private static func stretch(
    _ input: [Int16], channels: Int = 1, _ change: (inout TimeStretcher, inout [Int16]) -> Int
  ) -> (output: [Int16], changed: Int) {
    var stretcher = TimeStretcher(channels: channels)
    var output: [Int16] = []
    var changed = 0
    for start in stride(from: 0, to: input.count, by: 960 * channels) {
      var block = Array(input[start..<min(start + 960 * channels, input.count)])
      changed += change(&stretcher, &block)
      output += block
    }
    return (output, changed)
  }

  @Test(arguments: [100.0, 180, 440, 1_000, 3_000]) func aToneKeepsItsPitchAndDoesNotClick(frequency: Double) {
    let input = Self.tone(frequency)
    let short = Self.stretch(input) { $0.shorten(&$1, upTo: 720) }
    let long = Self.stretch(input) { $0.lengthen(&$1, upTo: 720) }
    #expect(short.output.count == input.count - short.changed)
    #expect(long.output.count == input.count + long.changed)
    #expect(short.changed > input.count / 8)
    #expect(long.changed > input.count / 8)
    let step = Tone.largestStep(input)
    for output in [short.output, long.output] {
      #expect(abs(Tone.frequency(output) - frequency) < frequency * 0.005, "\(Tone.frequency(output))")
      #expect(Tone.largestStep(output) <= step * 5 / 4 + 40, "\(Tone.largestStep(output)) of \(step)")
    }
    print(
      "stretch \(frequency) Hz: shortened to \(Tone.frequency(short.output)) Hz, lengthened to",
      "\(Tone.frequency(long.output)) Hz, steps \(step), \(Tone.largestStep(short.output)), \(Tone.largestStep(long.output))"
    )
  }

  @Test func bothChannelsStayTogether() {
    let input: [Int16] = (0..<96_000).map { (index: Int) -> Int16 in
      let frequency: Double = index % 2 == 0 ? 200 : 400
      return Tone.sample(Int64(index / 2), frequency)
    }
    let short = Self.stretch(input, channels: 2) { $0.shorten(&$1, upTo: 720) }
    #expect(short.changed > 4_000)
    #expect(short.output.count == input.count - 2 * short.changed)
    let left = stride(from: 0, to: short.output.count, by: 2).map { short.output[$0] }
    let right = stride(from: 1, to: short.output.count, by: 2).map { short.output[$0] }
    #expect(abs(Tone.frequency(left) - 200) < 2)
    #expect(abs(Tone.frequency(right) - 400) < 4)
  }

  @Test func theLimitIsKept() {
    for limit in [0, 60, 119, 120, 300, 5_000] {
      var stretcher = TimeStretcher(channels: 1)
      var block = Array(Self.tone(440, seconds: 1)[0..<960])
      let removed = stretcher.shorten(&block, upTo: limit)
      #expect(removed <= limit && removed <= 720)
      #expect(block.count == 960 - removed)
      if limit < 120 { #expect(removed == 0) }
    }
    var stretcher = TimeStretcher(channels: 1)
    var short: [Int16] = [1, 2, 3]
    #expect(stretcher.shorten(&short, upTo: 720) == 0)
    #expect(short == [1, 2, 3])
    var none: [Int16] = []
    #expect(stretcher.lengthen(&none, upTo: 720) == 0)
  }

  /// Noise has no pitch; after a while it is stretched all the same, and its loudness stays.
  @Test func noiseIsStretchedInTheEnd() {
    var random = SeededGenerator(seed: TestSeed.of(3))
    let input: [Int16] = (0..<96_000).map { _ in Int16(random.unit() * 8_000 - 4_000) }
    let short = Self.stretch(input) { $0.shorten(&$1, upTo: 720) }
    func power(_ samples: [Int16]) -> Double {
      samples.reduce(0.0) { (sum: Double, sample: Int16) in sum + Double(sample) * Double(sample) }
        / Double(samples.count)
    }
    #expect(short.changed > 480)
    #expect(power(short.output) > power(input) * 0.85)
    #expect(power(short.output) < power(input) * 1.15)
  }

  @Test func silenceIsStretchedAtOnce() {
    let short = Self.stretch([Int16](repeating: 3, count: 960)) { $0.shorten(&$1, upTo: 500) }
    #expect(short.changed == 500)
  }
}
