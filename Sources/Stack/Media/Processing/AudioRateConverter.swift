import Glibc

/// Converts audio from one sampling rate to another, piece by piece.
///
/// Each output sample is a sum over the nearest input samples, weighted with a windowed sinc function whose edge lies
/// at the lower of the two rates, so that nothing is folded back. It delays by 16 samples of the lower rate, and costs
/// 32 multiplications a sample when the rate rises.
///
/// ```swift
/// var converter = AudioRateConverter(from: 16_000, to: AudioFrame.sampleRate)
/// let samples = converter.convert([Int16](repeating: 0, count: 160))  // 480, less a remainder for the next piece
/// ```
public struct AudioRateConverter: Sendable {
  private let channels: Int
  /// Input samples from one output sample to the next.
  private let step: Double
  private let isSame: Bool
  /// How far the weights reach, in input samples to each side.
  private let reach: Int
  /// The weights at fractions of an input sample, ``phases`` of them and one more.
  private let weights: [[Float]]
  /// The newest input, oldest first; the first `2 * reach` samples of it are silence in the beginning.
  private var history: [Int16]
  /// The place of the next output sample in ``history``.
  private var position: Double

  private static let phases = 64
  private static let lobes = 16

  /// A converter for interleaved audio of one or two channels. Rates below 1,000 a second count as 1,000.
  ///
  /// ```swift
  /// var converter = AudioRateConverter(from: 44_100, to: 48_000, channels: 2)
  /// ```
  public init(from input: Int, to output: Int, channels: Int = 1) {
    let (input, output) = (max(input, 1_000), max(output, 1_000))
    self.channels = channels == 2 ? 2 : 1
    step = Double(input) / Double(output)
    isSame = input == output
    let edge = min(1, Double(output) / Double(input))
    reach = Int((Double(Self.lobes) / edge).rounded(.up))
    weights = (0...Self.phases).map { [reach] in
      Self.weights(at: Double($0) / Double(Self.phases), edge: edge, reach: reach)
    }
    history = [Int16](repeating: 0, count: (2 * reach) * self.channels)
    position = Double(reach)
  }

  private static func weights(at fraction: Double, edge: Double, reach: Int) -> [Float] {
    let raw = (0..<(2 * reach)).map { index -> Double in
      let distance = Double(index - reach + 1) - fraction
      let x = distance * edge * .pi
      let sinc = abs(x) < 1e-9 ? 1 : sin(x) / x
      let window = abs(distance) >= Double(reach) ? 0 : 0.5 + 0.5 * cos(.pi * distance / Double(reach))
      return sinc * window
    }
    let sum = raw.reduce(0, +)
    return raw.map { Float($0 / sum) }
  }

  /// Converts a piece; what needs the next one to be known waits for it.
  ///
  /// ```swift
  /// var converter = AudioRateConverter(from: 48_000, to: 16_000)
  /// let samples = converter.convert(sound.samples)
  /// ```
  public mutating func convert(_ samples: [Int16]) -> [Int16] {
    if isSame { return samples }
    history += samples.prefix(samples.count / channels * channels)
    let count = history.count / channels
    var out: [Int16] = []
    out.reserveCapacity(Int(Double(samples.count) / step) + channels)
    while Int(position) + reach < count {
      let base = Int(position)
      let row = weights[Int(((position - Double(base)) * Double(Self.phases)).rounded())]
      let first = base - reach + 1
      for channel in 0..<channels {
        var sum: Float = 0
        for index in 0..<row.count { sum += row[index] * Float(history[(first + index) * channels + channel]) }
        out.append(Int16(max(-32_768, min(32_767, sum.rounded()))))
      }
      position += step
    }
    let unused = min(max(Int(position) - reach, 0), count)
    history.removeFirst(unused * channels)
    position -= Double(unused)
    return out
  }
}
