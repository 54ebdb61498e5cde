import Basics
import CGStreamer
import Synchronization

/// A running GStreamer pipeline with an appsink `video`, an appsink `audio`, or both, and the threads that take video
/// and audio out.
///
/// The pipeline runs on the monotonic system clock, so both carry instants of ``MonotonicClock`` that belong together.
// unchecked: the C pointers are set by the initialiser and freed by the deinitialiser; GStreamer locks what is behind
// them.
final class PipelineRunner: @unchecked Sendable {
  /// A pipeline to run, in the notation of `gst-launch-1.0`.
  struct Recipe {
    /// In the notation of gst-launch.
    var description: String
    /// The name in errors.
    var name: String
    /// Texts for properties of elements: paths and names of devices.
    var properties: [(element: String, property: String, value: String)] = []
    /// Whether to start again at the end.
    var loops = false
    /// Whether audio comes at its own pace; otherwise it is handed out 10 ms at a time.
    var isLive = false
  }

  private let pipeline: OpaquePointer
  private let recipe: Recipe
  private let videoPort: OpaquePointer?
  private let audioPort: OpaquePointer?
  private let signal = StopSignal()
  private let threads = Mutex<[MediaThread]>([])
  private let videoSink: SinkSlot<VideoFrame>
  private let audioSink: SinkSlot<AudioFrame>
  private let onEnd: @Sendable (MediaError?) -> Void
  /// Whether a video or audio frame has come out of it.
  private let hasPlayed = Atomic(false)

  /// How long a pull or a look at the bus sleeps before it asks whether to stop.
  private static let patience: UInt64 = 100_000_000

  /// Builds and starts it, and waits until it plays or is known not to.
  /// - Parameter onEnd: Called once, on a thread of the runner, when the medium has ended (not when it loops) or
  ///   failed.
  init(
    _ recipe: Recipe, timeout: TimeSpan, video: (@Sendable (VideoFrame) -> Void)?,
    audio: (@Sendable (AudioFrame) -> Void)?, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try GStreamer.load()
    let (built, problem) = GStreamer.withMessage { parley_pipeline_create(recipe.description, $0, $1) }
    guard let built else {
      throw GStreamer.cannotBuild(
        recipe.name, problem,
        packages: "gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-pipewire")
    }
    pipeline = built
    self.recipe = recipe
    self.onEnd = onEnd
    for item in recipe.properties { parley_pipeline_set(built, item.element, item.property, item.value) }
    videoPort = parley_pipeline_port(built, "video")
    audioPort = parley_pipeline_port(built, "audio")
    videoSink = SinkSlot(video)
    audioSink = SinkSlot(audio)
    do {
      try waitUntilPlaying(timeout)
      try startThreads()
    } catch {
      stop()
      throw error
    }
  }

  deinit { parley_pipeline_destroy(pipeline) }

  /// Replaces the receiver of video from now on.
  func setVideoSink(_ sink: (@Sendable (VideoFrame) -> Void)?) { videoSink.set(sink) }
  /// Replaces the receiver of audio from now on.
  func setAudioSink(_ sink: (@Sendable (AudioFrame) -> Void)?) { audioSink.set(sink) }

  /// Stops and waits for the threads; from one of them, it only makes the call under way the last. Harmless when
  /// repeated.
  func stop() {
    signal.raise()
    parley_pipeline_stop(pipeline)
    let running = threads.withLock { threads in
      let all = threads
      threads = []
      return all
    }
    for thread in running { thread.join() }
  }

  private func waitUntilPlaying(_ timeout: TimeSpan) throws(MediaError) {
    let (started, problem) = GStreamer.withMessage { parley_pipeline_play(pipeline, $0, $1) }
    guard started == 0 else { throw failure(problem) }
    let limit = MonotonicClock.now + timeout
    while MonotonicClock.now < limit {
      let (event, problem) = GStreamer.withMessage { parley_pipeline_poll(pipeline, 50_000_000, $0, $1) }
      switch UInt32(event) {
      case PARLEY_PLAYING.rawValue, PARLEY_ENDED.rawValue: return
      case PARLEY_FAILED.rawValue: throw failure(problem)
      default: break
      }
    }
    throw failure("nothing came within \(timeout.milliseconds) ms.")
  }

  private func failure(_ reason: String) -> MediaError {
    recipe.isLive
      ? .deviceUnavailable(recipe.name, reason: reason) : .cannotOpen(recipe.name, reason: reason)
  }

  private func startThreads() throws(MediaError) {
    if let videoPort {
      let thread = try MediaThread(name: "media video") { [self, port = Port(videoPort)] in takePictures(port) }
      threads.withLock { $0.append(thread) }
    }
    if let audioPort {
      let thread = try MediaThread(name: "media audio") { [self, port = Port(audioPort)] in takeSound(port) }
      threads.withLock { $0.append(thread) }
    }
    let thread = try MediaThread(name: "media control") { [self] in control() }
    threads.withLock { $0.append(thread) }
  }

