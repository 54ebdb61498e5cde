import Dispatch
import Synchronization

/// One source for several receivers: a track that is published, and previews. Its input, such as a camera, can be
/// changed while it runs, and is open while somebody wants its frames. It is opened on a queue of its own, so that
/// nobody waits for a camera.
///
/// ```swift
/// let cameras = try MediaDevices.cameras()
/// let picture = SharedVideoSource(CameraSource(cameras.first))
/// picture.add(ClosureVideoSink { frame in show(frame) })  // the preview
/// try await meeting.local.publish(LocalVideoTrack(picture))
/// picture.use(CameraSource(cameras.last))  // the others see no break
/// ```
public final class SharedVideoSource: VideoSource {
  private struct State {
    var input: any VideoSource
    var opened: (any VideoSource)?
    /// Whether what is opened could not be, or has come to its end.
    var hasEnded = false
    /// Whether a track has begun since: a preview's end was reported to nobody.
    var opensAgain = false
    var sinks: [any VideoSink] = []
    var isStarted = false
    var onEnd: (@Sendable (MediaError?) -> Void)?
  }

  private let state: Mutex<State>
  private let track = SinkSlot<VideoFrame>()
  private let queue = DispatchQueue(label: "parley.shared-source")

  /// A source of the video of another.
  ///
  /// ```swift
  /// let picture = SharedVideoSource(TestPictureSource())
  /// ```
  public init(_ input: any VideoSource) { state = Mutex(State(input: input)) }

  deinit { state.withLock { $0.opened }?.stop() }

  /// Takes the frames of another input from now on.
  ///
  /// ```swift
  /// let picture = SharedVideoSource(CameraSource())
  /// picture.use(TestPictureSource())
  /// ```
  public func use(_ input: any VideoSource) {
    state.withLock { $0.input = input }
    update()
  }

  /// Shows every frame to `sink`, too.
  ///
  /// ```swift
  /// let picture = SharedVideoSource(CameraSource())
  /// picture.add(ClosureVideoSink { frame in show(frame) })
  /// ```
  public func add(_ sink: any VideoSink) {
    state.withLock { $0.sinks.append(sink) }
    update()
  }

  /// Shows no more frames to `sink`; a call under way may still be running.
  ///
  /// ```swift
  /// let picture = SharedVideoSource(CameraSource())
  /// let preview = ClosureVideoSink { frame in show(frame) }
  /// picture.add(preview)
  /// picture.remove(preview)
  /// ```
  public func remove(_ sink: any VideoSink) {
    state.withLock { $0.sinks.removeAll { $0 === sink } }
    update()
  }

  /// Delivers to a track. Returns at once; the other form's `onEnd` reports a failure to open.
  ///
  /// ```swift
  /// let picture = SharedVideoSource(TestPictureSource())
  /// try picture.start { frame in show(frame) }
  /// ```
  public func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) { try start(sink) { _ in } }

  /// As ``start(_:)``, and reports when the input cannot be opened or has ended.
  ///
  /// ```swift
  /// let picture = SharedVideoSource(CameraSource())
  /// try picture.start { frame in show(frame) } onEnd: { error in print(error?.description ?? "Unplugged.") }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    track.set(sink)
    state.withLock { state in
      state.isStarted = true
      state.opensAgain = state.hasEnded
      state.onEnd = onEnd
    }
    update()
  }

  /// Delivers to no track any more; previews go on.
  ///
  /// ```swift
  /// let picture = SharedVideoSource(TestPictureSource())
  /// try picture.start { frame in show(frame) }
  /// picture.stop()
  /// ```
  public func stop() {
    track.set(nil)
    state.withLock { state in
      state.isStarted = false
      state.onEnd = nil
    }
    update()
  }

  /// Opens what is wanted and closes what is not, one after the other.
  private func update() { queue.async { [weak self] in self?.arrange() } }

  private func arrange() {
    let (old, new) = state.withLock { state -> ((any VideoSource)?, (any VideoSource)?) in
      let wanted = state.isStarted || !state.sinks.isEmpty ? state.input : nil
      guard state.opened !== wanted || state.opensAgain else { return (nil, nil) }
      (state.hasEnded, state.opensAgain) = (false, false)
      let old = state.opened
      state.opened = wanted
      return (old, wanted)
    }
    old?.stop()
    guard let new else { return }
    do throws(MediaError) {
      try new.start({ [weak self] frame in self?.deliver(frame) }, onEnd: { [weak self] in self?.ended(new, $0) })
    } catch { ended(new, error) }
  }

  private func deliver(_ frame: VideoFrame) {
    track.deliver(frame)
    for sink in state.withLock({ $0.sinks }) { sink.receive(frame) }
  }

  private func ended(_ input: any VideoSource, _ error: MediaError?) {
    let tell = state.withLock { state -> (@Sendable (MediaError?) -> Void)? in
      guard state.opened === input else { return nil }
      state.hasEnded = true
      return state.onEnd
    }
    tell?(error)
  }
}
