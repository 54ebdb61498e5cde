/// A source of video: a test video, a file, a camera, a screen, the app. It calls its sink on a thread of its own, and
/// paces itself in real time.
///
/// ```swift
/// final class Slides: VideoSource {
///   let pictures = PushVideoSource()
///   func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) { try pictures.start(sink) }
///   func stop() { pictures.stop() }
/// }
/// try await meeting.local.publish(LocalVideoTrack(Slides()), as: .screen)
/// ```
public protocol VideoSource: AnyObject, Sendable {
  /// Begins to deliver. Called once, or again after ``stop()``.
  ///
  /// ```swift
  /// let source: any VideoSource = TestPictureSource()
  /// try source.start { frame in show(frame) }
  /// ```
  ///
  /// - Throws: ``MediaError`` when the file or device cannot be opened.
  func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError)

  /// As ``start(_:)``, and reports when the source has ended by itself: with nil at the regular end, or with the error.
  /// `onEnd` is called at most once for a start, on any thread, and not because of ``stop()``. A source without an end
  /// need not implement it.
  ///
  /// ```swift
  /// let source: any VideoSource = CameraSource()
  /// try source.start { frame in show(frame) } onEnd: { error in print(error?.description ?? "It is over.") }
  /// ```
  func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError)

  /// Stops; when it returns, the sink is not called any more and threads and descriptors are given back. Harmless when
  /// not started.
  ///
  /// ```swift
  /// let source: any VideoSource = TestPictureSource()
  /// try source.start { frame in show(frame) }
  /// source.stop()
  /// ```
  func stop()
}

/// A source of audio: a tone, a file, a microphone, the app. Delivers 10 ms at a time, in real time, on a thread of its
/// own.
///
/// ```swift
/// final class Announcements: AudioSource {
///   let sound = PushAudioSource()
///   func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) { try sound.start(sink) }
///   func stop() { sound.stop() }
/// }
/// try await meeting.local.publish(LocalAudioTrack(Announcements()))
/// ```
public protocol AudioSource: AnyObject, Sendable {
  /// Begins to deliver. Called once, or again after ``stop()``.
  ///
  /// ```swift
  /// let source: any AudioSource = ToneSource()
  /// try source.start { sound in print(sound.time) }
  /// ```
  ///
  /// - Throws: ``MediaError`` when the file or device cannot be opened.
  func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError)

  /// As ``start(_:)``, and reports when the source has ended by itself; see ``VideoSource/start(_:onEnd:)``.
  ///
  /// ```swift
  /// let source: any AudioSource = MicrophoneSource()
  /// try source.start { sound in print(sound.time) } onEnd: { error in print(error?.description ?? "It is over.") }
  /// ```
  func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError)

  /// Stops; when it returns, the sink is not called any more and threads and descriptors are given back. Harmless when
  /// not started.
  ///
  /// ```swift
  /// let source: any AudioSource = ToneSource()
  /// try source.start { sound in print(sound.time) }
  /// source.stop()
  /// ```
  func stop()
}

extension VideoSource {
  /// Starts a source that has no end.
  ///
  /// ```swift
  /// try TestPictureSource().start { frame in show(frame) } onEnd: { _ in }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try start(sink)
  }
}

extension AudioSource {
  /// Starts a source that has no end.
  ///
  /// ```swift
  /// try ToneSource().start { sound in print(sound.time) } onEnd: { _ in }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try start(sink)
  }
}
