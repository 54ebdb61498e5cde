/// Pictures that the app makes: each frame pushed goes to the track at once, on the pushing thread.
///
///     let source = PushVideoSource()
///     source.push(VideoFrame(width: 640, height: 360, time: MonotonicClock.now) { y, u, v in … })
public final class PushVideoSource: VideoSource {
  private let slot = SinkSlot<VideoFrame>()

  /// A source without pictures yet.
  public init() {}

  /// Hands a picture on. Dropped while the source is not started. Any thread; a second one waits for the first.
  /// - Returns: Whether somebody took it.
  @discardableResult public func push(_ frame: VideoFrame) -> Bool { slot.deliver(frame) }

  /// Begins to hand on what is pushed; never fails.
  public func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) { slot.set(sink) }

  /// Drops what is pushed from now on.
  public func stop() { slot.set(nil) }
}
