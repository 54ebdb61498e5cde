import Foundation
import Media
import Testing

/// Sound at other rates than 48 kHz.
@Suite struct AudioRateConverterTests {
  private func tone(_ frequency: Double, rate: Int, count: Int) -> [Int16] {
    (0..<count).map { Int16(10_000 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
  }

  /// The amplitude of a frequency in the middle of `samples`.
  private func amplitude(_ frequency: Double, _ samples: [Int16], rate: Int) -> Double {
    let part = samples[(samples.count / 4)..<(samples.count * 3 / 4)]
    var (real, imaginary) = (0.0, 0.0)
    for index in part.indices {
      let angle = 2 * .pi * frequency * Double(index) / Double(rate)
      real += Double(part[index]) * cos(angle)
      imaginary += Double(part[index]) * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(part.count)
  }

  @Test(
    "a tone keeps its frequency and its loudness at every pair of rates", arguments: [8_000, 16_000, 44_100, 48_000])
  func tones(rate: Int) {
    var (up, down) = (AudioRateConverter(from: rate, to: 48_000), AudioRateConverter(from: 48_000, to: rate))
    let input = tone(1_000, rate: rate, count: rate)
    // In pieces of 10 ms, as devices give it.
    let pieces = stride(from: 0, to: input.count, by: rate / 100).map {
      up.convert(Array(input[$0..<min($0 + rate / 100, input.count)]))
    }
    let high = Array(pieces.joined())
    #expect(abs(high.count - 48_000) < 200)
    #expect(abs(amplitude(1_000, high, rate: 48_000) - 10_000) < 300)
    let back = down.convert(high)
    #expect(abs(amplitude(1_000, back, rate: rate) - 10_000) < 500)
  }

  @Test("frequencies above the lower rate are not folded back into it")
  func noAliases() {
    var down = AudioRateConverter(from: 48_000, to: 16_000)
    let samples = down.convert(tone(11_000, rate: 48_000, count: 48_000))
    // 11 kHz would come back at 5 kHz.
    #expect(amplitude(5_000, samples, rate: 16_000) < 200)
  }

  @Test("two channels stay apart, and any length is taken")
  func channels() {
    var converter = AudioRateConverter(from: 16_000, to: 48_000, channels: 2)
    let left = tone(500, rate: 16_000, count: 16_000)
    let both: [Int16] = left.flatMap { [$0, 0] }
    var out: [Int16] = []
    for start in stride(from: 0, to: both.count, by: 14) {
      out += converter.convert(Array(both[start..<min(start + 14, both.count)]))
    }
    #expect(stride(from: 1, to: out.count, by: 2).allSatisfy { out[$0] == 0 })
    #expect(converter.convert([]).isEmpty)
  }
}
