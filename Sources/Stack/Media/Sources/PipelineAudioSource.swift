public import Basics
import Synchronization

/// Audio from any GStreamer pipeline; ``MicrophoneSource`` stands on it.
///
/// The plugins that a description names must be installed, and are run inside this process: never take one from
/// strangers.
///
/// ```swift
/// let desk = PipelineAudioSource("alsasrc device=hw:1", name: "mixing desk", channels: 2)
/// try await meeting.local.publish(LocalAudioTrack(desk, options: AudioOptions(bitrate: .kilobits(96), channels: 2)))
/// ```
public final class PipelineAudioSource: AudioSource {
  private let recipe: PipelineRunner.Recipe
  private let timeout: TimeSpan
  private let runner = Mutex<PipelineRunner?>(nil)

  /// A source that runs a pipeline.
  ///
  /// ```swift
  /// let tone = PipelineAudioSource("audiotestsrc is-live=true freq=440", name: "test tone")
  /// ```
  ///
  /// - Parameters:
  ///   - description: In the notation of `gst-launch-1.0`, up to the element that gives audio, raw or coded. It should
  ///     be live: audio is taken as it comes.
  ///   - name: The name in errors.
  ///   - channels: 1 or 2.
  ///   - timeout: The limit for starting.
  public convenience init(
    _ description: String, name: String = "pipeline", channels: Int = 1, timeout: TimeSpan = .seconds(10)
  ) {
    self.init(description, name: name, channels: channels, timeout: timeout, properties: [])
  }

  init(
    _ description: String, name: String, channels: Int, timeout: TimeSpan,
    properties: [(element: String, property: String, value: String)]
  ) {
    recipe = PipelineRunner.Recipe(
      description: "\(description) ! decodebin ! audioconvert ! audioresample "
        + "! audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=\(channels == 2 ? 2 : 1) "
        + "! appsink name=audio sync=false max-buffers=50 drop=true",
      name: name, properties: properties, isLive: true)
    self.timeout = timeout
  }

  deinit { stop() }

  /// Begins to deliver.
  ///
  /// ```swift
  /// let tone = PipelineAudioSource("audiotestsrc is-live=true freq=440")
  /// try tone.start { sound in print(sound.time) }
  /// ```
  public func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) {
    try start(sink) { _ in }
  }

  /// Begins to deliver, and reports when the pipeline has ended or failed.
  ///
  /// ```swift
  /// let tone = PipelineAudioSource("audiotestsrc is-live=true num-buffers=100")
  /// try tone.start { sound in print(sound.time) } onEnd: { error in print(error?.description ?? "It is over.") }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    stop()
    let started = try PipelineRunner(recipe, timeout: timeout, video: nil, audio: sink, onEnd: onEnd)
    runner.exchange(started)?.stop()
  }

  /// Stops; nothing is delivered afterwards.
  ///
  /// ```swift
  /// let tone = PipelineAudioSource("audiotestsrc is-live=true freq=440")
  /// try tone.start { sound in print(sound.time) }
  /// tone.stop()
  /// ```
  public func stop() { runner.exchange(nil)?.stop() }
}