  /// A C pointer that may pass to a thread.
  // unchecked: appsinks lock themselves.
  private struct Port: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
  }

  // MARK: Threads

  private func control() {
    var begun = MonotonicClock.now
    while !signal.isRaised {
      let (event, problem) = GStreamer.withMessage { parley_pipeline_poll(pipeline, Self.patience, $0, $1) }
      if signal.isRaised { return }
      if event == PARLEY_FAILED.rawValue {
        onEnd(failure(problem))
        return
      }
      guard event == PARLEY_ENDED.rawValue else { continue }
      if !hasPlayed.load(ordering: .relaxed) {
        // The last sample may be on its way out still.
        guard signal.sleep(until: MonotonicClock.now + .milliseconds(200)) else { return }
        guard hasPlayed.load(ordering: .relaxed) else {
          onEnd(.notMedia(recipe.name, reason: "it ends before the first picture or sound; it may be cut off."))
          return
        }
      }
      guard recipe.loops else {
        onEnd(nil)
        return
      }
      // A still picture lasts no time at all; starting it again without a pause would be all this machine does.
      guard signal.sleep(until: begun + .milliseconds(200)) else { return }
      begun = MonotonicClock.now
      if parley_pipeline_rewind(pipeline) != 0 {
        onEnd(.cannotOpen(recipe.name, reason: "it has ended, and it cannot be played from the beginning again."))
        return
      }
    }
  }

  private func takePictures(_ port: Port) {
    while !signal.isRaised {
      var sample = parley_sample()
      guard take(port, &sample) else { continue }
      if let frame = VideoFrame(sample) {
        videoSink.deliver(frame)
      }
      parley_sample_release(&sample)
    }
  }

  private func takeSound(_ port: Port) {
    var slicer = AudioSlicer()
    while !signal.isRaised {
      var sample = parley_sample()
      guard take(port, &sample) else { continue }
      let channels = Int(sample.channels)
      if channels == 1 || channels == 2, let data = sample.data {
        let time = sample.time < 0 ? MonotonicClock.now : Instant(nanoseconds: sample.time)
        // The caps ask for native 16-bit samples, and buffers begin aligned.
        let count = Int(sample.size) / 2
        data.withMemoryRebound(to: Int16.self, capacity: count) {
          slicer.append(UnsafeBufferPointer(start: $0, count: count), channels: channels, time: time)
        }
      }
      parley_sample_release(&sample)
      while let frame = slicer.next() {
        // A file's decoder gives a tenth of a second at once; a track wants an even flow.
        if !recipe.isLive, !signal.sleep(until: frame.time) { return }
        if signal.isRaised { return }
        audioSink.deliver(frame)
      }
    }
  }

  /// False when there is nothing to take now.
  private func take(_ port: Port, _ sample: inout parley_sample) -> Bool {
    let result = parley_port_pull(pipeline, port.pointer, Self.patience, &sample)
    // At the end of the stream pulling returns at once, and it may go on after a rewind.
    if result < 0 { _ = signal.sleep(until: MonotonicClock.now + .milliseconds(20)) }
    if result > 0 { hasPlayed.store(true, ordering: .relaxed) }
    return result > 0
  }
}

extension VideoFrame {
  /// Copies a frame that GStreamer lends, in the default layout of its I420: rows are padded to 4 bytes.
  convenience init?(_ sample: parley_sample) {
    let (width, height) = (Int(sample.width), Int(sample.height))
    guard (1...Self.maximumDimension).contains(width), (1...Self.maximumDimension).contains(height),
      let data = sample.data
    else { return nil }
    let yRow = (width + 3) & ~3
    let uvRow = ((width + 1) / 2 + 3) & ~3
    let rows = (height + 1) & ~1
    guard Int(sample.size) >= yRow * rows + uvRow * rows else { return nil }
    let time = sample.time < 0 ? MonotonicClock.now : Instant(nanoseconds: sample.time)
    self.init(width: width, height: height, time: time) { y, u, v in
      let yStride = (width + 15) & ~15
      let uvStride = ((width + 1) / 2 + 15) & ~15
      Self.copyRows(from: data, row: yRow, to: y.baseAddress, stride: yStride, width: width, height: height)
      let uvWidth = (width + 1) / 2
      let uvHeight = (height + 1) / 2
      let uData = data + yRow * rows
      Self.copyRows(from: uData, row: uvRow, to: u.baseAddress, stride: uvStride, width: uvWidth, height: uvHeight)
      let vData = uData + uvRow * rows / 2
      Self.copyRows(from: vData, row: uvRow, to: v.baseAddress, stride: uvStride, width: uvWidth, height: uvHeight)
    }
  }

  private static func copyRows(
    from source: UnsafePointer<UInt8>, row: Int, to target: UnsafeMutablePointer<UInt8>?, stride: Int, width: Int,
    height: Int
  ) {
    guard let target else { return }
    for line in 0..<height { (target + line * stride).update(from: source + line * row, count: width) }
  }
}
