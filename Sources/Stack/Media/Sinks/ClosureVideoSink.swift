/// Gives each frame to a closure, on the thread that delivers it.
///
/// ```swift
/// video.add(ClosureVideoSink { frame in print(frame.width, frame.height) })
/// ```
public final class ClosureVideoSink: VideoSink {
  private let body: @Sendable (VideoFrame) -> Void

  /// A sink that calls `body` for each frame. Return soon, or frames are dropped.
  ///
  /// ```swift
  /// let sink = ClosureVideoSink { frame in show(frame) }
  /// ```
  public init(_ body: @escaping @Sendable (VideoFrame) -> Void) { self.body = body }

  /// Takes one frame.
  ///
  /// ```swift
  /// let sink = ClosureVideoSink { frame in show(frame) }
  /// sink.receive(frame)
  /// ```
  public func receive(_ frame: VideoFrame) { body(frame) }
}
