/// A microphone whose audio is cleaned before anybody hears it.
///
/// The echo of the speaker is removed when played audio passes an ``EchoReferenceSink`` of the same processor.
///
/// ```swift
/// let processor = try AudioProcessor()
/// meeting.playSound(to: EchoReferenceSink(try SpeakerSink(), of: processor))
/// try await meeting.local.publish(LocalAudioTrack(CleanedAudioSource(MicrophoneSource(), by: processor)))
/// ```
public final class CleanedAudioSource: AudioSource {
  private let source: any AudioSource
  private let processor: AudioProcessor

  /// Cleans what `source` gives.
  ///
  /// ```swift
  /// let microphone = CleanedAudioSource(MicrophoneSource(), by: processor)
  /// ```
  public init(_ source: any AudioSource, by processor: AudioProcessor) {
    self.source = source
    self.processor = processor
  }

  /// ```swift
  /// let microphone = CleanedAudioSource(MicrophoneSource(), by: processor)
  /// try microphone.start { sound in print(sound.samples.max() ?? 0) }
  /// ```
  ///
  /// - Throws: The errors of the microphone.
  public func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) {
    try start(sink) { _ in }
  }

  /// As ``start(_:)``, and reports the end of the source.
  ///
  /// ```swift
  /// let microphone = CleanedAudioSource(MicrophoneSource(), by: processor)
  /// try microphone.start { sound in print(sound.time) } onEnd: { error in print(error?.description ?? "It is over.") }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try source.start({ [processor] frame in sink(processor.capture(frame)) }, onEnd: onEnd)
  }

  /// Stops the source.
  ///
  /// ```swift
  /// let microphone = CleanedAudioSource(MicrophoneSource(), by: processor)
  /// try microphone.start { sound in print(sound.time) }
  /// microphone.stop()
  /// ```
  public func stop() { source.stop() }
}

/// A speaker that lets an ``AudioProcessor`` know what it plays, so that the echo can be taken out of what a
/// ``CleanedAudioSource`` hears.
///
/// ```swift
/// meeting.playSound(to: EchoReferenceSink(try SpeakerSink(), of: processor))
/// ```
public final class EchoReferenceSink: AudioSink {
  private let sink: any AudioSink
  private let processor: AudioProcessor

  /// Plays to `sink`.
  ///
  /// ```swift
  /// let speaker = EchoReferenceSink(try SpeakerSink(), of: processor)
  /// ```
  public init(_ sink: any AudioSink, of processor: AudioProcessor) {
    self.sink = sink
    self.processor = processor
  }

  /// Passes 10 ms to the sink, after the processor has seen them.
  ///
  /// ```swift
  /// let speaker = EchoReferenceSink(try SpeakerSink(), of: processor)
  /// speaker.receive(sound)
  /// ```
  public func receive(_ frame: AudioFrame) {
    processor.render(frame)
    sink.receive(frame)
  }
}
