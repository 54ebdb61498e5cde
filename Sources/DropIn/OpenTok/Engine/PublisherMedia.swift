#if canImport(CoreVideo) && !os(Linux)
  import CoreMedia
  import CoreVideo
#endif
import Foundation
import Media
import Parley
import ParleyViews

/// The captured audio and video of a publisher: shown in its view at once, and handed to the meeting while it is
/// published.
final class PublisherMedia: Sendable {
  /// The video that a meeting publishes.
  let pictures = PushVideoSource()
  let sound = PushAudioSource()
  let hasVideo: Bool
  let hasAudio: Bool
  let audioOptions: AudioOptions
  let scalesScreen: Bool

  struct Transformers {
    var video: [OTVideoTransformer] = []
    var audio: [OTAudioTransformer] = []
  }

  struct Renderer {
    weak var render: (any OTVideoRender)?
  }

  let transformers = Guarded(Transformers())
  let renderer = Guarded(Renderer())
  /// Called on any thread when a capturer does not start.
  let onProblem = Guarded<(@Sendable (String) -> Void)?>(nil)
  /// Called on any thread with the size of the first frame, and with every other size.
  let onSize = Guarded<(@Sendable (CGSize) -> Void)?>(nil)

  private struct State {
    var capture: (any OTVideoCapture)?
    var source: (any VideoSource)?
    var consumer: FrameConsumer?
    var position = AVCaptureDevice.Position.front
    var surfaces: [any VideoSink] = []
    var preview: VideoSurface?
    /// Why the app's capturer gives no frames.
    var problem: String?
    /// The size of the latest frame.
    var pictureSize: CGSize?
    /// How many cameras there were when one was last opened.
    var cameraCount = 0
    /// Whether the test video stands in for a camera.
    var isTestPicture = false
    var isOver = false
    var level: UInt8 = AudioLevel.silence
  }

  private let state: Guarded<State>
  private let size: (width: Int, height: Int)
  private let rate: Int
  private let isKit: Bool
  /// Cameras are opened and closed here: that may take a while.
  private let queue = DispatchQueue(label: "opentok.capture")

  init(_ settings: OTPublisherKitSettings) {
    let camera = settings as? OTPublisherSettings
    hasVideo = settings.videoTrack
    hasAudio = settings.audioTrack
    scalesScreen = settings.scalableScreenshare
    audioOptions = AudioOptions(
      bitrate: DataRate(bitsPerSecond: Int64(settings.audioBitrate)), discontinuous: settings.enableOpusDtx)
    size = (camera?.cameraResolution ?? .medium).size
    rate = Int((camera?.cameraFrameRate ?? .rate30FPS).rawValue)
    isKit = camera == nil
    state = Guarded(State(capture: camera?.videoCapture))
  }

  /// Begins to capture video. Audio is captured while it is published.
  func begin(_ publisher: OTPublisherKit) {
    guard hasVideo else { return }
    queue.async { self.open() }
  }

  func end() {
    AudioHub.shared.removeConsumer(self)
    state.update { $0.isOver = true }
    queue.async { self.close() }
  }

  // MARK: Pictures

  var capture: (any OTVideoCapture)? { state.read { $0.capture } }

  /// The size of captured frames; nil before the first.
  var pictureSize: CGSize? { state.read { $0.pictureSize } }

  func setCapture(_ capture: (any OTVideoCapture)?) {
    let new = Carried(value: capture)
    state.update { if !hasVideo { $0.capture = new.value } }
    guard hasVideo else { return }
    queue.async {
      self.close()
      self.state.update { $0.capture = new.value }
      self.open()
    }
  }

  var cameraPosition: AVCaptureDevice.Position { state.read { $0.position } }
  /// Whether there is another camera than the one that is used.
  var canChangeCamera: Bool { state.read { $0.capture == nil && $0.cameraCount > 1 } }

  /// Shows every frame in the publisher's own view, too. It is mirrored, as with OpenTok, if it is that of the camera
  /// that looks at the person who holds the device; an app's own frames and the test video aren't.
  func show(inPreview surface: VideoSurface) {
    state.update { $0.preview = surface }
    show(in: surface)
    mirror()
  }

  private func mirror() {
    let (surface, isMirrored) = state.read {
      ($0.preview, $0.capture == nil && $0.position == .front && !$0.isTestPicture)
    }
    surface?.isMirrored = isMirrored
  }

  func setCameraPosition(_ position: AVCaptureDevice.Position, done: @escaping @Sendable () -> Void) {
    queue.async {
      guard self.state.read({ $0.capture == nil }), self.hasVideo else { return }
      self.close()
      self.state.update { $0.position = position }
      self.open()
      done()
    }
  }

  private func open() {
    guard state.read({ !$0.isOver && $0.source == nil && $0.consumer == nil }) else { return }
    state.update { ($0.isTestPicture, $0.problem) = (false, nil) }
    defer { mirror() }
    if let capture { return open(capture) }
    guard !isKit else { return }
    let sink: @Sendable (VideoFrame) -> Void = { [weak self] in self?.take($0) }
    let cameras = (try? MediaDevices.cameras()) ?? []
    state.cameraCount = cameras.count
    let index = cameraPosition == .back ? 1 : 0
    if !cameras.isEmpty {
      let source = CameraSource(
        cameras[index % cameras.count], width: size.width, height: size.height, framesPerSecond: rate)
      if (try? source.start(sink)) != nil { return state.update { $0.source = source } }
    }
    let source = TestPictureSource(width: size.width, height: size.height, framesPerSecond: min(rate, 25))
    guard (try? source.start(sink)) != nil else { return }
    state.update { ($0.source, $0.isTestPicture) = (source, true) }
  }

