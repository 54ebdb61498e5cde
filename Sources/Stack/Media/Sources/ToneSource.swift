public import Basics
import Glibc
import Synchronization

/// Audio that is made here: a steady tone, a voice of tones with the rhythm of speech, or the beep of the lip-sync
/// signal. 48 kHz mono, 10 ms at a time, in real time.
///
/// Costs about 0.1 % of a core.
///
/// ```swift
/// try await meeting.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
/// ```
public final class ToneSource: AudioSource {
  /// How the tone comes and goes.
  ///
  /// ```swift
  /// let dial = ToneSource(pattern: .steady)
  /// let voice = ToneSource(frequency: 150, pattern: .babble(BabblePattern(turn: 0, of: 3)))
  /// let beeps = ToneSource(frequency: 1_000, pattern: .beep)
  /// ```
  public enum Pattern: Hashable, Sendable {
    /// Always there: a pure sine.
    case steady
    /// Syllables, words and turns; ``frequency`` is the pitch of the voice.
    case babble(BabblePattern)
    /// On in the first 100 ms of each second of the clock, together with the flash of a ``TestPictureSource``.
    case beep
  }

  /// The tone's frequency or the voice's pitch, in hertz.
  ///
  /// ```swift
  /// let octave = ToneSource(frequency: ToneSource().frequency * 2)
  /// ```
  public let frequency: Double

  /// Peak level in decibels below full scale: 0 is the loudest, -20 is usual.
  ///
  /// ```swift
  /// let quieter = ToneSource(level: ToneSource().level - 10)
  /// ```
  public let level: Double

  /// How it comes and goes.
  ///
  /// ```swift
  /// let beeps = ToneSource(pattern: .beep)
  /// let follows = ToneSource(frequency: 880, pattern: beeps.pattern)
  /// ```
  public let pattern: Pattern

  private let clock: TestClock
  private let thread = Mutex<PacedThread?>(nil)

  /// A tone.
  ///
  /// ```swift
  /// let tone = ToneSource(frequency: 880, level: -30)
  /// ```
  ///
  /// - Parameters:
  ///   - frequency: 20 to 20,000 Hz.
  ///   - level: -90 to 0 dB.
  ///   - pattern: How it comes and goes.
  ///   - clock: The clock of rhythm and beeps.
  public init(
    frequency: Double = 440, level: Double = -20, pattern: Pattern = .steady, clock: TestClock = .shared
  ) {
    self.frequency = frequency
    self.level = level
    self.pattern = pattern
    self.clock = clock
  }

  deinit { stop() }

  /// Begins to deliver.
  ///
  /// ```swift
  /// let tone = ToneSource()
  /// try tone.start { sound in print(sound.time) }
  /// ```
  public func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) {
    let generator = try makeGenerator()
    stop()
    let first = clock.gridPoint(before: MonotonicClock.now, rate: 100)
    let started = try PacedThread(name: "test tone", start: first, rate: 100) { due, index in
      sink(generator.frame(at: due, index: index))
    }
    thread.exchange(started)?.stop()
  }

  /// Stops; nothing is delivered afterwards.
  ///
  /// ```swift
  /// let tone = ToneSource()
  /// try tone.start { sound in print(sound.time) }
  /// tone.stop()
  /// ```
  public func stop() { thread.exchange(nil)?.stop() }

  /// `count` frames from an instant on, without starting and as fast as they can be made: for tests and files.
  ///
  /// ```swift
  /// let second = try ToneSource().frames(100, from: MonotonicClock.now)
  /// ```
  public func frames(_ count: Int, from instant: Instant) throws(MediaError) -> [AudioFrame] {
    let generator = try makeGenerator()
    return (0..<max(count, 0)).map {
      generator.frame(at: instant + .milliseconds(10) * Int64($0), index: Int64($0))
    }
  }

  private func makeGenerator() throws(MediaError) -> ToneGenerator {
    guard (20...20_000).contains(frequency) else {
      throw .invalid("A tone of \(frequency) Hz is not possible: 20 to 20,000 Hz.")
    }
    guard (-90...0).contains(level) else { throw .invalid("A level of \(level) dB is not possible: -90 to 0 dB.") }
    return ToneGenerator(frequency: frequency, amplitude: pow(10, level / 20) * 32_767, pattern: pattern, clock: clock)
  }
}

