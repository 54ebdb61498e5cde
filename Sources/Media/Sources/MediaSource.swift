/// Where pictures come from: a test picture, a file, a camera, a screen, the app. A source calls its sink on a thread of its own, and
/// paces itself in real time.
public protocol VideoSource: AnyObject, Sendable {
  /// Begins to deliver. Called once, or again after ``stop()``.
  /// - Throws: ``MediaError`` when the file or device cannot be opened.
  func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError)
  /// As ``start(_:)``, and tells when the source has come to its end by itself: with nil when there is no more, or with what broke it
  /// off. `onEnd` is called at most once for a start, on any thread, and not because of ``stop()``. A source without an end need not
  /// implement it.
  func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError)
  /// Stops; when it returns, the sink is not called any more and threads and descriptors are given back. Harmless when not started.
  func stop()
}

/// Where sound comes from: a tone, a file, a microphone, the app. Delivers 10 ms at a time, in real time, on a thread of its own.
public protocol AudioSource: AnyObject, Sendable {
  /// Begins to deliver. Called once, or again after ``stop()``.
  /// - Throws: ``MediaError`` when the file or device cannot be opened.
  func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError)
  /// As ``start(_:)``, and tells when the source has come to its end by itself; see ``VideoSource/start(_:onEnd:)``.
  func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError)
  /// Stops; when it returns, the sink is not called any more and threads and descriptors are given back. Harmless when not started.
  func stop()
}

extension VideoSource {
  /// Starts a source that has no end.
  public func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try start(sink)
  }
}

extension AudioSource {
  /// Starts a source that has no end.
  public func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try start(sink)
  }
}