  private func open(_ capture: any OTVideoCapture) {
    let consumer = FrameConsumer { [weak self] in self?.take($0) }
    state.update { $0.consumer = consumer }
    capture.videoCaptureConsumer = consumer
    capture.initCapture()
    let format = OTVideoFormat()
    var (name, result) = ("captureSettings", capture.captureSettings(format))
    consumer.setDelay(milliseconds: format.estimatedCaptureDelay)
    if result >= 0 { (name, result) = ("start", capture.start()) }
    guard result < 0 else { return }
    let problem = "The capturer does not give pictures: its \(name) gave \(result), where 0 is expected."
    state.update { ($0.consumer, $0.problem) = (nil, problem) }
    capture.releaseCapture()
    capture.videoCaptureConsumer = nil
    onProblem.read({ $0 })?(problem)
  }

  /// Why the app's capturer gives no frames, once that is known; nil when it does. One that has failed is started once
  /// more.
  func captureProblem() async -> String? {
    guard hasVideo, capture != nil else { return nil }
    return await withCheckedContinuation { answer in
      queue.async {
        if self.state.read({ $0.problem != nil }) { self.open() }
        answer.resume(returning: self.state.read { $0.problem })
      }
    }
  }

  /// Whether sharp frames matter more than smooth motion: by the capturer's content hint, or otherwise by the kind of
  /// stream.
  func isSharp(_ kind: StreamKind) async -> Bool {
    let hint: OTVideoContentHint = await withCheckedContinuation { answer in
      queue.async { answer.resume(returning: self.capture?.videoContentHint ?? .none) }
    }
    return switch hint {
    case .none: kind == .screen
    case .motion: false
    case .detail, .text: true
    }
  }

  private func close() {
    let (source, capture, consumer) = state.update { state in
      defer { (state.source, state.consumer) = (nil, nil) }
      return (state.source, state.capture, state.consumer)
    }
    source?.stop()
    guard let capture, consumer != nil else { return }
    _ = capture.stop()
    capture.releaseCapture()
    capture.videoCaptureConsumer = nil
  }

  /// Shows every frame in `surface`, too.
  func show(in surface: any VideoSink) { state.update { $0.surfaces.append(surface) } }

  func hide(_ surface: any VideoSink) { state.update { $0.surfaces.removeAll { $0 === surface } } }

  private func take(_ frame: VideoFrame) {
    var picture = frame
    let changes = transformers.read { $0.video }
    let render = renderer.read { $0.render }
    if !changes.isEmpty {
      let changed = OTVideoFrame(frame)
      for change in changes { change.transformer.transform(changed) }
      picture = changed.picture(at: frame.time) ?? frame
    }
    render?.renderVideoFrame(OTVideoFrame(picture))
    let size = CGSize(width: picture.width, height: picture.height)
    let (surfaces, isNew) = state.update { state in
      defer { state.pictureSize = size }
      return (state.surfaces, state.pictureSize != size)
    }
    if isNew { onSize.read({ $0 })?(size) }
    for surface in surfaces { surface.receive(picture) }
    pictures.push(picture)
  }

  // MARK: Sound

  /// Begins to capture audio, for a publisher that is published now.
  func captureSound() {
    guard hasAudio else { return }
    AudioHub.shared.addConsumer(self) { [weak self] in self?.take($0) }
  }

  /// Why the app's audio device gives no audio, once that is known; nil when it does.
  func soundProblem() async -> String? { hasAudio ? await AudioHub.shared.captureProblem() : nil }

  func stopSound() { AudioHub.shared.removeConsumer(self) }

  private func take(_ frame: AudioFrame) {
    var frame = frame
    let changes = transformers.read { $0.audio }
    if !changes.isEmpty {
      let (channels, count) = (frame.channels, frame.samples.count / max(frame.channels, 1))
      frame.samples.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        let data = OTAudioData(base, rate: AudioFrame.sampleRate, channels: channels, count: count)
        for change in changes { change.transformer.transform(data) }
      }
    }
    let level = AudioLevel.measure(frame.samples)
    state.update { $0.level = level }
    sound.push(frame)
  }

  /// How loud it is, 0 to 1.
  var level: Float { Float(AudioLevel.amplitude(of: state.read { $0.level })) }
}

/// Takes the frames of a capturer of the app's own.
final class FrameConsumer: OTVideoCaptureConsumer, Sendable {
  private let body: @Sendable (VideoFrame) -> Void
  private let now: @Sendable () -> Instant
  private let clock = Guarded(FrameClock())

  init(
    now: @escaping @Sendable () -> Instant = { MonotonicClock.now }, _ body: @escaping @Sendable (VideoFrame) -> Void
  ) { (self.now, self.body) = (now, body) }

  /// The age of frames when they come. An invalid delay counts as none.
  func setDelay(milliseconds: Double) {
    guard (0...1_000).contains(milliseconds) else { return }
    clock.delay = TimeSpan(nanoseconds: Int64(milliseconds * 1_000_000))
  }

  private func time(_ timestamp: CMTime) -> Instant {
    let (stamp, now) = (timestamp.stamp, now())
    return clock.update { $0.time(of: stamp, now: now) }
  }

  func consumeFrame(_ frame: OTVideoFrame) {
    guard let picture = frame.picture(at: time(frame.timestamp)) else { return }
    body(picture)
  }

  func consumeImageBuffer(
    _ frame: CVImageBuffer, orientation: OTVideoOrientation, timestamp ts: CMTime, metadata: Data?
  ) -> Bool {
    guard metadata?.count ?? 0 <= OTVideoFrame.maximumMetadata, let picture = frame.picture(at: time(ts))
    else { return false }
    body(picture.rotated(orientation.rotation))
    return true
  }
}
