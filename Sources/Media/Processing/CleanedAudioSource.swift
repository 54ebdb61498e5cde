/// A microphone whose sound is cleaned before anybody hears it.
///
///     let processor = try AudioProcessor()
///     let microphone = CleanedAudioSource(MicrophoneSource(), by: processor)
///     try meeting.playSound(to: EchoReferenceSink(SpeakerSink(), of: processor))
///     try await meeting.local.publish(LocalAudioTrack(microphone))
///
/// The echo of the speaker is removed when what is played passes an ``EchoReferenceSink`` of the same processor.
public final class CleanedAudioSource: AudioSource {
  private let source: any AudioSource
  private let processor: AudioProcessor

  /// Cleans what `source` gives.
  public init(_ source: any AudioSource, by processor: AudioProcessor) {
    self.source = source
    self.processor = processor
  }

  /// Begins to deliver.
  /// - Throws: What the source throws.
  public func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) {
    try start(sink) { _ in }
  }

  /// As ``start(_:)``, and tells when the source ends.
  public func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try source.start({ [processor] frame in sink(processor.capture(frame)) }, onEnd: onEnd)
  }

  /// Stops the source.
  public func stop() { source.stop() }
}

/// A speaker that lets an ``AudioProcessor`` know what it plays, so that the echo can be taken out of what a ``CleanedAudioSource`` hears.
public final class EchoReferenceSink: AudioSink {
  private let sink: any AudioSink
  private let processor: AudioProcessor

  /// Plays to `sink`.
  public init(_ sink: any AudioSink, of processor: AudioProcessor) {
    self.sink = sink
    self.processor = processor
  }

  /// Takes 10 ms of sound.
  public func receive(_ frame: AudioFrame) {
    processor.render(frame)
    sink.receive(frame)
  }
}
