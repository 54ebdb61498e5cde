import Parley
import Synchronization

/// The file of one track, opened once the first frame has given its size.
final class TrackFile: VideoSink, AudioSink {
  private struct State {
    var pictures: RecordedPictures
    var sink: FileSink?
    var start: Instant?
    var error: MediaError?
    var isOver = false
  }

  let path: String
  private let kind: MediaKind
  private let onFailure: @Sendable (MediaError) -> Void
  private let state: Mutex<State>
  private let hasFailed = Atomic(false)

  /// A file of one kind of media; `onFailure` is called with the first error. Compressed video costs little of its
  /// size, so it is made large enough for what a camera sends once the network lets it.
  init(path: String, kind: MediaKind, isRaw: Bool, onFailure: @escaping @Sendable (MediaError) -> Void) {
    self.path = path
    self.kind = kind
    self.onFailure = onFailure
    state = Mutex(State(pictures: RecordedPictures(longerSide: isRaw ? 0 : 1_280)))
  }

  func receive(_ frame: VideoFrame) {
    let sink = state.withLock { state -> FileSink? in
      guard !state.isOver, state.error == nil else { return nil }
      if state.sink == nil {
        state.start = state.start ?? frame.time
        if state.pictures.take(frame) { begin(&state) }
      } else {
        state.sink?.video.receive(frame)
      }
      return state.sink
    }
    tell(sink)
  }

  func receive(_ frame: AudioFrame) {
    let sink = state.withLock { state -> FileSink? in
      guard !state.isOver else { return nil }
      if state.sink == nil, state.error == nil {
        state.start = frame.time
        open(&state, width: 640, height: 360, channels: frame.channels)
      }
      return state.sink
    }
    sink?.audio.receive(frame)
    tell(sink)
  }

  /// Opens the file for the frames that wait, and writes them.
  private func begin(_ state: inout State) {
    guard let size = state.pictures.size else { return }
    open(&state, width: size.width, height: size.height, channels: 1)
    for frame in state.pictures.takeAll() { state.sink?.video.receive(frame) }
  }

  private func open(_ state: inout State, width: Int, height: Int, channels: Int) {
    do throws(MediaError) {
      state.sink = try FileSink(
        path, tracks: kind == .video ? .video : .audio, width: width, height: height, channels: channels)
    } catch { state.error = error }
  }

  private func tell(_ sink: FileSink?) {
    guard !hasFailed.load(ordering: .relaxed), let error = sink?.failure ?? state.withLock({ $0.error }) else { return }
    if !hasFailed.exchange(true, ordering: .relaxed) { onFailure(error) }
  }

  /// The time of the first frame; nil before there is one.
  var start: Instant? { state.withLock { $0.start } }

  /// Completes the file; one whose frames still wait begins with them.
  func finish() throws(MediaError) {
    let (sink, error) = state.withLock { state in
      if state.sink == nil, state.error == nil, !state.isOver { begin(&state) }
      state.isOver = true
      return (state.sink, state.error)
    }
    if let error { throw error }
    try sink?.finish()
  }
}
