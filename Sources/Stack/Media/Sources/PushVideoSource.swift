/// Video that the app makes: each frame pushed goes to the track at once, on the pushing thread.
///
/// ```swift
/// let source = PushVideoSource()
/// try await meeting.local.publish(LocalVideoTrack(source))
/// source.push(frame)
/// ```
public final class PushVideoSource: VideoSource {
  private let slot = SinkSlot<VideoFrame>()

  /// A source without frames yet.
  ///
  /// ```swift
  /// let echo = PushVideoSource()
  /// video.add(ClosureVideoSink { frame in echo.push(frame) })
  /// ```
  public init() {}

  /// Passes a frame on. Dropped while the source is not started. Any thread; a second one waits for the first.
  ///
  /// ```swift
  /// let source = PushVideoSource()
  /// if !source.push(frame) { print("Nobody takes pictures now.") }
  /// ```
  ///
  /// - Returns: Whether the source has a receiver.
  @discardableResult public func push(_ frame: VideoFrame) -> Bool { slot.deliver(frame) }

  /// Begins to hand on what is pushed; never fails.
  ///
  /// ```swift
  /// let source = PushVideoSource()
  /// try source.start { frame in show(frame) }
  /// ```
  public func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) { slot.set(sink) }

  /// Drops what is pushed from now on.
  ///
  /// ```swift
  /// let source = PushVideoSource()
  /// try source.start { frame in show(frame) }
  /// source.stop()
  /// ```
  public func stop() { slot.set(nil) }
}
