public import Basics

/// Adds the audio of several people: 10 ms from each go in, 10 ms come out, for all or for one of them without their
/// own voice.
///
/// A limiter turns the whole mix down when voices add up to more than full scale, at once and back over a quarter of a
/// second, so that nothing is clipped. Costs about 2 µs an input, and as much a mix.
///
/// ```swift
/// var mixer = AudioMixer<String>()
/// mixer.add(sound, from: participant.id)
/// let forThem = mixer.mix(without: participant.id)  // what this participant is to hear
/// let recorded = mixer.mix()  // everybody
/// mixer.next()
/// ```
public struct AudioMixer<Input: Hashable & Sendable>: Sendable {
  /// 1 or 2; inputs are converted.
  ///
  /// ```swift
  /// let stereo = mixer.channels == 2
  /// ```
  public let channels: Int

  private var total: [Int32]
  private var inputs: [Input: [Int16]] = [:]
  /// The limiters: of the mix of everybody (nil), and of each that lacks one.
  private var limiters: [Input?: Limiter] = [:]
  private var lastTime = Instant.zero

  /// A mixer of 10 ms frames.
  ///
  /// ```swift
  /// var mixer = AudioMixer<String>(channels: 2)
  /// ```
  public init(channels: Int = 1) {
    self.channels = channels == 2 ? 2 : 1
    total = [Int32](repeating: 0, count: AudioFrame.samplesPer10Milliseconds * self.channels)
  }

  /// The inputs in the mix of this round.
  ///
  /// ```swift
  /// print("\(mixer.current.count) can be heard.")
  /// ```
  public var current: some Collection<Input> { inputs.keys }

  /// Adds one participant's 10 ms. A second frame of the same input in one round replaces the first; frames of other
  /// lengths are ignored.
  ///
  /// ```swift
  /// mixer.add(sound, from: participant.id)
  /// ```
  public mutating func add(_ frame: AudioFrame, from input: Input) {
    let samples = frame.converted(channels: channels).samples
    guard samples.count == total.count else { return }
    if let before = inputs.updateValue(samples, forKey: input) {
      for index in total.indices { total[index] &-= Int32(before[index]) }
    }
    for index in total.indices { total[index] &+= Int32(samples[index]) }
    lastTime = max(lastTime, frame.time)
  }

  /// The mix of this round.
  ///
  /// ```swift
  /// let everybody = mixer.mix()
  /// let others = mixer.mix(without: participant.id)
  /// ```
  ///
  /// - Parameters:
  ///   - input: The one that is left out, so that nobody hears themselves; nil mixes everybody.
  ///   - time: The frame's timestamp; nil takes the latest of the inputs.
  public mutating func mix(without input: Input? = nil, time: Instant? = nil) -> AudioFrame {
    var sum = total
    if let input, let own = inputs[input] {
      for index in sum.indices { sum[index] &-= Int32(own[index]) }
    }
    let samples = limiters[input, default: Limiter()].apply(to: sum, channels: channels)
    return AudioFrame(samples: samples, channels: channels, time: time ?? lastTime)
  }

  /// Begins the next round: whoever gives nothing is silent in it.
  ///
  /// ```swift
  /// let recorded = mixer.mix()
  /// mixer.next()  // ten milliseconds later
  /// ```
  public mutating func next() {
    inputs.removeAll(keepingCapacity: true)
    for index in total.indices { total[index] = 0 }
  }

  /// Forgets who has left.
  ///
  /// ```swift
  /// for await case .participantLeft(let participant, _) in meeting.events { mixer.remove(participant.id) }
  /// ```
  public mutating func remove(_ input: Input) {
    if let own = inputs.removeValue(forKey: input) {
      for index in total.indices { total[index] &-= Int32(own[index]) }
    }
    limiters[input] = nil
  }

  /// Keeps a sum within 16 bits.
  private struct Limiter: Sendable {
    /// The gain of the last sample.
    private var gain: Float = 1
    /// The limiter's threshold: half a decibel below full scale.
    private static var ceiling: Float { 30_900 }
    /// Back to full gain in a quarter of a second.
    private static var recovery: Float { 0.04 }

    mutating func apply(to sum: [Int32], channels: Int) -> [Int16] {
      var peak: Int32 = 0
      for sample in sum { peak = max(peak, sample.magnitude > 0x7FFF_FFFF ? .max : Int32(sample.magnitude)) }
      let needed = Float(peak) > Self.ceiling ? Self.ceiling / Float(peak) : 1
      let target = needed < gain ? needed : min(needed, gain + Self.recovery)
      if gain == 1, target == 1 { return sum.map { Int16(truncatingIfNeeded: $0) } }
      // Down within a millisecond, up over the whole frame. The peak may lie in that millisecond: there the samples
      // themselves are bent.
      let frames = sum.count / channels
      let slope = target < gain ? frames / 10 : frames
      var out = [Int16](repeating: 0, count: sum.count)
      for frame in 0..<frames {
        let factor = frame < slope ? gain + (target - gain) * Float(frame) / Float(slope) : target
        for channel in 0..<channels {
          let index = frame * channels + channel
          out[index] = Self.bend(Float(sum[index]) * factor)
        }
      }
      gain = target
      return out
    }

    /// Straight up to the ceiling, then ever flatter towards full scale.
    private static func bend(_ value: Float) -> Int16 {
      let size = abs(value)
      guard size > ceiling else { return Int16(value) }
      let over = size - ceiling
      let room: Float = 32_767 - ceiling
      let bent = ceiling + room * over / (over + room)
      return Int16(value < 0 ? -bent : bent)
    }
  }
}
