import Synchronization

/// Pictures that the app makes: each frame pushed goes to the track at once, on the pushing thread.
///
///     let source = PushVideoSource()
///     source.push(VideoFrame(width: 640, height: 360, time: MonotonicClock.now) { y, u, v in … })
public final class PushVideoSource: VideoSource {
  private let sink = Mutex<(@Sendable (VideoFrame) -> Void)?>(nil)

  /// A source without pictures yet.
  public init() {}

  /// Hands a picture on. Dropped while the source is not started. Any thread, but one at a time.
  /// - Returns: Whether somebody took it.
  @discardableResult public func push(_ frame: VideoFrame) -> Bool {
    // The lock is held during the call, so that none is under way once `stop` has returned.
    sink.withLock { sink in
      sink?(frame)
      return sink != nil
    }
  }

  public func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) {
    self.sink.withLock { $0 = sink }
  }

  public func stop() { sink.withLock { $0 = nil } }
}
