/// Gives each 10 ms of sound to a closure, on the thread that delivers it.
///
///     let sink = ClosureAudioSink { frame in meter.add(frame.samples) }
public final class ClosureAudioSink: AudioSink {
  private let body: @Sendable (AudioFrame) -> Void

  /// A sink that calls `body` for each 10 ms. It must not block.
  public init(_ body: @escaping @Sendable (AudioFrame) -> Void) { self.body = body }

  /// Takes one frame.
  public func receive(_ frame: AudioFrame) { body(frame) }
}
