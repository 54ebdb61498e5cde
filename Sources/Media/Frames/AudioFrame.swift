public import Basics

/// A stretch of sound: interleaved 16-bit samples at 48 kHz, mono or stereo. Sources and sinks exchange 10 ms at a time.
public struct AudioFrame: Hashable, Sendable {
  /// Samples a second of every frame in Parley.
  public static let sampleRate = 48_000
  /// Samples a channel in 10 ms.
  public static let samplesPer10Milliseconds = 480

  /// The samples; left and right alternate when there are two channels.
  public var samples: [Int16]
  /// 1 or 2.
  public var channels: Int
  /// When the first sample was taken (sources) or is to be heard (receivers), on ``MonotonicClock``.
  public var time: Instant

  /// A frame.
  public init(samples: [Int16], channels: Int = 1, time: Instant) {
    self.samples = samples
    self.channels = channels
    self.time = time
  }

  /// How long it lasts.
  public var duration: TimeSpan {
    TimeSpan(nanoseconds: Int64(samples.count / max(channels, 1)) * 1_000_000_000 / Int64(Self.sampleRate))
  }
}
