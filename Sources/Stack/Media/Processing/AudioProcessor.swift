public import Basics
import CAudioProcessing
import Synchronization

// unchecked: the engine locks itself, and each of the two calls has its own buffers behind its own lock.
/// Cleans what a microphone hears: removes the echo of the loudspeaker and steady noise, and evens out the level.
///
/// Rendering and capturing may happen on two threads at once. Costs about 1 % of a core, and holds about 1 MB.
///
/// ```swift
/// let processor = try AudioProcessor()
/// processor.render(sound)  // what the speaker is about to play
/// let clean = processor.capture(sound, delay: .milliseconds(60))  // what the microphone heard
/// ```
public final class AudioProcessor: @unchecked Sendable {
  /// How much of steady noise is removed. More costs more of the voice.
  ///
  /// ```swift
  /// func suppression(strength: Int) -> AudioProcessor.NoiseSuppression {
  ///   let steps: [AudioProcessor.NoiseSuppression] = [.off, .low, .moderate, .high, .veryHigh]
  ///   return steps[min(max(strength, 0), 4)]
  /// }
  /// ```
  public enum NoiseSuppression: Int32, Sendable {
    case off = -1
    /// About 6 dB.
    case low
    /// About 10 dB.
    case moderate
    /// About 15 dB.
    case high
    /// About 20 dB.
    case veryHigh
  }

  /// The steps of the processing.
  ///
  /// ```swift
  /// let forMusic = AudioProcessor.Configuration(noiseSuppression: .off, gainControl: false, channels: 2)
  /// let processor = try AudioProcessor(forMusic)
  /// ```
  public struct Configuration: Hashable, Sendable {
    /// Remove the loudspeaker's echo.
    ///
    /// ```swift
    /// var configuration = AudioProcessor.Configuration()
    /// configuration.echoCancellation = false  // a person with headphones
    /// ```
    public var echoCancellation: Bool

    /// Remove steady noise.
    ///
    /// ```swift
    /// var configuration = AudioProcessor.Configuration()
    /// configuration.noiseSuppression = .veryHigh  // a café
    /// ```
    public var noiseSuppression: NoiseSuppression

    /// Bring quiet and loud voices to the same level.
    ///
    /// ```swift
    /// var configuration = AudioProcessor.Configuration()
    /// configuration.gainControl = false  // a studio that sets its own level
    /// ```
    public var gainControl: Bool

    /// Remove rumble below 100 Hz.
    ///
    /// ```swift
    /// var configuration = AudioProcessor.Configuration()
    /// configuration.highPassFilter = false  // a double bass
    /// ```
    public var highPassFilter: Bool

    /// Channels of the microphone and of the loudspeaker, 1 or 2; other frames are converted.
    ///
    /// ```swift
    /// var configuration = AudioProcessor.Configuration()
    /// configuration.channels = 2
    /// ```
    public var channels: Int

    /// A configuration; by default everything is on.
    ///
    /// ```swift
    /// let configuration = AudioProcessor.Configuration(noiseSuppression: .low)
    /// ```
    public init(
      echoCancellation: Bool = true, noiseSuppression: NoiseSuppression = .high, gainControl: Bool = true,
      highPassFilter: Bool = true, channels: Int = 1
    ) {
      self.echoCancellation = echoCancellation
      self.noiseSuppression = noiseSuppression
      self.gainControl = gainControl
      self.highPassFilter = highPassFilter
      self.channels = channels
    }
  }

  /// The steps it was made with.
  ///
  /// ```swift
  /// let isMono = processor.configuration.channels == 1
  /// ```
  public let configuration: Configuration

  private let engine: OpaquePointer
  private let rendering = Mutex(())
  private let capturing = Mutex(())

  /// ```swift
  /// let processor = try AudioProcessor(.init(noiseSuppression: .low))
  /// ```
  ///
  /// - Throws: ``MediaError/invalid(_:)`` if it cannot be set up. A microphone can still be published as it is; suggest
  ///   headphones to the person then.
  public init(_ configuration: Configuration = Configuration()) throws(MediaError) {
    guard configuration.channels == 1 || configuration.channels == 2 else {
      throw .invalid("Audio processing works on one or two channels, not on \(configuration.channels).")
    }
    self.configuration = configuration
    let options = parley_audio_options(
      channels: Int32(configuration.channels), echo_cancellation: configuration.echoCancellation ? 1 : 0,
      noise_suppression: configuration.noiseSuppression.rawValue, gain_control: configuration.gainControl ? 1 : 0,
      high_pass: configuration.highPassFilter ? 1 : 0)
    guard let engine = parley_audio_processor_create(options) else {
      throw .invalid(
        "Audio processing (\(configuration.words)) could not be set up. Publish the microphone without it, or with fewer of these."
      )
    }
    self.engine = engine
  }

  deinit { parley_audio_processor_destroy(engine) }

  /// Gives the audio that the loudspeaker is about to play. Call it with every 10 ms that are played; other lengths are
  /// ignored.
  ///
  /// ```swift
  /// audio.add(ClosureAudioSink { sound in processor.render(sound) })
  /// ```
  public func render(_ frame: AudioFrame) {
    let frame = frame.converted(channels: configuration.channels)
    guard frame.samples.count == AudioFrame.samplesPer10Milliseconds * configuration.channels else { return }
    rendering.withLock { _ in
      frame.samples.withUnsafeBufferPointer {
        if let base = $0.baseAddress {
          _ = parley_audio_processor_render(engine, base, Int32(configuration.channels))
        }
      }
    }
  }

  /// Cleans 10 ms from the microphone; other lengths come back as they are.
  ///
  /// ```swift
  /// let source = PushAudioSource()
  /// try MicrophoneSource().start { sound in source.push(processor.capture(sound)) }
  /// ```
  ///
  /// - Parameters:
  ///   - frame: The microphone's audio.
  ///   - delay: From rendering audio to capturing its echo: the delay of the speaker plus that of the microphone. It
  ///     need not be exact; the true one is searched for, which takes some seconds of echo.
  public func capture(_ frame: AudioFrame, delay: TimeSpan = .milliseconds(80)) -> AudioFrame {
    var clean = frame.converted(channels: configuration.channels)
    guard clean.samples.count == AudioFrame.samplesPer10Milliseconds * configuration.channels else { return frame }
    let channels = Int32(configuration.channels)
    let milliseconds = Int32(max(0, min(500, delay.milliseconds)))
    capturing.withLock { _ in
      clean.samples.withUnsafeMutableBufferPointer {
        if let base = $0.baseAddress { _ = parley_audio_processor_capture(engine, base, channels, milliseconds) }
      }
    }
    return clean
  }
}

extension AudioProcessor.Configuration {
  /// The settings, in words for people.
  fileprivate var words: String {
    var parts: [String] = []
    if echoCancellation { parts.append("echo cancellation") }
    if noiseSuppression != .off { parts.append("noise suppression") }
    if gainControl { parts.append("gain control") }
    if highPassFilter { parts.append("a high-pass filter") }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}