/// Makes the samples of a ``ToneSource``; used by one thread.
// unchecked: it passes to the thread that plays and stays there.
private final class ToneGenerator: @unchecked Sendable {
  private let frequency: Double
  private let amplitude: Double
  private let pattern: ToneSource.Pattern
  private let clock: TestClock
  private var phase = 0.0
  private var loudness = 0.0
  private var syllable = Int.min
  private var wave = [Double](repeating: 0, count: 513)
  private var pitch = 1.0

  init(frequency: Double, amplitude: Double, pattern: ToneSource.Pattern, clock: TestClock) {
    self.frequency = frequency
    self.amplitude = amplitude
    self.pattern = pattern
    self.clock = clock
  }

  func frame(at instant: Instant, index: Int64) -> AudioFrame {
    let count = AudioFrame.samplesPer10Milliseconds
    var samples = [Int16](repeating: 0, count: count)
    switch pattern {
    case .steady:
      // The phase comes from the number of the sample, so the frequency is exact over hours and across lost ticks.
      let base = (Double(index) * 0.01 * frequency).truncatingRemainder(dividingBy: 1)
      for sample in 0..<count { samples[sample] = sine(base + Double(sample) * frequency / 48_000, amplitude) }
    case .beep:
      let start = clock.nanoseconds(at: instant) % 1_000_000_000
      for sample in 0..<count {
        let within = Double(start) / 1e9 + Double(sample) / 48_000
        let beep = within >= 1 ? within - 1 : within
        guard beep < 0.1 else { continue }
        // One millisecond of slope keeps the beep from clicking.
        samples[sample] = sine(beep * frequency, amplitude * min(1, beep * 1000, (0.1 - beep) * 1000))
      }
    case .babble(let babble):
      speak(babble, clock.nanoseconds(at: instant), &samples)
    }
    return AudioFrame(samples: samples, time: instant)
  }

  private func sine(_ turns: Double, _ amplitude: Double) -> Int16 {
    Int16(max(-32_768, min(32_767, (sin(turns * 2 * .pi) * amplitude).rounded())))
  }

  private func speak(_ babble: BabblePattern, _ nanoseconds: Int64, _ samples: inout [Int16]) {
    // The loudness is asked once a millisecond and goes straight in between.
    for block in 0..<10 {
      let moment = babble.moment(atNanoseconds: nanoseconds + Int64(block) * 1_000_000)
      if moment.loudness > 0, moment.syllable != syllable { beginSyllable(moment.syllable) }
      let step = (moment.loudness - loudness) / 48
      let turn = frequency * pitch / 48_000
      for sample in (block * 48)..<(block * 48 + 48) {
        loudness += step
        phase += turn
        if phase >= 1 { phase -= 1 }
        let place = phase * 512
        let index = Int(place)
        let value = wave[index] + (wave[index + 1] - wave[index]) * (place - Double(index))
        samples[sample] = Int16(max(-32_768, min(32_767, value * loudness * amplitude)))
      }
    }
  }

  /// A new vowel: overtones near its two formants are strong, as in a throat.
  private func beginSyllable(_ number: Int) {
    syllable = number
    pitch = 0.88 + 0.3 * Double(scatter(number, 4))
    let vowels: [(Double, Double)] = [(730, 1090), (530, 1840), (390, 1990), (570, 840), (440, 1020)]
    let (first, second) = vowels[Int(scatter(number, 5) * 4.999)]
    var peak = 0.0001
    for index in 0..<512 {
      var value = 0.0
      for overtone in 1...14 {
        let hertz = frequency * pitch * Double(overtone)
        let strength =
          exp(-pow((hertz - first) / 190, 2)) + 0.6 * exp(-pow((hertz - second) / 260, 2)) + 0.25 / Double(overtone)
        value += strength * sin(Double(index * overtone) / 512 * 2 * .pi)
      }
      wave[index] = value
      peak = max(peak, abs(value))
    }
    for index in 0..<512 { wave[index] /= peak }
    wave[512] = wave[0]
  }
}
