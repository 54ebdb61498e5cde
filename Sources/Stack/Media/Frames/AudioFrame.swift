public import Basics

/// A stretch of audio: interleaved 16-bit samples at 48 kHz, mono or stereo. Sources and sinks exchange 10 ms at a
/// time.
///
/// ```swift
/// let silence = AudioFrame(samples: [Int16](repeating: 0, count: 480), time: MonotonicClock.now)
/// ```
public struct AudioFrame: Hashable, Sendable {
  /// Samples a second of every frame in Parley.
  ///
  /// ```swift
  /// let seconds = Double(sound.samples.count / sound.channels) / Double(AudioFrame.sampleRate)
  /// ```
  public static let sampleRate = 48_000

  /// Samples a channel in 10 ms.
  ///
  /// ```swift
  /// let silence = [Int16](repeating: 0, count: AudioFrame.samplesPer10Milliseconds)
  /// ```
  public static let samplesPer10Milliseconds = 480

  /// The samples; left and right alternate when there are two channels.
  ///
  /// ```swift
  /// let peak = sound.samples.map(\.magnitude).max() ?? 0
  /// ```
  public var samples: [Int16]

  /// 1 or 2.
  ///
  /// ```swift
  /// let left = stride(from: 0, to: sound.samples.count, by: sound.channels).map { sound.samples[$0] }
  /// ```
  public var channels: Int

  /// When the first sample was taken (sources) or is to be heard (receivers), on ``MonotonicClock``.
  ///
  /// ```swift
  /// let age = MonotonicClock.now - sound.time
  /// ```
  public var time: Instant

  /// A frame.
  ///
  /// ```swift
  /// let stereo = AudioFrame(samples: [Int16](repeating: 0, count: 960), channels: 2, time: MonotonicClock.now)
  /// ```
  public init(samples: [Int16], channels: Int = 1, time: Instant) {
    self.samples = samples
    self.channels = channels
    self.time = time
  }

  /// How long it lasts.
  ///
  /// ```swift
  /// let end = sound.time + sound.duration
  /// ```
  public var duration: TimeSpan {
    TimeSpan(nanoseconds: Int64(samples.count / max(channels, 1)) * 1_000_000_000 / Int64(Self.sampleRate))
  }
}
