/// Gives each 10 ms of audio to a closure, on the thread that delivers it.
///
/// ```swift
/// audio.add(ClosureAudioSink { sound in print(sound.samples.map(\.magnitude).max() ?? 0) })
/// ```
public final class ClosureAudioSink: AudioSink {
  private let body: @Sendable (AudioFrame) -> Void

  /// A sink that calls `body` for each 10 ms. It must not block.
  ///
  /// ```swift
  /// let source = PushAudioSource()
  /// let sink = ClosureAudioSink { sound in source.push(sound) }
  /// ```
  public init(_ body: @escaping @Sendable (AudioFrame) -> Void) { self.body = body }

  /// Takes one frame.
  ///
  /// ```swift
  /// let sink = ClosureAudioSink { sound in print(sound.time) }
  /// sink.receive(sound)
  /// ```
  public func receive(_ frame: AudioFrame) { body(frame) }
}
