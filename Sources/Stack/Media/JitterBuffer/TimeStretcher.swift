/// Makes decoded audio a little shorter or longer without changing its pitch. It takes a piece out, or plays it twice,
/// at a point where the audio after the piece resembles its beginning, and blends the joint (waveform similarity
/// overlap-add).
///
/// The joint lies within one block: first and last samples stay as they are, so blocks follow each other without
/// clicks. The length of the piece is a multiple of the pitch period by itself, since audio resembles itself there.
///
/// Cost: about 50 µs for 20 ms. Buffers are kept; a block that is made longer may grow its array.
public struct TimeStretcher: Sendable {
  /// Samples over which a joint is blended: 5 ms.
  static let overlap = 240
  /// The shortest and the longest piece: 2.5 and 15 ms, pitches of 400 and 67 Hz.
  static let shortest = 120
  static let longest = 720
  /// The coarse search looks at every fourth sample.
  private static let coarse = 4
  /// Audio below this mean square (about -60 dB of full scale) has no audible joints.
  private static let quiet: Float = 1_000

  /// 1 or 2.
  public let channels: Int
  private var mono: [Float] = []
  private var thin: [Float] = []
  private var output: [Int16] = []
  /// Wishes in a row that were not met; what is accepted falls with them.
  private var refusals = 0

  /// A stretcher for interleaved audio of 1 or 2 channels.
  public init(channels: Int) { self.channels = max(channels, 1) }

  /// Takes a piece of at most `limit` samples a channel out of `samples` and returns its length; 0 when none fits.
  /// - Parameters:
  ///   - samples: Shortened in place.
  ///   - limit: The longest piece, in samples a channel.
  ///   - isUrgent: Accepts a joint that may be heard.
  public mutating func shorten(_ samples: inout [Int16], upTo limit: Int, isUrgent: Bool = false) -> Int {
    guard let joint = findJoint(samples, limit, isUrgent) else { return 0 }
    output.removeAll(keepingCapacity: true)
    append(samples, 0..<joint.start)
    blend(samples, from: joint.start, to: joint.start + joint.lag)
    append(samples, (joint.start + joint.lag + Self.overlap)..<(samples.count / channels))
    swap(&samples, &output)
    return joint.lag
  }

  /// Plays a piece of at most `limit` samples a channel of `samples` twice and returns how long it was; 0 when none
  /// fits.
  public mutating func lengthen(_ samples: inout [Int16], upTo limit: Int) -> Int {
    guard let joint = findJoint(samples, limit, false) else { return 0 }
    output.removeAll(keepingCapacity: true)
    append(samples, 0..<(joint.start + joint.lag))
    blend(samples, from: joint.start + joint.lag, to: joint.start)
    append(samples, (joint.start + Self.overlap)..<(samples.count / channels))
    swap(&samples, &output)
    return joint.lag
  }

  // MARK: Joining

  private mutating func append(_ samples: [Int16], _ range: Range<Int>) {
    output.append(contentsOf: samples[(range.lowerBound * channels)..<(range.upperBound * channels)])
  }

  /// Crossfades from the audio at `from` to that at `to` within the overlap.
  private mutating func blend(_ samples: [Int16], from: Int, to: Int) {
    for index in 0..<Self.overlap {
      let share = (Float(index) + 0.5) / Float(Self.overlap)
      // Its slope is zero at both ends.
      let weight = share * share * (3 - 2 * share)
      for channel in 0..<channels {
        let old = Float(samples[(from + index) * channels + channel])
        let new = Float(samples[(to + index) * channels + channel])
        output.append(Int16((old + (new - old) * weight).rounded()))
      }
    }
  }

  // MARK: Searching

  private struct Joint {
    var start: Int
    var lag: Int
  }

  /// The point of the greatest self-similarity: the piece from `start`, `lag` long, is the one to take out or repeat.
  private mutating func findJoint(_ samples: [Int16], _ limit: Int, _ isUrgent: Bool) -> Joint? {
    let count = samples.count / channels
    let longest = min(min(Self.longest, limit), count - Self.overlap)
    guard longest >= Self.shortest else { return nil }
    mix(samples, count)
    var best: Joint?
    var likeness: Float = -1
    for start in stride(from: 0, through: min(count - Self.overlap - Self.shortest, 3 * Self.overlap), by: Self.overlap)
    {
      let reach = min(longest, count - Self.overlap - start)
      guard reach >= Self.shortest else { break }
      if isQuiet(start, reach) {
        refusals = 0
        return Joint(start: start, lag: reach)
      }
      let found = bestLag(start, reach)
      if found.likeness > likeness {
        likeness = found.likeness
        best = Joint(start: start, lag: found.lag)
      }
    }
    // Noise never resembles itself much. Rather than stay late permanently, it accepts a worse joint after a while.
    let least = isUrgent ? 0.5 : max(0.1, 0.9 - 0.05 * Float(refusals))
    guard likeness >= least else {
      refusals += 1
      return nil
    }
    refusals = 0
    return best
  }

  private mutating func mix(_ samples: [Int16], _ count: Int) {
    mono.removeAll(keepingCapacity: true)
    for index in 0..<count {
      var sum: Float = 0
      for channel in 0..<channels { sum += Float(samples[index * channels + channel]) }
      mono.append(sum / Float(channels))
    }
    thin.removeAll(keepingCapacity: true)
    var index = 0
    while index + Self.coarse <= count {
      thin.append((mono[index] + mono[index + 1] + mono[index + 2] + mono[index + 3]) / 4)
      index += Self.coarse
    }
  }

  private func isQuiet(_ start: Int, _ reach: Int) -> Bool {
    var energy: Float = 0
    let end = start + reach + Self.overlap
    for index in start..<end { energy += mono[index] * mono[index] }
    return energy / Float(end - start) < Self.quiet
  }

  private func bestLag(_ start: Int, _ reach: Int) -> (lag: Int, likeness: Float) {
    let step = Self.coarse
    var rough = Self.shortest
    var best: Float = -2
    var lag = Self.shortest
    while lag <= reach {
      let value = Self.likeness(thin, start / step, (start + lag) / step, Self.overlap / step)
      if value > best {
        best = value
        rough = lag
      }
      lag += step
    }
    best = -2
    var found = rough
    for lag in max(Self.shortest, rough - step)...min(reach, rough + step) {
      let value = Self.likeness(mono, start, start + lag, Self.overlap)
      if value > best {
        best = value
        found = lag
      }
    }
    return (found, best)
  }

  /// The normalised correlation of two stretches, -1 to 1.
  private static func likeness(_ signal: [Float], _ a: Int, _ b: Int, _ count: Int) -> Float {
    var product: Float = 0
    var first: Float = 0
    var second: Float = 0
    let length = min(count, signal.count - max(a, b))
    guard length > 0 else { return -1 }
    signal.withUnsafeBufferPointer { signal in
      for index in 0..<length {
        let x = signal[a + index]
        let y = signal[b + index]
        product += x * y
        first += x * x
        second += y * y
      }
    }
    let scale = (first * second).squareRoot()
    return scale > 0 ? product / scale : 1
  }
}
