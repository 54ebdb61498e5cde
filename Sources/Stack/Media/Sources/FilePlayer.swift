import Basics
import Synchronization

/// The one pipeline behind both tracks of a file: it runs while either is started.
final class FilePlayer: Sendable {
  private struct State {
    var runner: PipelineRunner?
    var video: (@Sendable (VideoFrame) -> Void)?
    var audio: (@Sendable (AudioFrame) -> Void)?
    /// Called at the end, besides the closure of the file's opener.
    var onVideoEnd: (@Sendable (MediaError?) -> Void)?
    var onAudioEnd: (@Sendable (MediaError?) -> Void)?
  }

  private let recipe: PipelineRunner.Recipe
  private let timeout: TimeSpan
  private let onEnd: @Sendable (MediaError?) -> Void
  private let state = Mutex(State())

  init(
    location: String, uri: String, hasVideo: Bool, hasAudio: Bool, loops: Bool, timeout: TimeSpan,
    onEnd: @escaping @Sendable (MediaError?) -> Void
  ) {
    var description = "uridecodebin name=file"
    if hasVideo {
      // Phones record lying down and say so in a tag.
      description +=
        "  file. ! queue ! videoconvert ! videoflip method=automatic ! videoscale "
        + "! video/x-raw,format=I420,pixel-aspect-ratio=1/1 ! appsink name=video sync=true max-buffers=2"
    }
    if hasAudio {
      description +=
        "  file. ! queue ! audioconvert ! audioresample "
        + "! audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=2 ! appsink name=audio sync=true max-buffers=8"
    }
    recipe = PipelineRunner.Recipe(
      description: description, name: location, properties: [("file", "uri", uri)], loops: loops)
    self.timeout = timeout
    self.onEnd = onEnd
  }

  func start(
    video: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try start {
      $0.video = video
      $0.onVideoEnd = onEnd
    }
  }

  func start(
    audio: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try start {
      $0.audio = audio
      $0.onAudioEnd = onEnd
    }
  }

  private func ended(_ error: MediaError?) {
    let (video, audio) = state.withLock { ($0.onVideoEnd, $0.onAudioEnd) }
    video?(error)
    audio?(error)
    onEnd(error)
  }

  private func start(_ change: (inout State) -> Void) throws(MediaError) {
    // The lock is held while the pipeline starts, so that two tracks started at once share one.
    let result = state.withLock { state -> Result<Void, MediaError> in
      change(&state)
      if let runner = state.runner {
        runner.setVideoSink(state.video)
        runner.setAudioSink(state.audio)
        return .success(())
      }
      do throws(MediaError) {
        state.runner = try PipelineRunner(
          recipe, timeout: timeout, video: state.video, audio: state.audio,
          onEnd: { [weak self] error in self?.ended(error) })
        return .success(())
      } catch {
        state = State()
        return .failure(error)
      }
    }
    try result.get()
  }

  func stop() { stop { $0 = State() } }
  func stopVideo() {
    stop {
      $0.video = nil
      $0.onVideoEnd = nil
    }
  }
  func stopAudio() {
    stop {
      $0.audio = nil
      $0.onAudioEnd = nil
    }
  }

  private func stop(_ change: (inout State) -> Void) {
    let idle = state.withLock { state -> PipelineRunner? in
      let runner = state.runner
      change(&state)
      runner?.setVideoSink(state.video)
      runner?.setAudioSink(state.audio)
      if state.video != nil || state.audio != nil { return nil }
      state.runner = nil
      return runner
    }
    idle?.stop()
  }
}

/// The video of a file, as a source.
final class FileVideo: VideoSource {
  private let player: FilePlayer
  init(_ player: FilePlayer) { self.player = player }
  deinit { player.stopVideo() }
  func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) { try start(sink) { _ in } }
  func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try player.start(video: sink, onEnd: onEnd)
  }
  func stop() { player.stopVideo() }
}

/// The audio of a file, as a source.
final class FileAudio: AudioSource {
  private let player: FilePlayer
  init(_ player: FilePlayer) { self.player = player }
  deinit { player.stopAudio() }
  func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) { try start(sink) { _ in } }
  func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    try player.start(audio: sink, onEnd: onEnd)
  }
  func stop() { player.stopAudio() }
}
