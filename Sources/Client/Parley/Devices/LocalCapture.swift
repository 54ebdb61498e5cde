import Dispatch
package import Media
import Synchronization

/// The audio and video that this client captures for one stream: shown in its own views at once, and handed to a
/// meeting while it is published.
///
/// Video comes from an app's ``VideoCapturer``, otherwise from a camera, and from a test video where there is none.
/// Audio comes from the ``AudioHub``.
package final class LocalCapture: Sendable {
  package struct Options: Sendable {
    package var capturesAudio = true
    package var capturesVideo = true
    package var audio = AudioOptions()
    /// Whether a camera is used without a capturer.
    package var usesCamera = true
    /// The size and rate of a camera's frames.
    package var size = FrameSize(width: 640, height: 480)
    package var framesPerSecond = 30
    /// Whether a screen is sent in several sizes.
    package var screenSimulcast = false

    package init() {}
  }

  /// The size of a frame, in pixels.
  package struct FrameSize: Hashable, Sendable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
  }

  /// The calls to the app, on any thread.
  package struct Hooks: Sendable {
    /// The app's own changes of each frame, before it is shown and sent.
    package var processVideo: (@Sendable (VideoFrame) -> VideoFrame)?
    /// The app's own changes of 10 ms of audio, before they are sent.
    package var processAudio: (@Sendable (inout AudioFrame) -> Void)?
    /// A capturer did not start, and why.
    package var onProblem: (@Sendable (String) -> Void)?
    /// The size of the first frame, and every other size.
    package var onSize: (@Sendable (FrameSize) -> Void)?
    /// Whether the client's own view shows the frames mirrored.
    package var onMirroring: (@Sendable (Bool) -> Void)?

    package init() {}
  }

  private struct State {
    var hooks = Hooks()
    var capturer: (any VideoCapturer)?
    /// The source that runs: the capturer, a camera or the test video.
    var source: (any VideoSource)?
    var position = CameraPosition.front
    var sinks: [any VideoSink] = []
    /// Why the capturer gives no frames.
    var problem: String?
    /// The size of the latest frame.
    var frameSize: FrameSize?
    /// How many cameras there were when one was last opened.
    var cameraCount = 0
    /// Whether the test video stands in for a camera.
    var isTestPicture = false
    var isOver = false
    var level: UInt8 = AudioLevel.silence
  }

  package let options: Options
  /// The tracks' sources while they are published.
  let video = PushVideoSource()
  let audio = PushAudioSource()
  private let state: Mutex<State>
  /// Cameras are opened and closed here: that may take a while.
  private let queue = DispatchQueue(label: "parley.capture")

  package init(_ options: Options, capturer: (any VideoCapturer)?) {
    self.options = options
    state = Mutex(State(capturer: capturer))
  }

  package func changeHooks(_ body: (inout Hooks) -> Void) { state.withLock { body(&$0.hooks) } }

  /// Begins to capture video. Audio is captured while it is published.
  package func start() {
    guard options.capturesVideo else { return }
    queue.async { self.open() }
  }

  package func end() {
    AudioHub.shared.removeConsumer(self)
    state.withLock { $0.isOver = true }
    queue.async { self.close() }
  }

  // MARK: Video

  package var capturer: (any VideoCapturer)? { state.withLock { $0.capturer } }

  /// The size of captured frames; nil before the first.
  package var frameSize: FrameSize? { state.withLock { $0.frameSize } }

  /// Replaces the source of the video; nil takes the camera.
  package func setCapturer(_ capturer: (any VideoCapturer)?) {
    guard options.capturesVideo else { return state.withLock { $0.capturer = capturer } }
    queue.async {
      self.close()
      self.state.withLock { $0.capturer = capturer }
      self.open()
    }
  }

  package var cameraPosition: CameraPosition { state.withLock { $0.position } }
  /// Whether there is another camera than the one that is used.
  package var canChangeCamera: Bool { state.withLock { $0.capturer == nil && $0.cameraCount > 1 } }

  /// Takes another camera, if there are two, and calls `done`. Without effect on a capturer.
  package func setCameraPosition(_ position: CameraPosition, done: @escaping @Sendable () -> Void) {
    queue.async {
      guard self.capturer == nil, self.options.capturesVideo else { return }
      self.close()
      self.state.withLock { $0.position = position }
      self.open()
      done()
    }
  }

  /// Shows every frame in the client's own view, too.
  ///
  /// - Parameter onMirroring: Gets whether the view mirrors, at once and after changes. It does if the frames are those
  ///   of the camera that looks at the person who holds the device; a capturer's frames and the test video aren't.
  package func addPreview(_ sink: any VideoSink, onMirroring: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.hooks.onMirroring = onMirroring }
    add(sink)
    updateMirroring()
  }

  private func updateMirroring() {
    let (report, isMirrored) = state.withLock {
      ($0.hooks.onMirroring, $0.capturer == nil && $0.position == .front && !$0.isTestPicture)
    }
    report?(isMirrored)
  }

  private func open() {
    guard state.withLock({ !$0.isOver && $0.source == nil }) else { return }
    state.withLock { ($0.isTestPicture, $0.problem) = (false, nil) }
    defer { updateMirroring() }
    if let capturer { return open(capturer) }
    guard options.usesCamera else { return }
    let sink: @Sendable (VideoFrame) -> Void = { [weak self] in self?.deliver($0) }
    let cameras = (try? MediaDevices.cameras()) ?? []
    state.withLock { $0.cameraCount = cameras.count }
    let (size, rate) = (options.size, options.framesPerSecond)
    let index = cameraPosition == .back ? 1 : 0
    if !cameras.isEmpty {
      let source = CameraSource(
        cameras[index % cameras.count], width: size.width, height: size.height, framesPerSecond: rate)
      if (try? source.start(sink)) != nil { return state.withLock { $0.source = source } }
    }
    let source = TestPictureSource(width: size.width, height: size.height, framesPerSecond: min(rate, 25))
    guard (try? source.start(sink)) != nil else { return }
    state.withLock { ($0.source, $0.isTestPicture) = (source, true) }
  }

  private func open(_ capturer: any VideoCapturer) {
    state.withLock { $0.source = capturer }
    do throws(MediaError) {
      try capturer.start { [weak self] in self?.deliver($0) }
    } catch {
      let problem = error.description
      let report = state.withLock { state in
        (state.source, state.problem) = (nil, problem)
        return state.hooks.onProblem
      }
      report?(problem)
    }
  }

  /// Why the capturer gives no frames, once that is known; nil when it does. One that has failed is started once more.
  package func videoProblem() async -> String? {
    guard options.capturesVideo, capturer != nil else { return nil }
    return await withCheckedContinuation { answer in
      queue.async {
        if self.state.withLock({ $0.problem != nil }) { self.open() }
        answer.resume(returning: self.state.withLock { $0.problem })
      }
    }
  }

  /// Whether sharp frames matter more than smooth motion: by the capturer, or otherwise by the kind of stream.
  func prefersDetail(isScreen: Bool) async -> Bool {
    let preference: Bool? = await withCheckedContinuation { answer in
      queue.async { answer.resume(returning: self.capturer?.prefersDetail) }
    }
    return preference ?? isScreen
  }

  private func close() {
    let source = state.withLock { state in
      defer { state.source = nil }
      return state.source
    }
    source?.stop()
  }

  /// Shows every frame in `sink`, too.
  package func add(_ sink: any VideoSink) { state.withLock { $0.sinks.append(sink) } }

  package func remove(_ sink: any VideoSink) { state.withLock { $0.sinks.removeAll { $0 === sink } } }

  private func deliver(_ captured: VideoFrame) {
    let frame = state.withLock { $0.hooks.processVideo }?(captured) ?? captured
    let size = FrameSize(width: frame.width, height: frame.height)
    let (sinks, report) = state.withLock { state in
      defer { state.frameSize = size }
      return (state.sinks, state.frameSize == size ? nil : state.hooks.onSize)
    }
    report?(size)
    for sink in sinks { sink.receive(frame) }
    video.push(frame)
  }

  // MARK: Audio

  /// Begins to capture audio, for a stream that is published now.
  package func startAudio() {
    guard options.capturesAudio else { return }
    AudioHub.shared.addConsumer(self) { [weak self] in self?.deliver($0) }
  }

  /// Why the app's audio device gives no audio, once that is known; nil when it does.
  package func audioProblem() async -> String? { options.capturesAudio ? await AudioHub.shared.captureProblem() : nil }

  package func stopAudio() { AudioHub.shared.removeConsumer(self) }

  private func deliver(_ captured: AudioFrame) {
    var frame = captured
    state.withLock { $0.hooks.processAudio }?(&frame)
    let level = AudioLevel.measure(frame.samples)
    state.withLock { $0.level = level }
    audio.push(frame)
  }

  /// How loud the audio is, 0 to 1.
  package var audioLevel: Float { Float(AudioLevel.amplitude(of: state.withLock { $0.level })) }
}
